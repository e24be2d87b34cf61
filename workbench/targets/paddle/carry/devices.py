"""The devices that the installed Paddle can use."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import paddle

from workbench.targets.bridge import CarryError, Device

if TYPE_CHECKING:
    from collections.abc import Iterator

# Names that are missing in Paddle's type information.
_paddle: Any = paddle


def devices() -> list[Device]:
    """Return the CPU, then the accelerators."""
    found = [Device("cpu", "cpu")]
    if _paddle.is_compiled_with_cuda():
        found += [
            Device(f"gpu:{i}", f"cuda:{i}", paddle.device.cuda.get_device_name(i))
            for i in range(paddle.device.cuda.device_count())
        ]
    if _paddle.is_compiled_with_xpu():
        count = paddle.device.xpu.device_count()
        found += [Device(f"xpu:{i}", f"xpu:{i}") for i in range(count)]
    return found


def known(word: str) -> Device:
    """Return the device with this name in torch or Paddle.

    Raises:
        CarryError: Paddle has no such device here.
    """
    wanted = "cuda:0" if word == "cuda" else word
    for device in devices():
        if wanted in (device.torch_word, device.word):
            return device
    raise CarryError(f"Paddle has no device {word} here")


@contextmanager
def on_device(word: str) -> Iterator[None]:
    """While open, create new tensors on the device with this torch name."""
    before = paddle.device.get_device()
    paddle.device.set_device(known(word).word)
    try:
        yield
    finally:
        paddle.device.set_device(before)
