"""Handles that registering a hook returns, and types that annotations name."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike

CASES: dict[str, tuple[str, ...]] = {
    "torch.utils.hooks.RemovableHandle": (
        (
            "def f(layer) -> torch.utils.hooks.RemovableHandle:\n"
            "    return layer.register_forward_hook(lambda m, a, out: out * 2)\n"
            "l = nn.ReLU()\nh = f(l)\nr = l(x)\nh = None"
        ),
    ),
    **alike(
        "torch.nn.common_types",
        "_size_1_t _size_2_t _size_3_t _size_4_t _size_5_t _size_6_t _size_any_t _size_2_opt_t "
        "_size_3_opt_t _size_any_opt_t _ratio_2_t _ratio_3_t _ratio_any_t",
        "def f(t, k: torch.nn.common_types.{name} = 1):\n    return t * k\nr = f(x)",
        (
            "from typing import Optional\nfrom torch.nn.common_types import {name}\n"
            "def f(t, k: Optional[{name}] = None) -> {name}:\n    return 2\nr = f(x)"
        ),
    ),
    "torch.utils.hooks.RemovableHandle.remove": (
        (
            "q = nn.Parameter(torch.ones(2))\no = torch.optim.SGD([q], lr=0.1)\nseen = []\n"
            "h = o.register_step_post_hook(lambda o, a, k: seen.append(1))\no.step()\n"
            "h.remove()\no.step()"
        ),
    ),
}
