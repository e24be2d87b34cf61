"""The line of a class that sets an attribute of its instances."""

from __future__ import annotations

import ast
import inspect
from functools import lru_cache
from pathlib import Path
from typing import Any

from workbench.verify.sides.places import Place, is_users


def line_of_attribute(owner: Any, name: str) -> Place | None:
    """Return the line where a user's class sets `self.name` or registers a tensor so named, or
    None.
    """
    for kind in type(owner).__mro__:
        try:
            file = inspect.getsourcefile(kind) or ""
            _, first = inspect.getsourcelines(kind)
        except (OSError, TypeError):
            continue
        if is_users(file) and (line := _lines(file, kind.__name__, first).get(name)):
            return Place(file, line)
    return None


@lru_cache(maxsize=256)
def _lines(file: str, kind: str, first: int) -> dict[str, int]:
    """Return the first line that sets each attribute in the class that starts at line `first`."""
    tree = ast.parse(Path(file).read_text(encoding="utf-8"))
    found: dict[str, int] = {}
    for definition in ast.walk(tree):
        if not isinstance(definition, ast.ClassDef) or definition.name != kind:
            continue
        start = min([definition.lineno, *(one.lineno for one in definition.decorator_list)])
        for node in ast.walk(definition) if start == first else ():
            if (name := _set_by(node)) and isinstance(node, ast.expr):
                found[name] = min(node.lineno, found.get(name, node.lineno))
    return found


def _set_by(node: ast.AST) -> str:
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
        return node.attr
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
        first = node.args[0]
        registers = node.func.attr.startswith(("register_", "add_"))
        if registers and isinstance(first, ast.Constant) and isinstance(first.value, str):
            return first.value
    return ""
