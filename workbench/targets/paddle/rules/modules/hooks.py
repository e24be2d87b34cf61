"""Handles that registering a hook returns."""

from __future__ import annotations

from workbench.rules.rule import RuleSet

rules = RuleSet()

rules.keep(
    "torch.utils.hooks.RemovableHandle.remove",
    cases=[
        "q = nn.Parameter(torch.ones(2))\no = torch.optim.SGD([q], lr=0.1)\nseen = []\n"
        "h = o.register_step_post_hook(lambda o, a, k: seen.append(1))\n"
        "o.step()\nh.remove()\no.step()",
    ],
)
