"""Which function writes which ATen operator in Paddle, registered beside its family."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.targets.paddle.emitters.call import Call

Write = Callable[["Call"], str]
_NAME = re.compile(r"(?:[a-z_0-9]+::)?[a-zA-Z_0-9]+(?:\.[a-zA-Z_0-9]+)?$")

FAMILIES = (
    "activation",
    "attention",
    "binary",
    "comparison",
    "control",
    "convolution",
    "creation",
    "fourier",
    "indexing",
    "linear",
    "normalization",
    "ordering",
    "pointwise",
    "pooling",
    "quantization",
    "randomness",
    "reduction",
    "resampling",
    "scatter",
    "shape",
    "sizes",
)


@dataclass(frozen=True)
class Emitter:
    """How one operator is written.

    `native` says that it takes 16-bit floats as they are; others compute in float32 and round,
    as torch's own kernels do and as Paddle has no 16-bit kernels for on every device.
    """

    write: Write
    native: bool


_TABLE: dict[str, Emitter] = {}


def emits(*names: str, native: bool = False) -> Callable[[Write], Write]:
    """Register a function for operators by name: `conv2d` for its default overload, `add.Tensor`.

    Raises:
        ValueError: a name is malformed or already taken.
    """

    def register(write: Write) -> Write:
        for name in names:
            if not _NAME.match(name):
                raise ValueError(f"{name!r} is no operator name")
            if name in _TABLE:
                raise ValueError(f"two emitters for {name}: one of {write.__module__}")
            _TABLE[name] = Emitter(write, native)
        return write

    return register


def table() -> dict[str, Emitter]:
    """Every emitter by operator name."""
    for family in FAMILIES:
        import_module(f"{__package__}.operators.{family}")
    return _TABLE
