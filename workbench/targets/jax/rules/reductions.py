"""Sums, extremes, order and counts along dimensions."""

from __future__ import annotations

import ast

from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Refusal
from workbench.targets.jax.writing import Functions, dtype_kind, written

rules = Functions()


def _one_place(match: Match) -> bool:
    """Return whether the dimension is left out, one number or a tuple that names some."""
    if "dim" not in match:
        return True
    node = match.arguments["dim"].node
    return match.is_number("dim") or (isinstance(node, ast.Tuple) and bool(node.elts))


@rules.deciding("sum")
def total(match: Match) -> Outcome:
    if dtype_kind(match) in {2, 3} and _one_place(match):
        return written(match, "jnp.sum({input}, axis={dim}, keepdims={keepdim}, dtype={dtype})")
    return written(match, "torch_sum({input}, {dim=None}, {keepdim=False}, {dtype=None})")


@rules.deciding("mean")
def mean(match: Match) -> Outcome:
    if _one_place(match):
        return written(match, "jnp.mean({input}, axis={dim}, keepdims={keepdim}, dtype={dtype})")
    return written(
        match, "jnp.mean({input}, axis=torch_dims({dim}), keepdims={keepdim}, dtype={dtype})"
    )


rules.both("prod", "torch_prod({input}, {dim=None}, {keepdim=False}, {dtype=None})")
for _name, _product in (("cumsum", False), ("cumprod", True)):
    rules.both(_name, f"torch_cumulative({{input}}, {{dim}}, {_product}, {{dtype}})")
for _name, _all in (("any", False), ("all", True)):

    @rules.deciding(_name)
    def truth(match: Match, name: str = _name, of_all: bool = _all) -> Outcome:
        if dtype_kind(match) == 0 and _one_place(match):
            return written(match, f"jnp.{name}({{input}}, axis={{dim}}, keepdims={{keepdim}})")
        return written(match, f"torch_truth({{input}}, {{dim=None}}, {{keepdim=False}}, {of_all})")


for _name, _smallest in (("max", False), ("min", True)):

    @rules.deciding(_name)
    def extreme(match: Match, name: str = _name, smallest: bool = _smallest) -> Outcome:
        if "other" in match:
            if match.is_tensor("other"):
                return written(match, f"jnp.{name}imum({{input}}, {{other}})")
            return written(match, f"torch_max({{input}}, {{other}}, smallest={smallest})")
        if "dim" not in match:
            return written(match, f"{{input}}.{name}()")
        if match.is_number("dim"):
            return written(
                match, f"torch_extreme({{input}}, {{dim}}, {{keepdim=False}}, {smallest})"
            )
        return written(match, f"torch_max({{input}}, {{dim}}, {{keepdim=False}}, {smallest})")


for _name, _smallest in (("amax", False), ("amin", True)):
    rules.both(_name, f"torch_amax({{input}}, {{dim=None}}, {{keepdim=False}}, {_smallest})")
for _name in ("argmax", "argmin"):
    rules.both(_name, f"jnp.{_name}({{input}}, axis={{dim}}, keepdims={{keepdim}})")
for _name in ("var", "std"):
    rules.both(
        _name,
        f"torch_{_name}({{input}}, {{dim=None}}, {{unbiased=None}}, {{keepdim=False}})",
        f"torch_{_name}({{input}}, {{dim=None}}, keepdim={{keepdim=False}}, "
        "correction={correction=1})",
    )
    rules.row(
        f"torch.{_name}_mean",
        f"(torch_{_name}({{input}}, {{dim=None}}, {{unbiased=None}}, {{keepdim=False}}), "
        "jnp.mean({input}, axis=torch_dims({dim=None}), keepdims={keepdim=False}))",
        f"(torch_{_name}({{input}}, {{dim=None}}, keepdim={{keepdim=False}}, "
        "correction={correction=1}), "
        "jnp.mean({input}, axis=torch_dims({dim=None}), keepdims={keepdim=False}))",
    )


@rules.deciding("norm")
def norm(match: Match) -> Outcome:
    """Write a norm of the elements; one of matrices is refused."""
    if match.constant("p", 2) == "nuc":
        return Refusal("the nuclear norm has no proven form in JAX yet")
    return written(
        match, "torch_norm({input}, {p='fro'}, {dim=None}, {keepdim=False}, {dtype=None})"
    )


rules.row(
    "torch.linalg.vector_norm",
    "torch_vector_norm({input}, {ord=2}, {dim=None}, {keepdim=False})",
)
rules.both("logsumexp", "torch_logsumexp({input}, {dim}, {keepdim=False})")
_STABLE = {"stable": "the order of equal values is always kept", "sorted": "they are always sorted"}
rules.both("sort", "torch_sort({input}, {dim=-1}, {descending=False})", ignored=_STABLE)
rules.both("argsort", "torch_sort({input}, {dim=-1}, {descending=False}).indices", ignored=_STABLE)
rules.both("msort", "torch_sort({input}, 0).values")
rules.both("topk", "torch_topk({input}, {k}, {dim=-1}, {largest=True})", ignored=_STABLE)
rules.both("median", "torch_median({input}, {dim=None}, {keepdim=False})")


@rules.deciding("kthvalue")
def kthvalue(match: Match) -> Outcome:
    """Write a helper where only values are read: of equal ones, torch returns any place."""
    alone = any(
        isinstance(node, ast.Attribute) and node.value is match.use.node and node.attr == "values"
        for node in ast.walk(match.use.statement)
    )
    if not alone:
        return Refusal("of equal values, torch returns any place", "torch.kthvalue(x, k).values")
    return written(match, "torch_kthvalue({input}, {k}, {dim=-1}, {keepdim=False})")


for _name, _smallest in (("cummax", False), ("cummin", True)):
    rules.both(_name, f"torch_cumulative_extreme({{input}}, {{dim}}, {_smallest})")
rules.both("count_nonzero", "jnp.count_nonzero({input}, axis={dim})")
rules.both("nansum", "jnp.nansum({input}, axis={dim}, keepdims={keepdim})")
rules.both("nanmean", "jnp.nanmean({input}, axis={dim}, keepdims={keepdim})")
rules.both("bincount", "torch_bincount({input}, {weights=None}, {minlength=0})")
rules.both("diff", "torch_diff({input}, {n=1}, {dim=-1}, {prepend=None}, {append=None})")
for _name, _skips in (("quantile", False), ("nanquantile", True)):
    rules.both(
        _name,
        f"torch_quantile({{input}}, {{q}}, {{dim=None}}, {{keepdim=False}}, "
        f"{{interpolation='linear'}}, {_skips})",
    )


@rules.deciding("unique")
def unique(match: Match) -> Outcome:
    """Write JAX's function, which always sorts."""
    flags = [match.constant(name, False) for name in ("return_inverse", "return_counts")]
    if any(flag not in {True, False} for flag in flags):
        return Refusal("what it returns is only known at run time")
    return written(
        match,
        "jnp.unique({input}, return_inverse={return_inverse}, return_counts={return_counts}, "
        "axis={dim})",
        "sorted",
    )
