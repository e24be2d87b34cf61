"""Which kernels of attention are allowed: kept for whoever asks, without effect."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any, ClassVar

from workbench.targets.paddle.sequences.helpers.attention import TorchSDPBackend


class TorchSdpaChoice:
    """The kernels that are allowed, and which of them torch would try first."""

    listed = ("CUDNN_ATTENTION", "FLASH_ATTENTION", "EFFICIENT_ATTENTION", "MATH", "OVERRIDEABLE")
    allowed: ClassVar[list[str]] = list(listed)
    tried: ClassVar[list[str]] = [
        "FLASH_ATTENTION",
        "EFFICIENT_ATTENTION",
        "MATH",
        "CUDNN_ATTENTION",
        "OVERRIDEABLE",
    ]


@contextlib.contextmanager
def torch_sdpa_kernel(backends: Any, set_priority: bool = False) -> Iterator[None]:
    """`torch.nn.attention.sdpa_kernel`: Paddle chooses the kernel itself."""
    chosen = [backends] if isinstance(backends, TorchSDPBackend) else backends
    if not isinstance(chosen, list):
        raise AssertionError(
            "Backend must be an instance of SDPBackend or a list of SDPBackend instances,"
            f" got {type(backends).__name__}"
        )
    names = [backend.name for backend in chosen]
    before = TorchSdpaChoice.allowed, TorchSdpaChoice.tried
    TorchSdpaChoice.allowed = names
    if set_priority:
        rest = [name for name in TorchSdpaChoice.tried if name not in names]
        TorchSdpaChoice.tried = names + rest
    try:
        yield
    finally:
        TorchSdpaChoice.allowed, TorchSdpaChoice.tried = before


def torch_sdpa_backends(with_priority: bool = False) -> list[TorchSDPBackend]:
    """The kernels that are allowed here, in torch's order or in that of trying them."""
    order = TorchSdpaChoice.tried if with_priority else TorchSdpaChoice.listed
    return [TorchSDPBackend[name] for name in order if name in TorchSdpaChoice.allowed]
