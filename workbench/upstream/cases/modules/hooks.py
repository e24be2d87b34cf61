"""Handles that registering a hook returns."""

from __future__ import annotations

CASES: dict[str, tuple[str, ...]] = {
    "torch.utils.hooks.RemovableHandle.remove": (
        (
            "q = nn.Parameter(torch.ones(2))\no = torch.optim.SGD([q], lr=0.1)\nseen = []\n"
            "h = o.register_step_post_hook(lambda o, a, k: seen.append(1))\no.step()\n"
            "h.remove()\no.step()"
        ),
    ),
}
