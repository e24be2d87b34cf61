"""Order of containers that threads fill: the target's get torch's, if both have the same items."""

from __future__ import annotations

from typing import Any

import torch

from workbench.targets.bridge import Bridge

_MOST = 200


def take_order(ours: Any, theirs: Any, bridge: Bridge) -> bool:
    """Order the target's dictionary or list as torch's; return whether that changed it.

    A container without the same items stays as it is: that is a difference.
    """
    if ours is theirs or type(ours) is not type(theirs) or len(ours) > _MOST:
        return False
    if isinstance(ours, dict):
        return _order_keys(ours, theirs)
    return _order_items(ours, theirs, bridge)


def _order_keys(ours: dict[Any, Any], theirs: dict[Any, Any]) -> bool:
    keys = list(ours)
    if list(theirs) == keys or theirs.keys() != ours.keys():
        return False
    held = dict(theirs)
    theirs.clear()
    theirs.update((key, held[key]) for key in keys)
    return True


def _order_items(ours: list[Any], theirs: list[Any], bridge: Bridge) -> bool:
    rest = list(theirs)
    ordered = []
    for item in list(ours):
        at = next((i for i, other in enumerate(rest) if _alike(item, other, bridge)), None)
        if at is None:
            return False
        ordered.append(rest.pop(at))
    if rest or all(new is old for new, old in zip(ordered, theirs, strict=True)):
        return False
    theirs[:] = ordered
    return True


def _alike(ours: Any, theirs: Any, bridge: Bridge) -> bool:
    """Return whether two items have about the same value."""
    if isinstance(ours, torch.Tensor):
        if not bridge.is_tensor(theirs):
            return False
        twin = bridge.to_torch(theirs)
        if ours.shape != twin.shape or ours.dtype != twin.dtype:
            return False
        return torch.allclose(ours.detach(), twin, rtol=1e-3, atol=1e-5, equal_nan=True)
    if isinstance(ours, list | tuple):
        return (
            isinstance(theirs, list | tuple)
            and len(ours) == len(theirs)
            and all(_alike(a, b, bridge) for a, b in zip(ours, theirs, strict=True))
        )
    return isinstance(ours, bool | int | float | str) and ours == theirs
