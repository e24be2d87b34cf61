"""Gradient recording: context managers, decorators, switches."""

from __future__ import annotations

CASES: dict[str, tuple[str, ...]] = {
    "torch.no_grad": (
        "with torch.no_grad():\n    t = w * 2",
        "@torch.no_grad()\ndef f(v):\n    return v * 2\nt = f(w)",
        "@torch.no_grad\ndef f(v):\n    return v * 2\nt = f(w)",
    ),
    "torch.enable_grad": (
        "with torch.no_grad():\n    with torch.enable_grad():\n        t = w * 2",
        (
            "with torch.no_grad():\n    @torch.enable_grad()\n    def f(v):\n"
            "        return v * 2\n    t = f(w)"
        ),
    ),
    "torch.inference_mode": (
        "with torch.inference_mode():\n    t = (w * 2).requires_grad",
        "@torch.inference_mode()\ndef f(v):\n    return (v * 2).requires_grad\nt = f(w)",
        "with torch.inference_mode(False):\n    t = (w * 2).requires_grad",
    ),
    "torch.set_grad_enabled": (
        "with torch.set_grad_enabled(False):\n    t = w * 2",
        "k = 1 > 0\nwith torch.set_grad_enabled(mode=k):\n    t = w * 2",
        "torch.set_grad_enabled(False)\nt = w * 2\ntorch.set_grad_enabled(True)\nv = w * 2",
    ),
    "torch.is_grad_enabled": (
        "torch.is_grad_enabled()",
        "with torch.no_grad():\n    t = torch.is_grad_enabled()",
    ),
    "torch.is_inference_mode_enabled": ("torch.is_inference_mode_enabled()",),
}
