"""Devices of torch and a target on this machine, in both frameworks' names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch

from workbench.errors import TorchferryError

if TYPE_CHECKING:
    from workbench.lower.backend import Backend
    from workbench.targets.bridge import Bridge


class DeviceError(TorchferryError):
    """A side does not have the requested device."""


@dataclass(frozen=True, slots=True)
class Place:
    """One device: torch's name of it and the target's; None for a side that lacks it."""

    torch: str | None
    target: str | None
    what: str = ""


def torch_devices() -> list[str]:
    """Return the devices that the installed torch can use, the CPU first."""
    found = ["cpu"]
    kinds: dict[str, Any] = {"cuda": torch.cuda, "xpu": torch.xpu}
    for name, module in kinds.items():
        if module.is_available():
            found += [f"{name}:{number}" for number in range(module.device_count())]
    if torch.backends.mps.is_available():
        found.append("mps")
    return found


def places(bridge: Bridge) -> list[Place]:
    """Return every device that at least one side has."""
    theirs = {device.torch_word: device for device in bridge.devices()}
    result = []
    for word in torch_devices():
        device = theirs.pop(word, None)
        if device is None:
            result.append(Place(word, None))
        else:
            result.append(Place(word, device.word, device.what))
    return result + [Place(None, device.word, device.what) for device in theirs.values()]


def apart(bridge: Bridge) -> list[str]:
    """Return why other devices are not offered: one side lacks them, or the machine does."""
    reasons = []
    for place in places(bridge):
        if place.target is None:
            reasons.append(f"{place.torch} is not offered: {bridge.name} has no such device here")
        elif place.torch is None:
            reasons.append(f"{place.target} is not offered: torch has no such device here")
    if torch.version.cuda is None and not torch.cuda.is_available():
        reasons.append("cuda is not offered: the installed torch is built without it")
    elif not torch.cuda.is_available():
        reasons.append("cuda is not offered: torch finds no device of this kind")
    return reasons


def check(bridge: Bridge | Backend, torch_word: str, target_word: str) -> None:
    """Check that both sides have the devices that they are to run on.

    Raises:
        DeviceError: one does not; the message lists its devices.
    """
    ours = torch_devices()
    if _full(torch_word) not in ours:
        raise DeviceError(f"torch has no device {torch_word!r} here; it has {', '.join(ours)}")
    theirs = bridge.devices()
    if not any(_full(target_word) in (device.torch_word, device.word) for device in theirs):
        words = ", ".join(device.torch_word for device in theirs)
        raise DeviceError(
            f"{bridge.name} has no device {target_word!r} here; it has {words} (torch's words)"
        )


def _full(word: str) -> str:
    return f"{word}:0" if word in ("cuda", "xpu", "gpu") else word
