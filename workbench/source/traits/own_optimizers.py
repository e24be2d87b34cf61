"""Classes that derive from `torch.optim.Optimizer`, and whether they need more of it than little.

Such a class mostly has its base keep its parameter groups and the state of each parameter, and
clear the gradients: so much is said in a few lines of its own.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from workbench.source.tree import inside

# Words of `Traits.training`.
OWN = "own optimizer"  # class Lion(Optimizer)
BASE_NEEDED = "base of optimizers"  # something that only a base class of all optimizers answers

_KEPT = frozenset({"param_groups", "state", "zero_grad", "step", "__class__", "__dict__"})
_OF_BASE = frozenset({"state_dict", "load_state_dict", "add_param_group"})
_ITS_OWN = ("defaults", "register_step_", "register_state_dict_", "register_load_state_dict_")
_NEW_NAMES = frozenset({"groups", "group", "own"})


@dataclass(frozen=True, slots=True)
class OwnOptimizer:
    """A class that asks of its base nothing but groups, states and cleared gradients.

    Attributes:
        call: `super().__init__(params, defaults)`, a statement of its `__init__`.
        params: what it is given as parameters or groups of them.
        defaults: what the groups have where they say nothing else.
        restored: `super().__setstate__(state)`, and what it is given.
        clears: it clears gradients itself.
    """

    call: ast.Expr
    params: ast.Name
    defaults: ast.expr
    restored: tuple[tuple[ast.Expr, ast.expr], ...]
    clears: bool


def own_optimizer(cls: ast.stmt) -> OwnOptimizer | None:
    """What a class asks of `Optimizer`, its only base; None where it is something else, or more."""
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
        return None  # no place for more lines, or none of a known width: a tab counts one
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


def words(nodes: Sequence[ast.AST]) -> Iterator[str]:
    """The words for what a text's nodes say of optimizers of its own, and ask of any optimizer."""
    typed: set[int] = set()  # where the name stands for a type, or a base
    named: set[int] = set()
    for node in nodes:
        typed.update(id(part) for one in _annotations(node) for part in inside(one))
        if isinstance(node, ast.ClassDef) and any(map(_is_optimizer, node.bases)):
            yield OWN
            typed.update(map(id, node.bases))
            if own_optimizer(node) is None:
                yield BASE_NEEDED
        elif isinstance(node, ast.Attribute) and _asks_base(node):
            yield BASE_NEEDED
        if _is_optimizer(node):
            named.add(id(node))
    if named - typed:
        yield BASE_NEEDED


def _shares_its_line(call: ast.stmt, init: ast.FunctionDef) -> bool:
    others = (one for one in init.body if one is not call)
    ends = [init.lineno, *(line for one in others for line in (one.lineno, one.end_lineno))]
    return call.lineno in ends or call.end_lineno in ends


def _annotations(node: ast.AST) -> list[ast.expr]:
    """The types that a parameter, a function or a variable is said to have."""
    found = getattr(node, "annotation", None), getattr(node, "returns", None)
    return [one for one in found if isinstance(one, ast.expr)]


def _is_optimizer(node: ast.AST) -> bool:
    return "Optimizer" in (getattr(node, "id", ""), getattr(node, "attr", ""))


def _asks_base(node: ast.Attribute) -> bool:
    """`self.optimizer_d.state_dict`, and what no class has that keeps its groups itself."""
    owner = node.value
    name = owner.attr if isinstance(owner, ast.Attribute) else getattr(owner, "id", "")
    return node.attr.startswith(_ITS_OWN) or (node.attr in _OF_BASE and "opt" in name.lower())


def _supers(cls: ast.ClassDef) -> list[ast.AST]:
    return [one for one in ast.walk(cls) if isinstance(one, ast.Name) and one.id == "super"]


def _of_super(
    cls: ast.ClassDef,
) -> Iterator[tuple[ast.Expr, str, dict[int | str | None, ast.expr]]]:
    """Statements that are a call of a base's method: the method, and its arguments."""
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
    """Whether a class looks for nothing in itself but what it has, or its base keeps for it."""
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
