"""Creating tensors of equidistant numbers."""

from __future__ import annotations

CASES: dict[str, tuple[str, ...]] = {
    "torch.arange": (
        "torch.arange(5)",
        "torch.arange(1, 4)",
        "torch.arange(1, 2.5, 0.5)",
        "torch.arange(0, 10, 2, dtype=torch.float32)",
        "torch.arange(end=3)",
        "torch.arange(start=5, end=0, step=-2)",
        "torch.arange(4.0)",
        "t = torch.ones(2)\nr = torch.arange(4, out=t)",
        "k = 3\ntorch.arange(k, device=x.device)",
        "torch.arange(x.shape[0], dtype=torch.long)",
        "torch.arange(0, 1, 0.1)",
        "torch.arange(5, dtype=torch.uint8), torch.arange(1, 9, 3, dtype=torch.int16)",
        "k = torch.float16\ntorch.arange(0, 1, 0.25, dtype=k, requires_grad=True)",
        (
            "from functools import partial\nmake = partial(torch.arange, device=x.device)\n"
            "make(4), make(1, 6, 2), make(3, dtype=torch.float32)"
        ),
        "how = {'dtype': torch.float64, 'device': 'cpu'}\ntorch.arange(3, **how)",
        "ends = (1, 6, 2)\ntorch.arange(*ends)",
    ),
    "torch.range": (
        "torch.range(1, 4)",
        "torch.range(1, 2, 0.5), torch.range(0, 3, 0.7), torch.range(5, 1, -2)",
        "torch.range(1, 2, dtype=torch.int64), torch.range(1, 5, 2, dtype=torch.int32)",
        "torch.range(1, 5, device='cpu', requires_grad=True)",
    ),
    "torch.linspace": (
        "torch.linspace(0, 10, 4, dtype=torch.uint8)",
        "torch.linspace(0, 1, 3, dtype=torch.float16, requires_grad=True)",
        "torch.linspace(0, 1, 5)",
        ("torch.linspace(0, 1, 5, device='cpu:0'), torch.zeros(2, device='cpu:0', dtype=None)"),
        ("torch.linspace(0, 1, 5, dtype=float), torch.zeros(2, dtype=int), x.sum(dtype=float)"),
        "t = torch.ones(2)\nr = torch.linspace(0, 1, 5, out=t)",
        "torch.linspace(-1.0, 1.0, steps=4, dtype=torch.float64)",
        "torch.linspace(0, 10, 4, dtype=torch.int64)",
        "torch.linspace(start=3, end=1, steps=1)",
        "k = (0, 1, 5)\ntorch.linspace(*k), torch.linspace(*k, dtype=torch.float64)",
        "k = dict(start=0, end=9, steps=4, dtype=torch.int32)\ntorch.linspace(**k)",
        "torch.linspace(-1, 2 + 1j, 4, dtype=torch.complex64)",
    ),
    "torch.logspace": (
        "k, f = (0, 2, 5), torch.logspace\ntorch.logspace(*k), f(0, 3, 4, base=2.0)",
        "torch.logspace(0, 2, 5)",
        "torch.logspace(0, 3, 4, base=2.0, dtype=torch.float64)",
        "torch.logspace(0, 1, 3, device='cpu')",
        "torch.logspace(0, 1, 3, requires_grad=True)",
        "k = 0\ntorch.logspace(0, 2, 0), torch.logspace(0, 2, k, dtype=torch.int64)",
        "t = torch.zeros(3)\nr = torch.logspace(0, 2, 3, out=t)",
    ),
}
