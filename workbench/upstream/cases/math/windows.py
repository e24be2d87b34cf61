"""torch.signal.windows."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike

CASES: dict[str, tuple[str, ...]] = {
    **alike(
        "torch.signal.windows",
        "blackman hann nuttall",
        "torch.signal.windows.{name}(8)",
        "torch.signal.windows.{name}(7, sym=False)",
        "torch.signal.windows.{name}(M=1)",
        "torch.signal.windows.{name}(0)",
        "torch.signal.windows.{name}(5, dtype=torch.float64, requires_grad=True)",
        "how = dict(sym=False)\nargs = [7]\ntorch.signal.windows.{name}(*args, **how)",
    ),
    "torch.signal.windows.hamming": (
        "torch.signal.windows.hamming(8)",
        "torch.signal.windows.hamming(6, sym=False)",
        "how = dict(sym=False)\nargs = [7]\ntorch.signal.windows.hamming(*args, **how)",
    ),
    "torch.signal.windows.general_hamming": (
        "torch.signal.windows.general_hamming(8)",
        "torch.signal.windows.general_hamming(M=6, alpha=0.5, sym=False)",
        ("how = dict(sym=False)\nargs = [7]\ntorch.signal.windows.general_hamming(*args, **how)"),
    ),
    "torch.signal.windows.general_cosine": (
        "torch.signal.windows.general_cosine(8, a=[0.46, 0.23, 0.31])",
        ("torch.signal.windows.general_cosine(M=5, a=(0.5, 0.5), sym=False, dtype=torch.float64)"),
        ("how = dict(a=[0.5, 0.5])\nargs = [7]\ntorch.signal.windows.general_cosine(*args, **how)"),
    ),
    **alike(
        "torch.signal.windows",
        "bartlett cosine",
        "torch.signal.windows.{name}(8)",
        "torch.signal.windows.{name}(7, sym=False)",
        "torch.signal.windows.{name}(1)",
        "how = dict(sym=False)\nargs = [7]\ntorch.signal.windows.{name}(*args, **how)",
    ),
    "torch.signal.windows.gaussian": (
        "torch.signal.windows.gaussian(8)",
        "torch.signal.windows.gaussian(M=7, std=0.9, sym=False)",
        "how = dict(sym=False)\nargs = [7]\ntorch.signal.windows.gaussian(*args, **how)",
    ),
    "torch.signal.windows.kaiser": (
        "torch.signal.windows.kaiser(8)",
        "torch.signal.windows.kaiser(M=7, beta=3.5, sym=False)",
        "how = dict(sym=False)\nargs = [7]\ntorch.signal.windows.kaiser(*args, **how)",
    ),
    "torch.signal.windows.exponential": (
        "torch.signal.windows.exponential(8)",
        "torch.signal.windows.exponential(10, tau=2.0)",
        "torch.signal.windows.exponential(M=7, center=2, tau=1.5, sym=False)",
        "torch.signal.windows.exponential(6, sym=False)",
        "how = dict(sym=False)\nargs = [7]\ntorch.signal.windows.exponential(*args, **how)",
    ),
}
