"""Simple subclasses of `torch.autograd.Function`: those with the gradient of one tensor."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from workbench.words import words

_SAVED = frozenset({"saved_tensors", "saved_variables"})  # the same, by its old name
# Members of the context that only torch has.
_TORCHS = frozenset(
    words(
        "needs_input_grad mark_dirty mark_non_differentiable set_materialize_grads "
        "save_for_forward dirty_tensors to_save"
    )
)
_OTHER_METHODS = frozenset({"setup_context", "jvp", "vjp", "vmap"})


@dataclass(frozen=True, slots=True)
class OwnFunction:
    """A function of one tensor and of other values, for which its `backward` returns None.

    Attributes:
        saved: the statements of `backward` that read saved values, `a, b = ctx.saved_tensors`.
        returned: the return statements with None for other values, each with the gradient in it.
        passed: the statements of `forward` that return an argument as it is, each with it.
    """

    saved: tuple[ast.Assign, ...]
    returned: tuple[tuple[ast.Return, ast.expr], ...]
    passed: tuple[tuple[ast.Return, ast.expr], ...]


def own_function(cls: ast.stmt) -> OwnFunction | None:
    """Return the parts of a class's methods, or None if they are not simple."""
    if not isinstance(cls, ast.ClassDef) or cls.keywords or len(cls.bases) != 1:
        return None
    methods = {one.name: one for one in cls.body if isinstance(one, ast.FunctionDef)}
    forward, backward = methods.get("forward"), methods.get("backward")
    if forward is None or backward is None or _OTHER_METHODS & methods.keys():
        return None
    if not (_is_static(forward) and _is_static(backward) and _is_new(forward)):
        return None
    saved = [one for one in ast.walk(backward) if isinstance(one, ast.Assign) and _takes(one)]
    asked = [*_of_context(forward), *_of_context(backward)]
    taken = [one for one in asked if getattr(one, "attr", None) in _SAVED]
    if None in asked or len(taken) != len(saved):
        return None
    if any(isinstance(one, ast.Attribute) and one.attr in _TORCHS for one in asked):
        return None
    returned: list[tuple[ast.Return, ast.expr]] = []
    for one in ast.walk(backward):
        if isinstance(one, ast.Return):
            gradient = _gradient(one, len(forward.args.args) - 1)
            if gradient is None:
                return None
            if gradient is not one.value:
                returned.append((one, gradient))
    return OwnFunction(tuple(saved), tuple(returned), tuple(_passed(forward)))


def _is_static(method: ast.FunctionDef) -> bool:
    """Return whether a method is static, with a context and other positional arguments."""
    given = method.args
    decorators = [ast.unparse(one) for one in method.decorator_list]
    more = given.vararg or given.kwarg or given.kwonlyargs or given.posonlyargs
    return decorators == ["staticmethod"] and not more and len(given.args) > 1


def _of_context(method: ast.FunctionDef) -> list[ast.Attribute | None]:
    """Return the members of its context that a method reads; None if it passes it on."""
    name = method.args.args[0].arg
    members = [
        one
        for one in ast.walk(method)
        if isinstance(one, ast.Attribute) and getattr(one.value, "id", None) == name
    ]
    named = [one for one in ast.walk(method) if isinstance(one, ast.Name) and one.id == name]
    return [*members, *([None] if len(named) != len(members) else [])]


def _takes(statement: ast.Assign) -> bool:
    """Return whether it is `a, b = ctx.saved_tensors` or `a = ctx.saved_tensors[0]`."""
    value = statement.value
    value = value.value if isinstance(value, ast.Subscript) else value
    return isinstance(value, ast.Attribute) and value.attr in _SAVED


def _is_new(forward: ast.FunctionDef) -> bool:
    """Return whether the result of a function is new rather than one of its arguments.

    In Paddle, a tensor that is returned unchanged counts as changed in place.
    """
    given = {one.arg for one in forward.args.args}
    for one in ast.walk(forward):
        if isinstance(one, ast.Assign) and not any(isinstance(a, ast.Name) for a in one.targets):
            continue
        value = one.value if isinstance(one, ast.Return | ast.Assign) else None
        values = value.elts if isinstance(value, ast.Tuple) else [value]
        if isinstance(one, ast.Return) and value is None:
            return False
        if isinstance(one, ast.Return) and isinstance(value, ast.Name):
            continue  # a copy is returned
        if any(isinstance(part, ast.Name) and part.id in given for part in values):
            return False
        if isinstance(one, ast.Return) and any(_may_be_its_owner(part, given) for part in values):
            return False
    return True


def _may_be_its_owner(node: ast.expr | None, given: set[str]) -> bool:
    """Return whether an expression may be an argument itself: `x.contiguous()`, `x.mul_(2)`."""
    func = node.func if isinstance(node, ast.Call) else node
    if not isinstance(func, ast.Attribute):
        return False
    made = func.attr in {"clone", "view_as", "sign", "round", "abs", "neg", "exp", "clamp"}
    return not made and isinstance(func.value, ast.Name) and func.value.id in given


def _passed(forward: ast.FunctionDef) -> Iterator[tuple[ast.Return, ast.expr]]:
    """Yield the statements `return x` and `return x.view_as(x)`, where `x` is an argument."""
    given = {one.arg for one in forward.args.args}
    for one in ast.walk(forward):
        match one:
            case ast.Return(value=ast.Name(id=name) as owner) if name in given:
                yield one, owner
            case ast.Return(
                value=ast.Call(
                    func=ast.Attribute(value=ast.Name() as owner, attr="view_as"),
                    args=[ast.Name() as other],
                    keywords=[],
                )
            ) if owner.id == other.id and owner.id in given:
                yield one, owner


def _gradient(statement: ast.Return, values: int) -> ast.expr | None:
    """Return the gradient of the first argument if the others have none, else None."""
    value = statement.value
    if not isinstance(value, ast.Tuple):
        return value if values == 1 else None
    first, *others = value.elts
    none = all(isinstance(one, ast.Constant) and one.value is None for one in others)
    alone = none and len(value.elts) == values and first.lineno == first.end_lineno
    is_one = not isinstance(first, ast.Constant | ast.Starred)
    return first if alone and is_one else None
