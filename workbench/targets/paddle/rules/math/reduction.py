"""Sums, means, extremes, order and counts along dimensions."""

from __future__ import annotations

from dataclasses import replace

from workbench.rules.family import Family, Simpler, subject
from workbench.rules.match import Match
from workbench.source.types import dtypes
from workbench.source.types.lattice import Tensor

rules = Family()


def _counts_alike(match: Match) -> bool:
    """True where Paddle sums in the dtype that torch sums in: not of bool and narrow integers."""
    tensor = subject(match)
    return isinstance(tensor, Tensor) and (
        tensor.dtype == "int64" or dtypes.kind(tensor.dtype) == 2
    )


def _runs_alike(match: Match) -> bool:
    """The same of running sums, which a CPU has of no halves."""
    tensor = subject(match)
    half = isinstance(tensor, Tensor) and tensor.dtype in {"float16", "bfloat16"}
    return not half and _counts_alike(match)


def _is_truth(match: Match) -> bool:
    tensor = subject(match)
    none = match.constant("dim", None) == ()  # which torch reduces nothing of
    return isinstance(tensor, Tensor) and tensor.dtype == "bool" and not none


def _is_narrow(match: Match) -> bool:
    tensor = subject(match)
    return isinstance(tensor, Tensor) and tensor.dtype in {"uint8", "int8", "int16"}


_WHOLE = Simpler(
    "paddle.sum({input}, axis={dim}, dtype={dtype='int64'}, keepdim={keepdim})", _is_narrow
)
_RUNNING = Simpler("paddle.cumsum({input}, axis={dim})", _runs_alike)

_REDUCE = "(input, dim=None, keepdim=False, *, dtype=None, out=None)"

rules.both(
    "sum",
    "paddle.sum({input}, axis={dim}, dtype={dtype}, keepdim={keepdim})",
    signature=_REDUCE,
    cases=[
        "torch.sum(x)",
        "x.sum(0)",
        "x.sum(dim=(0, 1), keepdim=True)",
        "torch.sum(i, -1, True)",
        "m.sum()",
        "m.sum(1)",
        "x.sum(dtype=torch.float64)",
        "i.int().sum()",
        "torch.sum(a, [0, 2])",
        "how = {'dim': 1, 'keepdim': True}\ntorch.sum(x, **how), x.sum(**how), x.mean(**how)",
        "places = (1, True)\ntorch.sum(x, *places), x.sum(*places)",
        "places, t, f = [0], i.to(torch.uint8), torch.sum\n"
        "torch.sum(t, *places), t.sum(*places), f(input=t, dtype=None), f(m, 1, keepdim=True)",
        "w.sum().backward()\ng = w.grad",
        "t = i.to(torch.uint8) * 100\nt.sum(), torch.sum(t, 1)",
    ],
    simpler=_WHOLE,
)
rules.both(
    "mean",
    "paddle.mean({input}, axis={dim}, keepdim={keepdim})",
    "torch_mean({input}, dim={dim}, keepdim={keepdim}, dtype={dtype})",
    signature=_REDUCE,
    cases=[
        "torch.mean(x)",
        "x.mean(-1, keepdim=True)",
        "a.mean((0, 1))",
        "torch.mean(img, dim=[2, 3])",
        "i.mean(dtype=torch.float32)",
        "x.mean(1, True)",
        "w.mean().backward()\ng = w.grad",
        "f = torch.mean\nr = f(x), f(x, dim=1), f(i, dtype=torch.float32), f(input=x)",
    ],
)
rules.both(
    "prod",
    "torch_prod({input}, {dim}, {keepdim}, dtype={dtype})",
    "torch_prod({input}, keepdim={keepdim}, dtype={dtype})",
    signature=_REDUCE,
    cases=[
        "torch.prod(x)",
        "x.prod(1)",
        "x.prod(0, keepdim=True)",
        "i.int().prod(1)",
        "i.prod(dtype=torch.uint8), x.prod(0, dtype=torch.bool), i.prod(1, dtype=torch.int16)",
        "x.prod(dtype=torch.float64)",
        "torch.complex(w, y).prod(1).abs().sum().backward()\ng = w.grad",
        "t = torch.tensor([[2.0, 0.0, 3.0], [1.0, 4.0, 5.0]], requires_grad=True)\n"
        "(t.prod() + t.prod(1).sum() + t.prod(0, True).sum()).backward()\ng = t.grad",
    ],
)
for _name in ("max", "min"):
    rules.both(
        _name,
        f"torch_{_name}({{input}}, {{dim}}, {{keepdim}})",
        f"torch_{_name}({{input}}, other={{other}})",
        signature="(input, dim=None, keepdim=False, *, other=None, out=None)",
        cases=[
            f"torch.{_name}(x)",
            f"x.bfloat16().{_name}(1)",
            f"x.{_name}(1)",
            f"v, k = torch.{_name}(x, dim=0)",
            f"x.{_name}(-1, True).values",
            f"torch.{_name}(x, y)",
            f"x.{_name}(dim=1, keepdim=True)[1]",
            f"torch.{_name}(i, 1).indices",
            f"m.{_name}()",
            f"x.{_name}(d)",
            f"torch.{_name}(x, other=y)",
            f"k, f = (x,), torch.{_name}\ntorch.{_name}(*k, **{{'other': y}}), f(x, y), f(x, 1)",
            f"w.{_name}(1).values.sum().backward()\ng = w.grad",
            f"t = torch.{_name}(x)\nt.numel(), x.{_name}().numel()",
            f"torch.tensor([1.0, torch.nan, 3.0]).{_name}(0)",
            f"i.{_name}(1).values",
        ],
    )
for _name, _extra in (("amax", ""), ("amin", ", smallest=True")):
    rules.both(
        _name,
        f"torch_amax({{input}}, {{dim=None}}, {{keepdim=False}}{_extra})",
        signature="(input, dim=None, keepdim=False, *, out=None)",
        cases=[
            f"torch.{_name}(x, 1)",
            f"x.{_name}()",
            f"x.{_name}(dim=(0, 1), keepdim=True)",
            f"i.{_name}(0)",
            f"torch.{_name}(torch.zeros(0, 3), 1), torch.zeros(0, 3).{_name}((1,), True)",
            "t = torch.randn(2, 1, 3, 2, 2, requires_grad=True)\n"
            f"r = t.{_name}((2, -1), True), t.{_name}((1, 0, 2))\n"
            "(r[0].square().sum() + r[1].square().sum()).backward()\ng = t.grad",
        ],
    )
for _name, _extra in (("argmax", ""), ("argmin", ", smallest=True")):
    rules.both(
        _name,
        f"torch_argmax({{input}}, {{dim=None}}, {{keepdim=False}}{_extra})",
        signature="(input, dim=None, keepdim=False, *, out=None)",
        cases=[
            f"torch.{_name}(x)",
            f"x.{_name}(1)",
            f"x.{_name}(dim=-1, keepdim=True)",
            f"torch.{_name}(i, dim=1)",
            f"torch.tensor([1.0, torch.nan, 3.0]).{_name}()",
            f"x[0, 0].{_name}()",
        ],
    )
rules.both(
    "aminmax",
    "torch_aminmax({input}, dim={dim}, keepdim={keepdim})",
    signature="(input, *, dim=None, keepdim=False, out=None)",
    cases=[
        "torch.aminmax(x)",
        "x.aminmax(dim=1, keepdim=True).max",
        "lo, hi = torch.aminmax(x, dim=0)",
    ],
)
_VAR = "(input, dim=None, unbiased=None, keepdim=False, *, correction=1, out=None)"
for _name in ("var", "std"):
    rules.both(
        _name,
        f"torch_{_name}({{input}}, dim={{dim}}, unbiased={{unbiased}}, keepdim={{keepdim}}, "
        f"correction={{correction}})",
        signature=_VAR,
        cases=[
            f"torch.{_name}(x)",
            f"x.{_name}(0)",
            f"x.{_name}(dim=1, unbiased=False)",
            f"x.{_name}(-1, keepdim=True)",
            f"x.{_name}(1, correction=0)",
            f"torch.{_name}(x, (0, 1), correction=2)",
            f"x.{_name}(unbiased=False)",
            f"x.{_name}(False)",
            f"torch.{_name}(x, 1, False, True)",
            f"f = functools.partial(torch.{_name}, dim=1, unbiased=False)\nt = f(x)",
        ],
    )
    # Handed on, the helper takes what torch's function takes.
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
        signature=_VAR,
        cases=[
            f"torch.{_name}_mean(x)",
            f"s, t = torch.{_name}_mean(x, dim=1, keepdim=True)",
            f"torch.{_name}_mean(x, 0, unbiased=False)",
        ],
    )
_EQUALS = "equal values keep their order, which torch leaves open in long rows"
rules.both(
    "sort",
    "torch_sort({input}, dim={dim}, descending={descending})",
    signature="(input, dim=-1, descending=False, stable=False, *, out=None)",
    ignored={"stable": "the order of equal values is always kept"},
    note=_EQUALS,
    cases=[
        "torch.sort(x)",
        "v, k = x.sort(0, descending=True)",
        "x.sort(dim=1).values",
        "torch.sort(i, 1, True)",
        "torch.sort(i, stable=True)",
        "m.sort()",
        "torch.tensor([3.0, torch.nan, 1.0]).sort(descending=True)",
    ],
)
rules.both(
    "argsort",
    "torch_sort({input}, dim={dim}, descending={descending}).indices",
    signature="(input, dim=-1, descending=False, stable=False)",
    ignored={"stable": "the order of equal values is always kept"},
    note=_EQUALS,
    cases=[
        "torch.argsort(x)",
        "x.argsort(0, True)",
        "i.argsort(dim=1, stable=True)",
        "n.argsort()",
    ],
)
rules.both("msort", "torch_sort({input}, 0).values", cases=["torch.msort(x)", "x.msort()"])
rules.both(
    "topk",
    "torch_topk({input}, {k}, dim={dim}, largest={largest}, sorted={sorted})",
    signature="(input, k, dim=-1, largest=True, sorted=True, *, out=None)",
    cases=[
        "torch.topk(x, 2)",
        "v, k = x.topk(2, dim=0)",
        "x.topk(1, largest=False).indices",
        "torch.topk(x, k=3, dim=1).values",
        "torch.topk(x, 0), x.topk(0, dim=0), i.topk(k=0)",
        "w.topk(2).values.sum().backward()\ng = w.grad",
    ],
)
rules.both(
    "median",
    "torch_median({input}, {dim}, {keepdim})",
    signature="(input, dim=None, keepdim=False, *, out=None)",
    cases=[
        "torch.median(x)",
        "x.median(1)",
        "v, k = x.median(dim=0, keepdim=True)",
        "i.median()",
        "torch.tensor([1.0, torch.nan]).median()",
        "torch.zeros(2, 0).median(), i.to(torch.int8).median(1), i.to(torch.int8).nanmedian()",
        "t = torch.tensor([1.0, 2.0, 1.0], requires_grad=True)\nt.median().backward()\ng = t.grad",
    ],
)
rules.both(
    "nanmedian",
    "torch_nanmedian({input}, {dim}, {keepdim})",
    signature="(input, dim=None, keepdim=False, *, out=None)",
    cases=[
        "torch.nanmedian(torch.tensor([1.0, torch.nan, 2.0]))",
        "x.nanmedian(1)",
        "t = torch.tensor([1.0, 2.0, 1.0], requires_grad=True)\nt.nanmedian().backward()\n"
        "g = t.grad",
    ],
)
rules.both(
    "kthvalue",
    "torch_kthvalue({input}, {k}, dim={dim}, keepdim={keepdim})",
    signature="(input, k, dim=-1, keepdim=False, *, out=None)",
    cases=[
        "torch.kthvalue(x, 2)",
        "x.kthvalue(1, dim=0, keepdim=True)",
        "i.kthvalue(2, 1).values",
        "t = torch.tensor([[2, 1, 2, 0, 1, 1, 2], [0, 0, 0, 1, 1, 0, 1]])\n"
        "t.kthvalue(3, 1), t.float().kthvalue(5), t.kthvalue(1, 0)",
    ],
)
rules.both(
    "mode",
    "torch_mode({input}, dim={dim}, keepdim={keepdim})",
    signature="(input, dim=-1, keepdim=False, *, out=None)",
    note="the last place of the value is told; in long rows torch may tell another one",
    cases=["torch.mode(i)", "i.mode(0)", "i.mode(dim=1, keepdim=True).values"],
)
for _name in ("cumsum", "cumprod"):
    rules.both(
        _name,
        f"torch_cumulative({{input}}, {{dim}}, paddle.{_name}, {{dtype}})",
        signature="(input, dim, *, dtype=None, out=None)",
        cases=[
            f"torch.{_name}(x, 0)",
            f"x.{_name}(-1)",
            f"m.{_name}(dim=1)",
            f"i.int().{_name}(0)",
            f"x.{_name}(1, dtype=torch.float64)",
            f"x.{_name}(0, dtype=torch.int32), i.{_name}(1, dtype=torch.uint8)",
            f"x.half().{_name}(0)",
            f"t = x.clone()\nt.{_name}_(1)",
            f"w.{_name}(1).sum().backward()\ng = w.grad",
            f"t = x.float()\nt.{_name}(1), t.long().{_name}(dim=0), t.int().{_name}(0)",
            f"t = x.float().sum()\nt.{_name}(0), torch.{_name}(torch.zeros(0, 3), 1)",
        ],
        simpler=_RUNNING if _name == "cumsum" else None,
    )
for _name in ("cummax", "cummin"):
    rules.both(
        _name,
        f"torch_cumextreme(paddle.{_name}, {{input}}, {{dim}})",
        signature="(input, dim, *, out=None)",
        cases=[f"torch.{_name}(x, 1)", f"x.{_name}(0).indices", f"v, k = i.{_name}(dim=-1)"],
    )
rules.both(
    "logcumsumexp",
    "torch_logcumsumexp({input}, {dim})",
    cases=[
        "torch.logcumsumexp(x, 1)",
        "x.logcumsumexp(dim=0)",
        "torch.logcumsumexp(torch.tensor([-torch.inf, 1.0, torch.nan, torch.inf]), 0)",
        "torch.logcumsumexp(w, 1).sum().backward()\ng = w.grad",
    ],
)
rules.both(
    "logsumexp",
    "torch_logsumexp({input}, {dim}, keepdim={keepdim})",
    signature="(input, dim, keepdim=False, *, out=None)",
    cases=[
        "torch.logsumexp(x, 1)",
        "x.logsumexp(dim=(0, 1), keepdim=True)",
        "x.logsumexp(-1)",
        "t = x > 0\nt.logsumexp(1), torch.logsumexp(i.long(), 0, keepdim=True)",
        "t = torch.tensor([[float('inf'), 1.0], [-float('inf'), -float('inf')]])\n"
        "t.logsumexp(1), t.logsumexp((0, 1)), t[0, 0].logsumexp(0), t[:0].logsumexp(0)",
        "img[None, None].logsumexp(3), a[None, None].logsumexp((0, 2, -1), True)",
        "w.logsumexp(1).sum().backward()\ng = w.grad",
        "x.half().logsumexp(0), torch.logsumexp(x.bfloat16(), 1)",
    ],
)
for _name in ("any", "all"):
    _TRUTHS = Simpler(f"paddle.{_name}({{input}}, axis={{dim}}, keepdim={{keepdim}})", _is_truth)
    rules.both(
        _name,
        f"torch_{_name}({{input}}, {{dim}}, keepdim={{keepdim}})",
        signature="(input, dim=None, keepdim=False, *, out=None)",
        cases=[
            f"torch.{_name}(x, keepdim=True), x.{_name}(keepdim=False)",
            f"torch.{_name}(m)",
            f"m.{_name}(1)",
            f"x.{_name}()",
            f"x.{_name}(()), torch.{_name}(m, dim=())",
            f"m.{_name}(dim=0, keepdim=True)",
            f"(x > 5).{_name}()",
            f"t = x > 0\nt.{_name}(), t.{_name}(1), torch.{_name}(t, dim=-1, keepdim=True)",
            f"t = torch.zeros(0, 3) > 0\nt.{_name}(), t.{_name}(0), t.{_name}(1)",
        ],
        simpler=_TRUTHS,
    )
rules.both(
    "count_nonzero",
    "paddle.count_nonzero({input}.detach(), axis={dim})",
    signature="(input, dim=None)",
    cases=[
        "torch.count_nonzero(i)",
        "i.count_nonzero(dim=1)",
        "m.count_nonzero(0)",
        "torch.count_nonzero(x, (0, 1))",
    ],
)
rules.both(
    "nansum",
    "torch_nansum({input}, dim={dim}, keepdim={keepdim}, dtype={dtype})",
    signature=_REDUCE,
    cases=["torch.nansum(torch.tensor([1.0, torch.nan]))", "x.nansum(1, keepdim=True)"],
)
rules.both(
    "nanmean",
    "paddle.nanmean({input}, axis={dim}, keepdim={keepdim})",
    "torch_nanmean({input}, dim={dim}, keepdim={keepdim}, dtype={dtype})",
    signature=_REDUCE,
    cases=[
        "torch.nanmean(torch.tensor([1.0, torch.nan]))",
        "x.nanmean(1, keepdim=True)",
        "x.nanmean(-1, dtype=torch.float64)",
        "k = {'dim': 1}\nx.nanmean(**k), torch.nanmean(x, **k)",
    ],
)
_NORM = "(input, p='fro', dim=None, keepdim=False, *, dtype=None, out=None)"
rules.both(
    "norm",
    "torch_norm({input}, p={p}, dim={dim}, keepdim={keepdim}, dtype={dtype})",
    signature=_NORM,
    cases=[
        "torch.norm(x)",
        "x.norm()",
        "x.norm(1)",
        "x.norm(p=2, dim=-1, keepdim=True)",
        "torch.norm(x, dim=1)",
        "x.norm(float('inf'))",
        "x.norm(0)",
        "x.norm('nuc')",
        "a.norm(dim=(1, 2))",
        "x.norm(3, 0)",
        "w.norm().backward()\ng = w.grad",
    ],
)
for _name in ("quantile", "nanquantile"):
    rules.both(
        _name,
        f"torch_quantile(paddle.{_name}, {{input}}, {{q}}, {{dim=None}}, "
        f"{{keepdim=False}}, {{interpolation='linear'}})",
        signature="(input, q, dim=None, keepdim=False, *, interpolation='linear', out=None)",
        cases=[
            f"torch.{_name}(x, 0.3)",
            f"x.{_name}(torch.tensor([0.1, 0.5]), dim=1)",
            f"x.{_name}(0.5, 0, True, interpolation='lower')",
            f"x.sum().{_name}(0.5, 0), torch.{_name}(x.sum(), torch.tensor([0.1, 0.2]))",
            f"q = torch.tensor([0.15, 0.7], requires_grad=True)\n"
            f"(torch.{_name}(w, q, 1) * x[:2, :3]).sum().backward()\ng, h = w.grad, q.grad",
        ],
    )
rules.handed_on({"torch.mean": "torch_mean", "torch.sum": "torch_sum"})
rules.unpacking(
    {f"torch.Tensor.{name}": f"torch_{name}({{self}}, ...)" for name in ("sum", "max", "min")}
)
rules.handed_on(
    {
        f"torch.{_name}": "(lambda input, dim=None, keepdim=False, *, other=None: "
        f"torch_{_name}(input, dim, keepdim, other))"
        for _name in ("max", "min")
    }
)
