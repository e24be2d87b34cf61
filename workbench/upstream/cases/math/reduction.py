"""Sums, means, extremes, order and counts along dimensions."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike

CASES: dict[str, tuple[str, ...]] = {
    "torch.sum": (
        "torch.sum(x)",
        "torch.sum(i, -1, True)",
        "torch.sum(a, [0, 2])",
        ("how = {'dim': 1, 'keepdim': True}\ntorch.sum(x, **how), x.sum(**how), x.mean(**how)"),
        "places = (1, True)\ntorch.sum(x, *places), x.sum(*places)",
        (
            "places, t, f = [0], i.to(torch.uint8), torch.sum\n"
            "torch.sum(t, *places), t.sum(*places), f(input=t, dtype=None), f(m, 1, "
            "keepdim=True)"
        ),
        "t = i.to(torch.uint8) * 100\nt.sum(), torch.sum(t, 1)",
    ),
    "torch.Tensor.sum": (
        "x.sum(0)",
        "x.sum(dim=(0, 1), keepdim=True)",
        "m.sum()",
        "m.sum(1)",
        "x.sum(dtype=torch.float64)",
        "i.int().sum()",
        ("how = {'dim': 1, 'keepdim': True}\ntorch.sum(x, **how), x.sum(**how), x.mean(**how)"),
        "places = (1, True)\ntorch.sum(x, *places), x.sum(*places)",
        (
            "places, t, f = [0], i.to(torch.uint8), torch.sum\n"
            "torch.sum(t, *places), t.sum(*places), f(input=t, dtype=None), f(m, 1, "
            "keepdim=True)"
        ),
        "w.sum().backward()\ng = w.grad",
        "t = i.to(torch.uint8) * 100\nt.sum(), torch.sum(t, 1)",
    ),
    "torch.mean": (
        "torch.mean(x)",
        "torch.mean(img, dim=[2, 3])",
    ),
    "torch.Tensor.mean": (
        "x.mean(-1, keepdim=True)",
        "a.mean((0, 1))",
        "i.mean(dtype=torch.float32)",
        "x.mean(1, True)",
        "w.mean().backward()\ng = w.grad",
    ),
    **alike("torch", "prod argsort msort median", "torch.{name}(x)"),
    "torch.Tensor.prod": (
        "x.prod(1)",
        "x.prod(0, keepdim=True)",
        "i.int().prod(1)",
        ("i.prod(dtype=torch.uint8), x.prod(0, dtype=torch.bool), i.prod(1, dtype=torch.int16)"),
        "x.prod(dtype=torch.float64)",
        "torch.complex(w, y).prod(1).abs().sum().backward()\ng = w.grad",
        (
            "t = torch.tensor([[2.0, 0.0, 3.0], [1.0, 4.0, 5.0]], requires_grad=True)\n"
            "(t.prod() + t.prod(1).sum() + t.prod(0, True).sum()).backward()\ng = t.grad"
        ),
    ),
    **alike(
        "torch",
        "max min",
        "torch.{name}(x)",
        "v, k = torch.{name}(x, dim=0)",
        "torch.{name}(x, y)",
        "torch.{name}(i, 1).indices",
        "torch.{name}(x, other=y)",
        "k, f = (x,), torch.{name}\ntorch.{name}(*k, **{'other': y}), f(x, y), f(x, 1)",
        "t = torch.{name}(x)\nt.numel(), x.{name}().numel()",
    ),
    **alike(
        "torch.Tensor",
        "max min",
        "x.bfloat16().{name}(1)",
        "x.{name}(1)",
        "x.{name}(-1, True).values",
        "x.{name}(dim=1, keepdim=True)[1]",
        "m.{name}()",
        "x.{name}(d)",
        "w.{name}(1).values.sum().backward()\ng = w.grad",
        "t = torch.{name}(x)\nt.numel(), x.{name}().numel()",
        "torch.tensor([1.0, torch.nan, 3.0]).{name}(0)",
        "i.{name}(1).values",
    ),
    "torch.amax": (
        "torch.amax(x, 1)",
        "torch.amax(torch.zeros(0, 3), 1), torch.zeros(0, 3).amax((1,), True)",
    ),
    **alike(
        "torch.Tensor",
        "amax amin",
        "x.{name}()",
        "x.{name}(dim=(0, 1), keepdim=True)",
        "i.{name}(0)",
        "torch.{name}(torch.zeros(0, 3), 1), torch.zeros(0, 3).{name}((1,), True)",
        (
            "t = torch.randn(2, 1, 3, 2, 2, requires_grad=True)\n"
            "r = t.{name}((2, -1), True), t.{name}((1, 0, 2))\n"
            "(r[0].square().sum() + r[1].square().sum()).backward()\ng = t.grad"
        ),
    ),
    "torch.amin": (
        "torch.amin(x, 1)",
        "torch.amin(torch.zeros(0, 3), 1), torch.zeros(0, 3).amin((1,), True)",
    ),
    "torch.argmax": (
        "torch.argmax(x)",
        "torch.argmax(i, dim=1)",
    ),
    **alike(
        "torch.Tensor",
        "argmax argmin",
        "x.{name}(1)",
        "x.{name}(dim=-1, keepdim=True)",
        "torch.tensor([1.0, torch.nan, 3.0]).{name}()",
        "x[0, 0].{name}()",
    ),
    "torch.argmin": (
        "torch.argmin(x)",
        "torch.argmin(i, dim=1)",
    ),
    "torch.aminmax": (
        "torch.aminmax(x)",
        "lo, hi = torch.aminmax(x, dim=0)",
    ),
    "torch.Tensor.aminmax": ("x.aminmax(dim=1, keepdim=True).max",),
    **alike(
        "torch",
        "var std",
        "torch.{name}(x)",
        "torch.{name}(x, (0, 1), correction=2)",
        "torch.{name}(x, 1, False, True)",
    ),
    **alike(
        "torch.Tensor",
        "var std",
        "x.{name}(0)",
        "x.{name}(dim=1, unbiased=False)",
        "x.{name}(-1, keepdim=True)",
        "x.{name}(1, correction=0)",
        "x.{name}(unbiased=False)",
        "x.{name}(False)",
    ),
    **alike(
        "torch",
        "var_mean std_mean",
        "torch.{name}(x)",
        "s, t = torch.{name}(x, dim=1, keepdim=True)",
        "torch.{name}(x, 0, unbiased=False)",
    ),
    "torch.sort": (
        "torch.sort(x)",
        "torch.sort(i, 1, True)",
        "torch.sort(i, stable=True)",
    ),
    "torch.Tensor.sort": (
        "v, k = x.sort(0, descending=True)",
        "x.sort(dim=1).values",
        "m.sort()",
        "torch.tensor([3.0, torch.nan, 1.0]).sort(descending=True)",
    ),
    "torch.Tensor.argsort": (
        "x.argsort(0, True)",
        "w.argsort(1, descending=True), torch.argsort(w)",
        "i.argsort(dim=1, stable=True)",
        "n.argsort()",
    ),
    "torch.Tensor.msort": ("x.msort()",),
    "torch.topk": (
        "torch.topk(x, 2)",
        "torch.topk(x, k=3, dim=1).values",
        "torch.topk(x, 0), x.topk(0, dim=0), i.topk(k=0)",
    ),
    "torch.Tensor.topk": (
        "v, k = x.topk(2, dim=0)",
        "x.topk(1, largest=False).indices",
        "w.topk(2).indices, w.topk(k=1, dim=0)[1]",
        "v, k = w.topk(2)",
        "r = w.topk(2, dim=1)\nr[0].sum().backward()\ng = w.grad",
        "torch.topk(x, 0), x.topk(0, dim=0), i.topk(k=0)",
        "w.topk(2).values.sum().backward()\ng = w.grad",
    ),
    "torch.Tensor.median": (
        "x.median(1)",
        "v, k = x.median(dim=0, keepdim=True)",
        "i.median()",
        "torch.tensor([1.0, torch.nan]).median()",
        ("torch.zeros(2, 0).median(), i.to(torch.int8).median(1), i.to(torch.int8).nanmedian()"),
        (
            "t = torch.tensor([1.0, 2.0, 1.0], requires_grad=True)\nt.median().backward()\n"
            "g = t.grad"
        ),
    ),
    "torch.nanmedian": ("torch.nanmedian(torch.tensor([1.0, torch.nan, 2.0]))",),
    "torch.Tensor.nanmedian": (
        "x.nanmedian(1)",
        (
            "t = torch.tensor([1.0, 2.0, 1.0], requires_grad=True)\nt.nanmedian().backward()\n"
            "g = t.grad"
        ),
    ),
    "torch.kthvalue": ("torch.kthvalue(x, 2)",),
    "torch.Tensor.kthvalue": (
        "x.kthvalue(1, dim=0, keepdim=True)",
        "i.kthvalue(2, 1).values",
        (
            "t = torch.tensor([[2, 1, 2, 0, 1, 1, 2], [0, 0, 0, 1, 1, 0, 1]])\n"
            "t.kthvalue(3, 1), t.float().kthvalue(5), t.kthvalue(1, 0)"
        ),
    ),
    "torch.mode": ("torch.mode(i)",),
    "torch.Tensor.mode": (
        "i.mode(0)",
        "i.mode(dim=1, keepdim=True).values",
    ),
    "torch.cumsum": (
        "torch.cumsum(x, 0)",
        "t = x.float().sum()\nt.cumsum(0), torch.cumsum(torch.zeros(0, 3), 1)",
    ),
    **alike(
        "torch.Tensor",
        "cumsum cumprod",
        "x.{name}(-1)",
        "m.{name}(dim=1)",
        "i.int().{name}(0)",
        "x.{name}(1, dtype=torch.float64)",
        "x.{name}(0, dtype=torch.int32), i.{name}(1, dtype=torch.uint8)",
        "x.half().{name}(0)",
        "w.{name}(1).sum().backward()\ng = w.grad",
        "t = x.float()\nt.{name}(1), t.long().{name}(dim=0), t.int().{name}(0)",
        "t = x.float().sum()\nt.{name}(0), torch.{name}(torch.zeros(0, 3), 1)",
    ),
    "torch.Tensor.cumsum_": ("t = x.clone()\nt.cumsum_(1)",),
    "torch.cumprod": (
        "torch.cumprod(x, 0)",
        "t = x.float().sum()\nt.cumprod(0), torch.cumprod(torch.zeros(0, 3), 1)",
    ),
    "torch.Tensor.cumprod_": ("t = x.clone()\nt.cumprod_(1)",),
    "torch.cummax": ("torch.cummax(x, 1)",),
    "torch.Tensor.cummax": (
        "x.cummax(0).indices",
        "v, k = x.cummax(1)\nl = torch.cummin(x, dim=0)[1]",
        "v, k = i.cummax(dim=-1)",
    ),
    "torch.cummin": ("torch.cummin(x, 1)",),
    "torch.Tensor.cummin": (
        "x.cummin(0).indices",
        "v, k = i.cummin(dim=-1)",
    ),
    "torch.logcumsumexp": (
        "torch.logcumsumexp(x, 1)",
        "torch.logcumsumexp(torch.tensor([-torch.inf, 1.0, torch.nan, torch.inf]), 0)",
        "torch.logcumsumexp(w, 1).sum().backward()\ng = w.grad",
    ),
    "torch.Tensor.logcumsumexp": ("x.logcumsumexp(dim=0)",),
    "torch.logsumexp": (
        "torch.logsumexp(x, 1)",
        "t = x > 0\nt.logsumexp(1), torch.logsumexp(i.long(), 0, keepdim=True)",
        "x.half().logsumexp(0), torch.logsumexp(x.bfloat16(), 1)",
    ),
    "torch.Tensor.logsumexp": (
        "x.logsumexp(dim=(0, 1), keepdim=True)",
        "img[None].logsumexp((0, 1, 2, 3, 4))",
        "x.logsumexp(-1)",
        "t = x > 0\nt.logsumexp(1), torch.logsumexp(i.long(), 0, keepdim=True)",
        (
            "t = torch.tensor([[float('inf'), 1.0], [-float('inf'), -float('inf')]])\n"
            "t.logsumexp(1), t.logsumexp((0, 1)), t[0, 0].logsumexp(0), t[:0].logsumexp(0)"
        ),
        "img[None, None].logsumexp(3), a[None, None].logsumexp((0, 2, -1), True)",
        "w.logsumexp(1).sum().backward()\ng = w.grad",
        "x.half().logsumexp(0), torch.logsumexp(x.bfloat16(), 1)",
    ),
    **alike(
        "torch",
        "any all",
        "torch.{name}(x, keepdim=True), x.{name}(keepdim=False)",
        "torch.{name}(m)",
        "x.{name}(()), torch.{name}(m, dim=())",
        "t = x > 0\nt.{name}(), t.{name}(1), torch.{name}(t, dim=-1, keepdim=True)",
    ),
    **alike(
        "torch.Tensor",
        "any all",
        "torch.{name}(x, keepdim=True), x.{name}(keepdim=False)",
        "m.{name}(1)",
        "x.{name}()",
        "x.{name}(()), torch.{name}(m, dim=())",
        "m.{name}(dim=0, keepdim=True)",
        "(x > 5).{name}()",
        "t = x > 0\nt.{name}(), t.{name}(1), torch.{name}(t, dim=-1, keepdim=True)",
        "t = torch.zeros(0, 3) > 0\nt.{name}(), t.{name}(0), t.{name}(1)",
    ),
    "torch.count_nonzero": (
        "torch.count_nonzero(i)",
        "torch.count_nonzero(x, (0, 1))",
    ),
    "torch.Tensor.count_nonzero": (
        "i.count_nonzero(dim=1)",
        "m.count_nonzero(0)",
    ),
    "torch.nansum": ("torch.nansum(torch.tensor([1.0, torch.nan]))",),
    "torch.Tensor.nansum": ("x.nansum(1, keepdim=True)",),
    "torch.nanmean": (
        "torch.nanmean(torch.tensor([1.0, torch.nan]))",
        "k = {'dim': 1}\nx.nanmean(**k), torch.nanmean(x, **k)",
    ),
    "torch.Tensor.nanmean": (
        "x.nanmean(1, keepdim=True)",
        "x.nanmean(-1, dtype=torch.float64)",
        "k = {'dim': 1}\nx.nanmean(**k), torch.nanmean(x, **k)",
    ),
    "torch.norm": (
        "torch.norm(x)",
        "torch.norm(x, dim=1)",
    ),
    "torch.Tensor.norm": (
        "x.norm()",
        "x.norm(1)",
        "x.norm(p=2, dim=-1, keepdim=True)",
        "x.norm(float('inf'))",
        "x.norm(0)",
        "x.norm('nuc')",
        "a.norm(dim=(1, 2))",
        "x.norm(3, 0)",
        "w.norm().backward()\ng = w.grad",
    ),
    **alike(
        "torch",
        "quantile nanquantile",
        "torch.{name}(x, 0.3)",
        "x.sum().{name}(0.5, 0), torch.{name}(x.sum(), torch.tensor([0.1, 0.2]))",
        (
            "q = torch.tensor([0.15, 0.7], requires_grad=True)\n"
            "(torch.{name}(w, q, 1) * x[:2, :3]).sum().backward()\ng, h = w.grad, q.grad"
        ),
    ),
    **alike(
        "torch.Tensor",
        "quantile nanquantile",
        "x.{name}(torch.tensor([0.1, 0.5]), dim=1)",
        "x.{name}(0.5, 0, True, interpolation='lower')",
        "x.sum().{name}(0.5, 0), torch.{name}(x.sum(), torch.tensor([0.1, 0.2]))",
    ),
}
