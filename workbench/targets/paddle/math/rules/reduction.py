"""Sums, means, extremes, order and counts along dimensions."""

from __future__ import annotations

from dataclasses import replace

from workbench.rules.family import Family, Simpler, subject
from workbench.rules.match import Match
from workbench.source.types import dtypes
from workbench.source.types.lattice import Tensor

rules = Family()


def _counts_alike(match: Match) -> bool:
    """Return whether Paddle sums in torch's dtype, unlike for bools and narrow integers."""
    tensor = subject(match)
    return isinstance(tensor, Tensor) and (
        tensor.dtype == "int64" or dtypes.kind(tensor.dtype) == 2
    )


def _runs_alike(match: Match) -> bool:
    """Return the same for cumulative sums, which lack a half-precision kernel on a CPU."""
    tensor = subject(match)
    half = isinstance(tensor, Tensor) and tensor.dtype in {"float16", "bfloat16"}
    return not half and _counts_alike(match)


def _is_truth(match: Match) -> bool:
    tensor = subject(match)
    none = match.constant("dim", None) == ()  # torch then reduces nothing
    return isinstance(tensor, Tensor) and tensor.dtype == "bool" and not none


def _is_narrow(match: Match) -> bool:
    tensor = subject(match)
    return isinstance(tensor, Tensor) and tensor.dtype in {"uint8", "int8", "int16"}


_WHOLE = Simpler(
    "paddle.sum({input}, axis={dim}, dtype={dtype='int64'}, keepdim={keepdim})", _is_narrow
)
_RUNNING = Simpler("paddle.cumsum({input}, axis={dim})", _runs_alike)

rules.both(
    "sum", "paddle.sum({input}, axis={dim}, dtype={dtype}, keepdim={keepdim})", simpler=_WHOLE
)
rules.both(
    "mean",
    "paddle.mean({input}, axis={dim}, keepdim={keepdim})",
    "torch_mean({input}, dim={dim}, keepdim={keepdim}, dtype={dtype})",
)
rules.both(
    "prod",
    "torch_prod({input}, {dim}, {keepdim}, dtype={dtype})",
    "torch_prod({input}, keepdim={keepdim}, dtype={dtype})",
)
for _name in ("max", "min"):
    rules.both(
        _name,
        f"torch_{_name}({{input}}, {{dim}}, {{keepdim}})",
        f"torch_{_name}({{input}}, other={{other}})",
    )
for _name, _extra in (("amax", ""), ("amin", ", smallest=True")):
    rules.both(_name, f"torch_amax({{input}}, {{dim=None}}, {{keepdim=False}}{_extra})")
for _name, _extra in (("argmax", ""), ("argmin", ", smallest=True")):
    rules.both(_name, f"torch_argmax({{input}}, {{dim=None}}, {{keepdim=False}}{_extra})")
rules.both("aminmax", "torch_aminmax({input}, dim={dim}, keepdim={keepdim})")
for _name in ("var", "std"):
    rules.both(
        _name,
        f"torch_{_name}({{input}}, dim={{dim}}, unbiased={{unbiased}}, keepdim={{keepdim}}, "
        f"correction={{correction}})",
    )
    # As a value, the helper has the parameters of torch's function.
    rules.rules[:] = [
        replace(rule, value=f"torch_{_name}", unpacked=f"torch_{_name}(...)")
        if rule.name == f"torch.{_name}"
        else rule
        for rule in rules.rules
    ]
    rules.row(
        f"torch.{_name}_mean",
        f"torch_{_name}_mean({{input}}, {{dim=None}}, {{unbiased=None}}, "
        f"{{keepdim=False}}, {{correction=1}})",
    )
_EQUALS = "equal values keep their order; torch does not guarantee that"
rules.both(
    "sort",
    "torch_sort({input}, dim={dim}, descending={descending})",
    ignored={"stable": "the order of equal values is always kept"},
    note=_EQUALS,
)
rules.both(
    "argsort",
    "torch_sort({input}, dim={dim}, descending={descending}).indices",
    ignored={"stable": "the order of equal values is always kept"},
    note=_EQUALS,
)
rules.both("msort", "torch_sort({input}, 0).values")
rules.both("topk", "torch_topk({input}, {k}, dim={dim}, largest={largest}, sorted={sorted})")
rules.both("median", "torch_median({input}, {dim}, {keepdim})")
rules.both("nanmedian", "torch_nanmedian({input}, {dim}, {keepdim})")
rules.both("kthvalue", "torch_kthvalue({input}, {k}, dim={dim}, keepdim={keepdim})")
rules.both(
    "mode",
    "torch_mode({input}, dim={dim}, keepdim={keepdim})",
    note="the index is that of the last occurrence; torch may return another one in long rows",
)
for _name in ("cumsum", "cumprod"):
    rules.both(
        _name,
        f"torch_cumulative({{input}}, {{dim}}, paddle.{_name}, {{dtype}})",
        simpler=_RUNNING if _name == "cumsum" else None,
    )
for _name in ("cummax", "cummin"):
    rules.both(_name, f"torch_cumextreme(paddle.{_name}, {{input}}, {{dim}})")
rules.both("logcumsumexp", "torch_logcumsumexp({input}, {dim})")
rules.both("logsumexp", "torch_logsumexp({input}, {dim}, keepdim={keepdim})")
for _name in ("any", "all"):
    _TRUTHS = Simpler(f"paddle.{_name}({{input}}, axis={{dim}}, keepdim={{keepdim}})", _is_truth)
    rules.both(_name, f"torch_{_name}({{input}}, {{dim}}, keepdim={{keepdim}})", simpler=_TRUTHS)
rules.both("count_nonzero", "paddle.count_nonzero({input}.detach(), axis={dim})")
rules.both("nansum", "torch_nansum({input}, dim={dim}, keepdim={keepdim}, dtype={dtype})")
rules.both(
    "nanmean",
    "paddle.nanmean({input}, axis={dim}, keepdim={keepdim})",
    "torch_nanmean({input}, dim={dim}, keepdim={keepdim}, dtype={dtype})",
)
rules.both("norm", "torch_norm({input}, p={p}, dim={dim}, keepdim={keepdim}, dtype={dtype})")
for _name in ("quantile", "nanquantile"):
    rules.both(
        _name,
        f"torch_quantile(paddle.{_name}, {{input}}, {{q}}, {{dim=None}}, "
        f"{{keepdim=False}}, {{interpolation='linear'}})",
    )
rules.as_values({"torch.mean": "torch_mean", "torch.sum": "torch_sum"})
rules.unpacking(
    {f"torch.Tensor.{name}": f"torch_{name}({{self}}, ...)" for name in ("sum", "max", "min")}
)
rules.as_values(
    {
        f"torch.{_name}": "(lambda input, dim=None, keepdim=False, *, other=None: "
        f"torch_{_name}(input, dim, keepdim, other))"
        for _name in ("max", "min")
    }
)
