"""Recording gradients or not: context managers, decorators, switches."""

from __future__ import annotations

from workbench.rules.rule import RuleSet

rules = RuleSet()

_CASES = [
    "with torch.no_grad():\n    t = w * 2",
    "@torch.no_grad()\ndef f(v):\n    return v * 2\nt = f(w)",
    "@torch.no_grad\ndef f(v):\n    return v * 2\nt = f(w)",
    "with torch.no_grad():\n    with torch.enable_grad():\n        t = w * 2",
]
rules.row("torch.no_grad", "paddle.no_grad()", value="torch_no_grad", cases=_CASES[:3])
rules.row(
    "torch.enable_grad",
    "paddle.enable_grad()",
    value="torch_enable_grad",
    cases=[
        _CASES[3],
        "with torch.no_grad():\n    @torch.enable_grad()\n    def f(v):\n"
        "        return v * 2\n    t = f(w)",
    ],
)
rules.row(
    "torch.inference_mode",
    "paddle.no_grad()",
    "torch_inference_mode({mode})",
    value="torch_no_grad",
    note="Paddle has no inference mode of its own: gradients are not recorded",
    cases=[
        "with torch.inference_mode():\n    t = (w * 2).requires_grad",
        "@torch.inference_mode()\ndef f(v):\n    return (v * 2).requires_grad\nt = f(w)",
        "with torch.inference_mode(False):\n    t = (w * 2).requires_grad",
    ],
)
rules.row(
    "torch.set_grad_enabled",
    "paddle.set_grad_enabled({mode})",
    cases=[
        "with torch.set_grad_enabled(False):\n    t = w * 2",
        "k = 1 > 0\nwith torch.set_grad_enabled(mode=k):\n    t = w * 2",
        "torch.set_grad_enabled(False)\nt = w * 2\ntorch.set_grad_enabled(True)\nv = w * 2",
    ],
)
rules.row(
    "torch.is_grad_enabled",
    "paddle.is_grad_enabled()",
    cases=["torch.is_grad_enabled()", "with torch.no_grad():\n    t = torch.is_grad_enabled()"],
)
rules.row(
    "torch.is_inference_mode_enabled",
    "not paddle.is_grad_enabled()",
    note="Paddle has no inference mode of its own: this asks whether gradients are off",
    cases=["torch.is_inference_mode_enabled()"],
)
