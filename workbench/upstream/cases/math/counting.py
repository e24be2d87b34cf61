"""Counts of values, bins, and distinct values."""

from __future__ import annotations

CASES: dict[str, tuple[str, ...]] = {
    "torch.bincount": (
        "torch.bincount(n)",
        "torch.bincount(n, weights=torch.tensor([0.5, 1.0, 2.0]))",
        "torch.bincount(n, minlength=6)",
        "torch.bincount(n.to(torch.uint8))",
        "torch.bincount(n, n.to(torch.uint8)), torch.bincount(n, n.short())",
    ),
    "torch.Tensor.bincount": ("n.bincount(minlength=5)",),
    "torch.histc": (
        "torch.histc(x, 5)",
        "torch.histc(x)",
    ),
    "torch.Tensor.histc": ("x.histc(bins=4, min=-1, max=1)",),
    "torch.unique": (
        "torch.unique(i)",
        "v, k = torch.unique(i, return_inverse=True)",
        "torch.unique(i, dim=0)",
        "torch.unique(i, True, True, True)",
        "torch.unique(torch.ones(3, requires_grad=True))",
        "torch.unique(i.reshape(-1, 1, 2), dim=-3)",
        ("torch.unique(torch.zeros(2, 0)), torch.unique(torch.zeros(0, 3), return_counts=True)"),
    ),
    "torch.Tensor.unique": (
        "i.unique(return_counts=True)",
        "n.unique(dim=0, return_counts=True)",
        "v, k = n.unique(dim=-1, return_inverse=True)",
    ),
    "torch.unique_consecutive": (
        "torch.unique_consecutive(torch.tensor([1, 1, 2, 1]))",
        "torch.unique_consecutive(i, True, True, dim=0)",
        "torch.unique_consecutive(i, True), torch.unique_consecutive(i, False, True)",
        (
            "torch.unique_consecutive(n, True, return_counts=True), "
            "torch.unique_consecutive(n, False)"
        ),
        ("k = True\ntorch.unique_consecutive(n, k, False, 0), torch.unique_consecutive(i, k, k)"),
        "torch.unique_consecutive(n, return_counts=True, return_inverse=True)",
        "torch.unique_consecutive(n, False, return_counts=True)",
        (
            "k, f = (n, True), torch.unique_consecutive\n"
            "torch.unique_consecutive(*k), f(n, False, True), f(input=n, return_counts=True)"
        ),
    ),
    "torch.Tensor.unique_consecutive": (
        "i.unique_consecutive(return_counts=True)",
        "i.unique_consecutive(True), i.unique_consecutive(False, True, 0)",
    ),
    "torch.histogram": (
        "torch.histogram(x, 4)",
        "torch.histogram(x, density=True)",
        "torch.histogram(x, 5, density=True)",
        "torch.histogram(torch.ones(3), 2), torch.histogram(x.detach().requires_grad_(), 2)",
    ),
    "torch.Tensor.histogram": ("h, e = x.histogram(bins=3, range=(-1.0, 1.0))",),
    "torch.histogramdd": (
        "h, e = torch.histogramdd(x, bins=[3, 2, 2, 1])",
        (
            "k = torch.tensor([-1.0, 0.0, 0.5, 2.0])\n"
            "h, e = torch.histogramdd(x[:, :2], [k, k[1:]], weight=p[:, 0], density=True)"
        ),
        "h, e = torch.histogramdd(x[:0, :2], [3, 2])",
        "torch.histogramdd(x[:, :2], [3, 2], range=[-1.0, 1.0, -2.0, 2.0], density=True)",
        "torch.histogramdd(x[:, :2], [2, 2], weight=p[:, 0])",
        "torch.histogramdd(x[:, :2], (2, 3)), torch.histogramdd(x[:, :2], 2)",
    ),
}
