"""The order of dimensions, and of the values along them: transposes, moved dimensions, flips."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike

CASES: dict[str, tuple[str, ...]] = {
    **alike("torch", "transpose swapaxes swapdims movedim moveaxis", "torch.{name}(a, 0, 2)"),
    "torch.Tensor.transpose": (
        "a.transpose(-1, -2)",
        "a.transpose(dim0=0, dim1=1)",
    ),
    **alike("torch.Tensor", "transpose_ swapaxes_ swapdims_", "t = x.clone()\nt.{name}(0, 1)"),
    "torch.Tensor.swapaxes": ("a.swapaxes(1, -1)",),
    "torch.Tensor.swapdims": ("a.swapdims(1, -1)",),
    "torch.t": ("torch.t(x)",),
    "torch.Tensor.t": (
        "x.t()",
        "n.t()",
    ),
    "torch.Tensor.t_": ("t = x.clone()\nt.t_()",),
    "torch.Tensor.T": (
        "x.T",
        "a.T",
    ),
    "torch.Tensor.mT": ("a.mT",),
    "torch.Tensor.H": ("x.H",),
    "torch.Tensor.mH": ("a.mH",),
    "torch.adjoint": ("torch.adjoint(a)",),
    "torch.Tensor.adjoint": ("a.adjoint()",),
    **alike(
        "torch.Tensor",
        "movedim moveaxis",
        "a.{name}((0, 1), (1, 2))",
        "a.{name}(-1, 0)",
        "k = [-1, 0]\na.{name}(k, (0, 1))",
    ),
    "torch.flip": (
        "torch.flip(x, [0])",
        "torch.flip(x, dims=(1,))",
        "k = [x]\ntorch.flip(*k, dims=(1,))",
        "torch.flip(i.to(torch.int8), (0,))",
    ),
    "torch.Tensor.flip": (
        ("k = {'dims': (0, 1)}\nt = x.flip(**k)\nf = torch.Tensor.flip\nf(x, 0), f(x, (0, 1))"),
        "x.flip(0)",
        "x.flip(0, 1)",
        "x.flip((1,))",
        "x.flip(dims=[0])",
        "k, l = [0, 1], [(0, 1)]\nx.flip(*k), x.flip(*l)",
        "i.to(torch.int16).flip((0,))",
    ),
    "torch.fliplr": (
        "torch.fliplr(x)",
        "torch.fliplr(i.to(torch.int8))",
    ),
    "torch.Tensor.fliplr": (
        "x.fliplr()",
        "i.to(torch.int16).fliplr()",
    ),
    "torch.flipud": (
        "torch.flipud(x)",
        "torch.flipud(i.to(torch.int8))",
    ),
    "torch.Tensor.flipud": (
        "x.flipud()",
        "i.to(torch.int16).flipud()",
    ),
}
