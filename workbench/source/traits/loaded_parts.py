"""Loops that load the states of a program's parts: `getattr(self, name).load_state_dict(...)`.

Such a loop calls one method of modules, optimizers and schedules, which Paddle's own do not share.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping

_LOADS = "load_state_dict"
# Names of optimizers and schedules: as keys, keywords, attributes or variables.
_STEPPED = re.compile(r"(?i)(\w+_)?(opt|optims?|optimizers?|scheds?|schedulers?)(_\w+)?$")


def is_name_of_part(name: object) -> bool:
    """Return whether a string is the name of an optimizer or of a schedule."""
    return isinstance(name, str) and _STEPPED.match(name) is not None


def loads_any_part(nodes: Iterable[ast.AST], parents: Mapping[int, ast.AST]) -> bool:
    """Return whether a call may load the state of a module, an optimizer or a schedule alike.

    That is one of a part that is chosen at run time, in a text that names optimizers or schedules
    by strings or keywords and does not load theirs elsewhere.
    """
    chosen = named = False
    for node in nodes:
        match node:
            case ast.Call(func=ast.Attribute(value=part, attr=attribute)) if attribute == _LOADS:
                if is_name_of_part(getattr(part, "attr", getattr(part, "id", ""))):
                    return False
                chosen = chosen or _is_chosen(part, parents)
            case ast.Constant(value=str(name)) | ast.keyword(arg=str(name)):
                named = named or is_name_of_part(name)
    return chosen and named


def _is_chosen(part: ast.expr, parents: Mapping[int, ast.AST]) -> bool:
    """Return whether run time decides which object it is: an item, an attribute, a loop's value."""
    match part:
        case ast.Call(func=ast.Name(id="getattr"), args=[_, name, *_]):
            return not isinstance(name, ast.Constant)
        case ast.Subscript(slice=key):
            return not isinstance(key, ast.Constant | ast.Slice)
        case ast.Name(id=name):
            return _is_of_loop(part, name, parents)
    return False


def _is_of_loop(node: ast.AST, name: str, parents: Mapping[int, ast.AST]) -> bool:
    around: ast.AST | None = node
    while (around := parents.get(id(around))) is not None:
        if isinstance(around, ast.For) and name in {
            one.id for one in ast.walk(around.target) if isinstance(one, ast.Name)
        }:
            return True
    return False
