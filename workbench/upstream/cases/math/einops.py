"""Reductions of einops, whose maxima and minima have wrong gradients in Paddle."""

from __future__ import annotations

CASES: dict[str, tuple[str, ...]] = {
    "einops.reduce": (
        (
            "from einops import reduce\nt = torch.randn(2, 4, 4, 2, 3, requires_grad=True)\n"
            "r = reduce(t, 'b (h p) (w q) c d -> b h w c d', 'max', p=2, q=2)\n"
            "r.square().sum().backward()\ng = t.grad"
        ),
        (
            "from einops import reduce\nt = torch.randn(2, 4, 4, 2, 3, requires_grad=True)\n"
            "r = reduce(t, 'b (h p) (w q) c d -> b h w c d', reduction='min', p=2, q=2)\n"
            "r.square().sum().backward()\ng = t.grad"
        ),
        (
            "from einops import reduce\nt = torch.randn(2, 4, 4, 2, 3, requires_grad=True)\n"
            "r = reduce(t, 'b (h p) (w q) c d -> b h w c d', 'mean', p=2, q=2)\n"
            "r.square().sum().backward()\ng = t.grad"
        ),
        (
            "from einops import reduce\nt = torch.randn(2, 4, 4, 2, 3, requires_grad=True)\n"
            "r = reduce(t, 'b (h p) (w q) c d -> b h w c d', torch.amax, p=2, q=2)\n"
            "r.square().sum().backward()\ng = t.grad"
        ),
    ),
    "einops.layers.torch.Reduce": (
        (
            "from einops.layers.torch import Reduce\n"
            "t = torch.randn(2, 4, 4, 2, 3, requires_grad=True)\n"
            "r = Reduce('b (h p) (w q) c d -> b h w c d', 'max', p=2, q=2)(t)\n"
            "r.square().sum().backward()\ng = t.grad"
        ),
        (
            "from einops.layers.torch import Reduce\n"
            "t = torch.randn(2, 4, 4, 2, 3, requires_grad=True)\n"
            "r = Reduce('b (h p) (w q) c d -> b h w c d', reduction='min', p=2, q=2)(t)\n"
            "r.square().sum().backward()\ng = t.grad"
        ),
        (
            "from einops.layers.torch import Reduce\n"
            "t = torch.randn(2, 4, 4, 2, 3, requires_grad=True)\n"
            "r = Reduce('b (h p) (w q) c d -> b h w c d', 'sum', p=2, q=2)(t)\n"
            "r.square().sum().backward()\ng = t.grad"
        ),
    ),
}
