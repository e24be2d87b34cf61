"""Filling and copying in place."""

from __future__ import annotations

CASES: dict[str, tuple[str, ...]] = {
    "torch.Tensor.zero_": (
        "t = x.clone()\nt.zero_()",
        "t = x.clone()\nt[0].zero_()",
        (
            "t = w * 2\nt[1:, 0].zero_()\nt[-1].add_(3)\nt[0, 2].fill_(4.0)\n"
            "t[:1].copy_(t[1:2])\nt.square().sum().backward()\ng = w.grad"
        ),
    ),
    "torch.zero_": ("t = x.clone()\ntorch.zero_(t)",),
    "torch.Tensor.fill_": (
        "t = x.clone()\nt.fill_(3)",
        "t = x.clone()\nk = (2.5,)\nt.fill_(*k)\nr = x.clone().fill_(**{'value': 4})",
        "t = x.clone()\nt[0].fill_(-1.5)",
        "t = x.clone()\nt.fill_(torch.tensor(2.0))",
        "t = m.clone()\nt.fill_(False)",
        "t = x.clone()\nt.fill_(float('nan'))",
        "t = x.clone()\nt.fill_(torch.nan)",
    ),
    "torch.fill_": ("t = x.clone()\ntorch.fill_(t, 2)",),
    "torch.fill": (
        "torch.fill(x, 2)",
        "torch.fill(w, 2.5).sum().backward()\ng = w.grad",
        (
            "t = torch.tensor(2.0, requires_grad=True)\ntorch.fill(x, t).sum().backward()\n"
            "g = t.grad"
        ),
    ),
    "torch.Tensor.copy_": (
        "t = x.clone()\nr = t.copy_(y)",
        "t = x.clone()\nt.copy_(i)",
        "t = x.clone()\nt[0].copy_(n.sum())",
        "t = x.clone()\nt.copy_(y[0], non_blocking=True)",
        "t = torch.zeros(3, 4)\nt.copy_(w)\nt.sum().backward()\ng = w.grad",
        "with torch.no_grad():\n    w.copy_(x)",
        "t = w * 2\nt.copy_(y)\nt.sum().backward()\ng = w.grad",
        "t = w.sum()\nt.exp2_()\nt.backward()\ng = w.grad",
        "t = w * 2\nt.copy_(w[0] * 3)\n(t * t).sum().backward()\ng = w.grad",
    ),
    "torch.Tensor.fill_diagonal_": (
        "t = sq.clone()\nr = t.fill_diagonal_(0)",
        (
            "t = n[:, None] == n[None]\nr = t.fill_diagonal_(0)\nk = n[:, None] * n\n"
            "k.fill_diagonal_(-1)"
        ),
        (
            "t = sq.half()\nt.fill_diagonal_(0.5)\nk = sq.to(torch.int16)\n"
            "k.fill_diagonal_(fill_value=7)"
        ),
        "t = torch.zeros(5, 2)\nt.fill_diagonal_(1.0, wrap=True)",
    ),
}
