"""GPUs by number and by name, and what is asked of them where there is none."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import paddle


def torch_on_gpu(function: Any, *args: Any) -> Any:
    """What a function of Paddle's answers on a GPU; 0, which torch says, where there is none."""
    return function(*args) if paddle.device.cuda.device_count() > 0 else 0


def torch_set_gpu(device: Any) -> Any:
    """`torch.cuda.set_device`, by number or by name."""
    number = device if isinstance(device, int) else str(device).rpartition(":")[2]
    return paddle.device.set_device(f"gpu:{number}" if str(number).isdigit() else "gpu")


@contextlib.contextmanager
def torch_gpu_guard(device: Any) -> Iterator[None]:
    """`torch.cuda.device`: the GPU that is current inside; below zero it stays as it is."""
    number = device if isinstance(device, int) else str(device).rpartition(":")[2]
    if device is None or (isinstance(number, int) and number < 0):
        yield
        return
    before = paddle.device.get_device()
    paddle.device.set_device(f"gpu:{number}" if str(number).isdigit() else "gpu")
    try:
        yield
    finally:
        paddle.device.set_device(before)


def torch_broadcast_to(tensor: Any, devices: Any) -> Any:
    """The tensor on each of these GPUs, by number or by name."""
    names = (f"gpu:{one}" if isinstance(one, int) else str(one) for one in devices)
    return tuple(tensor.to(name.replace("cuda", "gpu")) for name in names)
