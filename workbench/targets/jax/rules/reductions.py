"""Sums, extremes, order and counts along dimensions."""

from __future__ import annotations

import ast
from dataclasses import replace

from workbench.rules.match import Match, literal
from workbench.rules.outcome import Outcome, Refusal
from workbench.source.tree import inside
from workbench.source.types.lattice import Tensor
from workbench.targets.jax.writing import Functions, dtype_kind, is_read, tensor_of, written

rules = Functions()


def _one_place(match: Match) -> bool:
    """Return whether the dimension is left out, one number or a tuple that names some."""
    if "dim" not in match:
        return True
    node = match.arguments["dim"].node
    return match.is_number("dim") or (isinstance(node, ast.Tuple) and bool(node.elts))


@rules.deciding("sum")
def total(match: Match) -> Outcome:
    if _one_place(match) and (dtype_kind(match) in {0, 2, 3} or _is_signed(match)):
        return written(match, "jnp.sum({input}, axis={dim}, keepdims={keepdim}, dtype={dtype})")
    return written(match, "torch_sum({input}, dim={dim}, keepdim={keepdim}, dtype={dtype})")


def _is_signed(match: Match) -> bool:
    """Return whether the tensor is known to hold integers with a sign."""
    value = tensor_of(match)
    return isinstance(value, Tensor) and value.dtype in {"int8", "int16", "int32", "int64"}


@rules.deciding("mean")
def mean(match: Match) -> Outcome:
    if _one_place(match):
        return written(match, "jnp.mean({input}, axis={dim}, keepdims={keepdim}, dtype={dtype})")
    return written(
        match, "jnp.mean({input}, axis=torch_dims({dim}), keepdims={keepdim}, dtype={dtype})"
    )


rules.both("prod", "torch_prod({input}, dim={dim}, keepdim={keepdim}, dtype={dtype})")
for _name, _product in (("cumsum", False), ("cumprod", True)):
    rules.both(_name, f"torch_cumulative({{input}}, {{dim}}, {_product}, dtype={{dtype}})")
for _name, _all in (("any", False), ("all", True)):

    @rules.deciding(_name)
    def truth(match: Match, name: str = _name, of_all: bool = _all) -> Outcome:
        if dtype_kind(match) == 0 and _one_place(match):
            return written(match, f"jnp.{name}({{input}}, axis={{dim}}, keepdims={{keepdim}})")
        options = "dim={dim}, keepdim={keepdim}" + (", of_all=True" if of_all else "")
        return written(match, f"torch_truth({{input}}, {options})")


def _places_read(match: Match) -> ast.expr | None:
    """Return the expression that reads only the places of a result: `.indices`, or None."""
    for node in inside(match.use.statement):
        if isinstance(node, ast.Attribute | ast.Subscript) and node.value is match.use.node:
            named = isinstance(node, ast.Attribute) and node.attr == "indices"
            second = isinstance(node, ast.Subscript) and literal(node.slice) == 1
            return node if named or second else None
    return None


for _name, _smallest in (("max", False), ("min", True)):

    @rules.deciding(_name)
    def extreme(match: Match, name: str = _name, smallest: bool = _smallest) -> Outcome:
        least = ", smallest=True" if smallest else ""
        if "other" in match:
            if match.is_tensor("other"):
                return written(match, f"jnp.{name}imum({{input}}, {{other}})")
            return written(match, f"torch_max({{input}}, {{other}}{least})")
        if "dim" not in match:
            return written(match, f"{{input}}.{name}()")
        if match.is_number("dim"):
            if (places := _places_read(match)) is not None:
                text = f"jnp.arg{name}({{input}}, axis={{dim}}, keepdims={{keepdim}})"
                return replace(written(match, text), around=places)
            return written(match, f"torch_extreme({{input}}, {{dim}}, keepdim={{keepdim}}{least})")
        return written(match, f"torch_max({{input}}, {{dim}}, keepdim={{keepdim}}{least})")


for _name, _least in (("amax", ""), ("amin", ", smallest=True")):
    rules.both(_name, f"torch_amax({{input}}, dim={{dim}}, keepdim={{keepdim}}{_least})")
for _name in ("argmax", "argmin"):
    rules.both(_name, f"jnp.{_name}({{input}}, axis={{dim}}, keepdims={{keepdim}})")
for _name in ("var", "std"):

    @rules.deciding(_name)
    def spread(match: Match, name: str = _name) -> Outcome:
        """Write a helper, or NumPy's function where no gradient is computed."""
        plain = not match.given("unbiased", "correction") and _one_place(match)
        if plain and is_read(match):
            text = f"jnp.{name}({{input}}, axis={{dim}}, ddof=1, keepdims={{keepdim}})"
            return written(match, text, "unbiased", "correction")
        options = "unbiased={unbiased}, keepdim={keepdim}, correction={correction}"
        return written(match, f"torch_{name}({{input}}, dim={{dim}}, {options})")


for _name in ("var", "std"):
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
    if match.constant("p", "fro") in {None, 2, "fro"} and not match.given("dtype"):
        if _one_place(match) and is_read(match):
            text = "jnp.linalg.norm({input}, axis={dim}, keepdims={keepdim})"
            return written(match, text, "p", "dtype")
        if _one_place(match) and dtype_kind(match) == 2:
            text = "torch_root(jnp.sum({input} ** 2, axis={dim}, keepdims={keepdim}))"
            return written(match, text, "p", "dtype")
        text = "torch_vector_norm({input}, dim={dim}, keepdim={keepdim})"
        return written(match, text, "p", "dtype")
    return written(match, "torch_norm({input}, p={p}, dim={dim}, keepdim={keepdim}, dtype={dtype})")


rules.row(
    "torch.linalg.vector_norm",
    "torch_vector_norm({input}, ord={ord}, dim={dim}, keepdim={keepdim})",
)
rules.both("logsumexp", "torch_logsumexp({input}, {dim}, keepdim={keepdim})")
_STABLE = {"stable": "the order of equal values is always kept", "sorted": "they are always sorted"}
rules.both("sort", "torch_sort({input}, dim={dim}, descending={descending})", ignored=_STABLE)
rules.both(
    "argsort", "torch_sort({input}, dim={dim}, descending={descending}).indices", ignored=_STABLE
)
rules.both("msort", "torch_sort({input}, 0).values")
rules.both("topk", "torch_topk({input}, {k}, dim={dim}, largest={largest})", ignored=_STABLE)
rules.both("median", "torch_median({input}, dim={dim}, keepdim={keepdim})")


@rules.deciding("kthvalue")
def kthvalue(match: Match) -> Outcome:
    """Write a helper where only values are read: of equal ones, torch returns any place."""
    alone = any(
        isinstance(node, ast.Attribute) and node.value is match.use.node and node.attr == "values"
        for node in ast.walk(match.use.statement)
    )
    if not alone:
        return Refusal("of equal values, torch returns any place", "torch.kthvalue(x, k).values")
    return written(match, "torch_kthvalue({input}, {k}, dim={dim}, keepdim={keepdim})")


for _name, _smallest in (("cummax", False), ("cummin", True)):
    rules.both(_name, f"torch_cumulative_extreme({{input}}, {{dim}}, {_smallest})")
rules.both("count_nonzero", "jnp.count_nonzero({input}, axis={dim})")
rules.both("nansum", "jnp.nansum({input}, axis={dim}, keepdims={keepdim})")
rules.both("nanmean", "jnp.nanmean({input}, axis={dim}, keepdims={keepdim})")
rules.both("bincount", "torch_bincount({input}, weights={weights}, minlength={minlength})")
rules.both("diff", "torch_diff({input}, n={n}, dim={dim}, prepend={prepend}, append={append})")
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
