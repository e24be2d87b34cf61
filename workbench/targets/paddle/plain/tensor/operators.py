"""Operators between tensors of unlike dtypes, which Paddle refuses: told by it, or one is cast."""

from __future__ import annotations

import ast

from workbench.rules.difference import Difference
from workbench.rules.forms import FormSet
from workbench.rules.match import Match
from workbench.rules.outcome import Keep, Outcome, Rewrite
from workbench.source.types import dtypes
from workbench.source.types.lattice import (
    MIXED,
    UNKNOWN,
    ForeignInstance,
    Plain,
    Tensor,
    Value,
)
from workbench.source.uses import UseKind
from workbench.targets.paddle.plain.tensor.inplace import whole_numbers
from workbench.targets.paddle.rules.tensor.operators import dtype_of

forms = FormSet()

_SIGNS = {
    "add": "+",
    "sub": "-",
    "subtract": "-",
    "mul": "*",
    "multiply": "*",
    "div": "/",
    "divide": "/",
    "true_divide": "/",
}
_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div)


@forms.form(*(f"torch.Tensor.__{name}__" for name in ("eq", "ne", "lt", "le", "gt", "ge")))
def compare(match: Match) -> Outcome | None:
    """`predicted == y`: of unlike dtypes, where nothing tells them, Paddle raises."""
    one, other = match.use.receiver_value, match.value("other")
    tensors = all(isinstance(it, Tensor) and MIXED not in it.states for it in (one, other))
    operator = match.use.kind is UseKind.OPERATOR
    return Keep() if operator and tensors and not _unlike(one, other) else None


@forms.form(*(f"torch.Tensor.{name}" for name in _SIGNS))
def arithmetic(match: Match) -> Outcome | None:
    """`grad.mul(group["lr"])`: Paddle's methods take tensors alone, its operators numbers too."""
    mine, other = match.use.receiver_value, match.value("other")
    sign = _SIGNS[match.use.name.rpartition(".")[2]]
    if match.use.kind is not UseKind.CALL or (isinstance(mine, Tensor) and mine.dtype == "bool"):
        return None
    if match.given("rounding_mode"):
        return _floored(match) if match.constant("rounding_mode") == "floor" else None
    if isinstance(other, Plain) and sign != "/":
        return None
    if isinstance(other, Tensor) or match.given("alpha"):
        return None if dtypes.may_differ(mine, other) else Keep()
    return Rewrite(f"{{self}} {sign} {{other}}", consumed=frozenset(match.arguments) - {"other"})


def _floored(match: Match) -> Outcome:
    """`x.div(n, rounding_mode="floor")`."""
    differs = () if whole_numbers(match.use.receiver_value) else (Difference.CORNER_VALUES,)
    return Rewrite(
        "{self} // {other}", consumed=frozenset(match.arguments) - {"other"}, differs=differs
    )


def _unlike(one: Value, other: Value) -> bool:
    """Whether two tensors are known to be of dtypes that Paddle does not compare."""
    if not isinstance(one, Tensor) or not isinstance(other, Tensor):
        return False
    return dtypes.differ(one.dtype, other.dtype) and not dtypes.alike(one.dtype, other.dtype)


@forms.form("torch.Tensor.__truediv__")
def divide(match: Match) -> Outcome | None:
    """Whole numbers by a number: floats in both; `total / counts`: the counts become floats."""
    use, mine, other = match.use, match.use.receiver_value, match.value("other")
    left = isinstance(use.node, ast.BinOp) and use.node.left is use.receiver
    if use.kind is not UseKind.OPERATOR or not left:
        return None
    if not isinstance(other, Tensor | ForeignInstance):  # of NumPy's Paddle drops the fraction
        return None if match.program.calls("set_default_dtype") else Keep()
    if not isinstance(mine, Tensor) or MIXED in mine.states or _named_mask(use.receiver):
        return None
    if not isinstance(other, Tensor) or other.dtype != "int64":
        return None
    if mine.dtype not in {None, "floating", "float32"}:
        return None
    dtype = dtype_of(use.receiver) or '"float32"'
    return Rewrite(f"{{self}} / {{other}}.astype({dtype})")


@forms.form("torch.Tensor.__add__", "torch.Tensor.__sub__")
def add(match: Match) -> Outcome | None:
    """`ids * stride + offsets`: whole numbers beside what is not known to be others."""
    pair = (match.use.receiver_value, match.value("other"))
    known = {one.dtype for one in pair if isinstance(one, Tensor) and MIXED not in one.states}
    return Keep() if match.use.kind is UseKind.OPERATOR and known == {None, "int64"} else None


@forms.form("torch.Tensor.__mul__", "torch.Tensor.__rmul__")
def multiply(match: Match) -> Outcome | None:
    """`x * mask`: the mask takes the dtype of what it masks, and times of an outer product too."""
    use = match.use
    if use.kind is not UseKind.OPERATOR or use.receiver is None or "other" not in match:
        return None
    nodes = (use.receiver, match.arguments["other"].node)
    values = (use.receiver_value, match.value("other"))
    known = [one for one in values if isinstance(one, Tensor)]
    if any(MIXED in one.states or one.dtype == "float16" for one in known):
        return None
    for side in (0, 1):
        cast = _cast(nodes[side], values[side], nodes[1 - side], values[1 - side])
        if cast is not None:
            written = ["{self}", "{other}"]
            written[side] += f".astype({cast})" if cast else ""
            order = reversed(written) if "__r" in use.name else written
            return Rewrite(" * ".join(order))
    return None


def _cast(node: ast.expr, value: Value, other: ast.expr, beside: Value) -> str | None:
    """What one factor is cast to: "" for nothing, None where it is not this one that is cast."""
    kind = dtypes.kind(value.dtype) if isinstance(value, Tensor) else None
    if kind == 0 and (isinstance(other, ast.Compare) or _is_inverted(other)):
        return ""  # truth values on both sides
    if beside is UNKNOWN and _named_mask(node):
        return dtype_of(other)
    if _outer(node, other) and isinstance(beside, Tensor) and dtypes.kind(beside.dtype) == 2:
        return dtype_of(other)
    if not isinstance(beside, Tensor) or beside.scalar or dtypes.kind(beside.dtype) in {0, 1}:
        return None
    several = isinstance(value, Tensor) and not value.scalar
    if kind == 0 or (kind == 1 and several) or (kind is None and _named_mask(node)):
        return dtype_of(other) or _floating(other, beside)
    return None


def _is_inverted(node: ast.expr) -> bool:
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert)


def _floating(node: ast.expr, value: Tensor) -> str | None:
    """The dtype to write for a computed factor: floats promote among themselves."""
    if value.dtype in {"floating", "float32"}:
        return '"float32"'
    sums = isinstance(node, ast.BinOp) and isinstance(node.op, _ARITHMETIC)
    return '"float32"' if sums and value.dtype is None else None


def _outer(*nodes: ast.expr) -> bool:
    """Whether both sides are given a dimension: `t[:, None] * frequencies[None, :]`."""
    return all(
        isinstance(node, ast.Subscript)
        and isinstance(node.slice, ast.Tuple)
        and any(isinstance(one, ast.Constant) and one.value is None for one in node.slice.elts)
        for node in nodes
    )


def _named_mask(node: ast.expr | None) -> bool:
    """Whether a name says that these are truth values, or numbers that stand for such."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return str(getattr(node, "attr", getattr(node, "id", ""))).endswith("mask")
