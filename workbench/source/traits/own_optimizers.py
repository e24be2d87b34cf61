"""Subclasses of `torch.optim.Optimizer`, and whether they need much of their base class.

Most such classes only let their base keep the parameter groups and the state of each parameter, and
clear the gradients. A few lines in the class can do the same.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from workbench.source.traits.traits import Training
from workbench.source.tree import inside

_KEPT = frozenset({"param_groups", "state", "zero_grad", "step", "__class__", "__dict__"})
_OF_BASE = frozenset({"state_dict", "load_state_dict", "add_param_group"})
_ITS_OWN = ("defaults", "register_step_", "register_state_dict_", "register_load_state_dict_")
_NEW_NAMES = frozenset({"groups", "group", "own"})


@dataclass(frozen=True, slots=True)
class OwnOptimizer:
    """A class that needs only groups, states and cleared gradients of its base.

    Attributes:
        call: `super().__init__(params, defaults)`, a statement of its `__init__`.
        params: the argument that holds parameters or groups of them.
        defaults: the default options of a group.
        restored: the statements `super().__setstate__(state)`, with their argument.
        clears: whether the class clears gradients itself.
    """

    call: ast.Expr
    params: ast.Name
    defaults: ast.expr
    restored: tuple[tuple[ast.Expr, ast.expr], ...]
    clears: bool


def own_optimizer(cls: ast.stmt) -> OwnOptimizer | None:
    """Return how a class uses `Optimizer`, its only base, or None if it needs more."""
    if not isinstance(cls, ast.ClassDef) or cls.keywords or len(cls.bases) != 1:
        return None
    methods = {one.name: one for one in cls.body if isinstance(one, ast.FunctionDef)}
    init = methods.get("__init__")
    if not _is_optimizer(cls.bases[0]) or init is None:
        return None
    asked = list(_of_super(cls))
    started = [one for one in asked if one[0] in init.body and one[1] == "__init__"]
    restored = [one for one in asked if one[1] == "__setstate__"]
    if len(started) != 1 or len(started) + len(restored) != len(_supers(cls)):
        return None
    [(call, _, given)] = started
    if call.col_offset - cls.body[0].col_offset < 2 or _shares_its_line(call, init):
        # There is no place for more lines, or its width is unknown: a tab counts as one.
        return None
    if len(given) != 2 or any(len(one[2]) != 1 for one in restored):
        return None
    params = given.get(0, given.get("params"))
    defaults = given.get(1, given.get("defaults"))
    earlier = (one for one in init.body if one.lineno < call.lineno)
    names = {getattr(one, "arg", "") for one in ast.walk(init.args)}
    names |= {getattr(part, "id", "") for one in earlier for part in ast.walk(one)}
    if not isinstance(params, ast.Name) or not isinstance(defaults, ast.Name | ast.Call | ast.Dict):
        return None
    if names & _NEW_NAMES or not _own_members_only(cls):
        return None
    states = tuple((one, *values.values()) for one, _, values in restored)
    return OwnOptimizer(call, params, defaults, states, "zero_grad" in methods)  # type: ignore[arg-type]


def uses_of_bases(nodes: Sequence[ast.AST]) -> Iterator[Training]:
    """Yield the uses of optimizer classes in a text: its own classes, and needs of a base class."""
    typed: set[int] = set()  # nodes where the name is a type or a base class
    named: set[int] = set()
    for node in nodes:
        typed.update(id(part) for one in _annotations(node) for part in inside(one))
        if isinstance(node, ast.ClassDef) and any(map(_is_optimizer, node.bases)):
            yield Training.OWN
            typed.update(map(id, node.bases))
            if own_optimizer(node) is None:
                yield Training.BASE_NEEDED
        elif isinstance(node, ast.Attribute) and _asks_base(node):
            yield Training.BASE_NEEDED
        if _is_optimizer(node):
            named.add(id(node))
    if named - typed:
        yield Training.BASE_NEEDED


def _shares_its_line(call: ast.stmt, init: ast.FunctionDef) -> bool:
    others = (one for one in init.body if one is not call)
    ends = [init.lineno, *(line for one in others for line in (one.lineno, one.end_lineno))]
    return call.lineno in ends or call.end_lineno in ends


def _annotations(node: ast.AST) -> list[ast.expr]:
    """Return the annotations of a parameter, a function or a variable."""
    found = getattr(node, "annotation", None), getattr(node, "returns", None)
    return [one for one in found if isinstance(one, ast.expr)]


def _is_optimizer(node: ast.AST) -> bool:
    return "Optimizer" in (getattr(node, "id", ""), getattr(node, "attr", ""))


def _asks_base(node: ast.Attribute) -> bool:
    """Return whether it reads `self.optimizer_d.state_dict` or another member of the base class."""
    owner = node.value
    name = owner.attr if isinstance(owner, ast.Attribute) else getattr(owner, "id", "")
    return node.attr.startswith(_ITS_OWN) or (node.attr in _OF_BASE and "opt" in name.lower())


def _supers(cls: ast.ClassDef) -> list[ast.AST]:
    return [one for one in ast.walk(cls) if isinstance(one, ast.Name) and one.id == "super"]


def _of_super(
    cls: ast.ClassDef,
) -> Iterator[tuple[ast.Expr, str, dict[int | str | None, ast.expr]]]:
    """Yield the statements that call a base class's method, with its name and arguments."""
    for statement in ast.walk(cls):
        match statement:
            case ast.Expr(
                value=ast.Call(
                    func=ast.Attribute(value=ast.Call(func=ast.Name(id="super")), attr=method)
                )
            ):
                call = statement.value
                assert isinstance(call, ast.Call)
                given: dict[int | str | None, ast.expr] = dict(enumerate(call.args))
                given.update((one.arg, one.value) for one in call.keywords)
                yield statement, method, given


def _own_members_only(cls: ast.ClassDef) -> bool:
    """Return whether a class reads only its own members and those that its base keeps for it."""
    of_self = [
        one
        for one in ast.walk(cls)
        if isinstance(one, ast.Attribute)
        and isinstance(one.value, ast.Name)
        and one.value.id == "self"
    ]
    stored = {one.attr for one in of_self if isinstance(one.ctx, ast.Store)}
    defined = {getattr(one, "name", "") for one in cls.body}
    for one in cls.body:
        aims = one.targets if isinstance(one, ast.Assign) else [getattr(one, "target", None)]
        defined.update(getattr(aim, "id", "") for aim in aims)
    return {one.attr for one in of_self} <= stored | defined | _KEPT
