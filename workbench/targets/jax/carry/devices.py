"""The devices that the installed JAX can use."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

import jax

from workbench.lower.backend import LowerError
from workbench.targets.bridge import Device

# Torch has this name for the GPUs of both vendors.
_TORCHS = {"cpu": "cpu", "gpu": "cuda", "cuda": "cuda", "rocm": "cuda"}


def devices() -> list[Device]:
    """Return the CPU, then the accelerators."""
    return [device for device, _ in _found()]


def on_device(word: str) -> AbstractContextManager[Any]:
    """While open, create new arrays on the device with this torch name.

    Raises:
        LowerError: JAX has no such device here.
    """
    wanted = "cuda:0" if word == "cuda" else word
    for device, own in _found():
        if wanted in (device.torch_word, device.word):
            return jax.default_device(own)
    raise LowerError(f"JAX has no device {word} here")


def _found() -> list[tuple[Device, jax.Device]]:
    # JAX may split a CPU into several devices; torch has one.
    found = [(Device("cpu:0", "cpu"), jax.devices("cpu")[0])]
    for one in jax.devices():
        kind = _TORCHS.get(one.platform, one.platform)
        if kind != "cpu":
            word = f"{one.platform}:{one.id}"
            found.append((Device(word, f"{kind}:{one.id}", one.device_kind), one))
    return found
