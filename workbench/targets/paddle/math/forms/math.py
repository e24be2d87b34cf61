"""Sums, products, indices along dimensions, and operations of two tensors in Paddle."""

from __future__ import annotations

import ast

from workbench.rules.difference import at
from workbench.rules.forms import FormSet
from workbench.rules.match import Match
from workbench.rules.outcome import Keep, Outcome, Rewrite
from workbench.source.types import dtypes
from workbench.source.types.lattice import Plain, Tensor, Value
from workbench.targets.paddle.common.either import (
    first,
    is_bool,
    same,
    tensor_of,
    unless_bool,
)
from workbench.targets.paddle.tensors.forms.inplace import whole_numbers

forms = FormSet(since="3.3")
_T = "torch.Tensor."
_ORIGIN = at("the gradient of atan2 where both arguments are 0 is NaN in {target}, 0 in torch")
_ZERO = at(
    "the gradient of prod at a factor of 0 is NaN in {target}; in torch it is the product"
    " of the other factors"
)


def _narrow(value: Value) -> bool:
    """Return whether it is known to be truth values or whole numbers that torch makes wider."""
    return isinstance(value, Tensor) and whole_numbers(value) and value.dtype != "int64"


@forms.form("torch.trace", _T + "trace")
def trace(match: Match) -> Outcome | None:
    """Keep the call; narrow integers stay narrow."""
    function = match.use.receiver is None
    if _narrow(tensor_of(match)):
        return None
    return Rewrite("paddle.trace", callee_only=True) if function else Keep()


@forms.form("torch.logit", _T + "logit")
def log_odds(match: Match) -> Outcome | None:
    """Keep the call; outside of 0 to 1, where the value is NaN, the gradient is not."""
    if whole_numbers(tensor_of(match)) or match.given("out"):
        return None
    return same(
        match, at("the gradient of logit below 0 and above 1 is 0 in {target}, NaN in torch")
    )


@forms.form("torch.quantile")
def quantile(match: Match) -> Outcome | None:
    """Write a quantile of floats at a number; a tensor of positions gets no gradient."""
    if "out" in match or not {"input", "q"} <= match.arguments.keys() or not match.is_number("q"):
        return None
    return Rewrite(
        "paddle.quantile({input}, {q}, axis={dim}, keepdim={keepdim}, "
        "interpolation={interpolation})",
        consumed=frozenset({"out"}),
    )


@forms.form("torch.cumprod", _T + "cumprod")
def running_product(match: Match) -> Outcome | None:
    """Keep the call, except for bools and narrow integers."""
    if _narrow(tensor_of(match)) or match.given("out", "dtype") or "dim" not in match:
        return None
    return same(match, unless_bool(match))


@forms.form("torch.cumsum", _T + "cumsum")
def running_sum(match: Match) -> Outcome | None:
    """Keep the call; Paddle sums bool tensors only after a cast to integers."""
    if match.given("out") or "dim" not in match:
        return None
    if is_bool(tensor_of(match)) and not match.given("dtype"):
        return Rewrite(f'{first(match)}.astype("int64").cumsum(axis={{dim}})')
    if _narrow(tensor_of(match)) and not match.given("dtype"):
        return None
    return same(match, unless_bool(match))


@forms.form("torch.lerp", _T + "lerp")
def between(match: Match) -> Outcome | None:
    """Keep the call for a number; for a tensor write the sum, since Paddle gives it no gradient."""
    function = match.use.receiver is None
    if "out" in match or not {"end", "weight"} <= match.arguments.keys():
        return None
    if match.is_number("weight"):
        return same(match)
    start = match.arguments["input"].node if function else match.use.receiver
    if not isinstance(start, ast.Name):
        return None
    tensor = first(match)
    return Rewrite(f"({tensor} + {{weight}} * ({{end}} - {tensor}))")


@forms.form("torch.norm", _T + "norm", value="paddle.norm")
def norm(match: Match) -> Outcome | None:
    """Write the norm of all values or one dimension; Paddle's over two is a matrix norm."""
    if match.given("out", "dtype") or isinstance(match.constant("p", 2), str):
        return None
    if not match.given("dim") or match.is_number("dim"):
        return same(match)
    power = "{p}, {dim}" if match.given("p") else "axis={dim}"
    text = f"paddle.linalg.vector_norm({first(match)}, {power}, keepdim={{keepdim}})"
    return Rewrite(text, consumed=frozenset({"p", "out", "dtype"}))


@forms.form("torch.pow", _T + "pow")
def power(match: Match) -> Outcome | None:
    """Use the operator if the base may be integers; Paddle's function never returns floats."""
    base, exponent = tensor_of(match), match.value("exponent")
    if "exponent" not in match or match.given("out") or is_bool(base):
        return None
    if not (isinstance(exponent, Tensor) and exponent.scalar) and dtypes.may_differ(base, exponent):
        return None
    number = match.constant("exponent")
    floats = isinstance(base, Tensor) and dtypes.kind(base.dtype) == 2
    if floats or (isinstance(number, int) and number >= 0 and not isinstance(base, Plain)):
        return same(match)
    if isinstance(number, int) and whole_numbers(base):
        return None  # torch raises, Paddle never returns
    if isinstance(exponent, Tensor) and exponent.recorded:
        return None  # the gradient of the exponent of complex numbers differs
    return Rewrite(f"{first(match)} ** {{exponent}}", consumed=frozenset({"out"}))


@forms.form("torch.logical_or", "torch.logical_xor", _T + "logical_or", _T + "logical_xor")
def logical(match: Match) -> Outcome | None:
    """Keep the call for two tensors of one dtype."""
    if match.given("out") or "other" not in match:
        return None
    return None if dtypes.unlike(tensor_of(match), match.value("other")) else same(match)


@forms.form("torch.minimum", _T + "minimum")
def smaller(match: Match) -> Outcome | None:
    """Keep the call for two tensors of one dtype."""
    if match.given("out") or "other" not in match or is_bool(tensor_of(match)):
        return None
    return None if dtypes.unlike(tensor_of(match), match.value("other")) else same(match)


@forms.form("torch.atan2", _T + "atan2")
def angle(match: Match) -> Outcome | None:
    """Keep the call for floats; the gradient is NaN at the origin."""
    if match.given("out") or "other" not in match:
        return None
    pair = (tensor_of(match), match.value("other"))
    if any(whole_numbers(one) or is_bool(one) for one in pair) or dtypes.unlike(*pair):
        return None
    text = f"paddle.atan2({first(match)}, {{other}})"
    return Rewrite(text, consumed=frozenset({"out"}), differs=_ORIGIN)


@forms.form("torch.prod", _T + "prod")
def product(match: Match) -> Outcome | None:
    """Keep the call for floats or 64-bit integers; the gradient is NaN if a factor is zero."""
    mine = tensor_of(match)
    if match.given("out", "dtype") or is_bool(mine) or _narrow(mine):
        return None
    text = f"paddle.prod({first(match)}, axis={{dim}}, keepdim={{keepdim}})"
    consumed = frozenset({"out", "dtype"})
    return Rewrite(text, consumed=consumed, differs=(*_ZERO, *unless_bool(match)))
