"""Code that reads or sets the learning rates of an optimizer's parameter groups."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from workbench.source.traits.traits import Training
from workbench.source.tree import inside


@dataclass(frozen=True, slots=True)
class Rate:
    """A piece of code that reads or sets the rates of an optimizer's parameter groups.

    Attributes:
        node: the expression or statement that is rewritten.
        use: READS_RATE, SETS_RATE or SCALES_RATE.
        value: the new rate, or the factor.
        returns: whether a function returns the rate.
        divides: whether the rate is divided by `value`.
    """

    node: ast.expr | ast.stmt
    use: Training
    value: ast.expr | None = None
    returns: bool = False
    divides: bool = False


def rate(statement: ast.stmt, groups: ast.AST) -> Rate | None:
    """Return how a statement uses the rates of `groups`, its expression `optimizer.param_groups`.

    Return None if it uses the groups in any other way.
    """
    if isinstance(statement, ast.For):
        return _of_loop(statement, groups)
    if isinstance(statement, ast.Assign | ast.AugAssign):
        target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
        if _is_first_rate(target, groups):
            return _set(statement, statement, target)
    for part in inside(statement):
        if _is_first_rate(part, groups):
            assert isinstance(part, ast.Subscript)
            return Rate(part, Training.READS_RATE) if isinstance(part.ctx, ast.Load) else None
    return None


def _of_loop(loop: ast.For, groups: ast.AST) -> Rate | None:
    """Return the rate for `for g in optimizer.param_groups: g["lr"] = rate` or `return g["lr"]`."""
    if loop.iter is not groups or loop.orelse or len(loop.body) != 1:
        return None
    if not isinstance(loop.target, ast.Name):
        return None
    [only], name = loop.body, loop.target.id
    if isinstance(only, ast.Return) and only.value is not None and _is_rate(only.value, name):
        return Rate(loop, Training.READS_RATE, returns=True)
    if isinstance(only, ast.Assign | ast.AugAssign):
        target = only.targets[0] if isinstance(only, ast.Assign) else only.target
        return _set(loop, only, target) if _is_rate(target, name) else None
    return None


def _set(whole: ast.stmt, only: ast.Assign | ast.AugAssign, target: ast.expr) -> Rate | None:
    """Return the rate for an assignment in the statement `whole`, which is replaced, or None."""
    value = only.value
    operator: ast.operator | None = None
    if isinstance(only, ast.AugAssign):
        operator = only.op
    elif len(only.targets) != 1:
        return None
    elif isinstance(value, ast.BinOp) and _same(value.left, target):
        operator = value.op
        value = value.right
    owner = target.value if isinstance(target, ast.Subscript) else target
    if ast.unparse(owner) in {ast.unparse(part) for part in inside(value)}:
        return None
    if operator is None:
        return Rate(whole, Training.SETS_RATE, value)
    if isinstance(operator, ast.Mult | ast.Div):
        return Rate(whole, Training.SCALES_RATE, value, divides=isinstance(operator, ast.Div))
    return None


def _is_rate(node: ast.expr, group: str) -> bool:
    """Return whether it is `group["lr"]`."""
    return (
        isinstance(node, ast.Subscript)
        and isinstance(node.value, ast.Name)
        and node.value.id == group
        and isinstance(node.slice, ast.Constant)
        and node.slice.value == "lr"
    )


def _is_first_rate(node: ast.AST, groups: ast.AST) -> bool:
    """Return whether it is `optimizer.param_groups[0]["lr"]`, where `groups` is `param_groups`."""
    if not isinstance(node, ast.Subscript) or not isinstance(node.value, ast.Subscript):
        return False
    first, key = node.value, node.slice
    return (
        first.value is groups
        and isinstance(key, ast.Constant)
        and key.value == "lr"
        and ast.unparse(first.slice) in {"0", "-1"}
    )


def _same(one: ast.expr, other: ast.expr) -> bool:
    return ast.unparse(one) == ast.unparse(other)
