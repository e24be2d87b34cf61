"""The devices that a cell and its conversion can both run on."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]


def devices(target: str) -> Json:
    """Return devices by torch's and the target's names; `apart` says why others are missing.

    Loads both frameworks: what they can use is known to nobody else.
    """
    from workbench.compare.devices import places
    from workbench.targets.bridge import load_bridge

    both, apart = [], []
    for place in places(load_bridge(target)):
        if place.torch is None:
            apart.append(f"{place.target}: torch has no such device here")
        elif place.target is None:
            apart.append(f"{place.torch}: {target} has no such device here")
        else:
            both.append({"torch": place.torch, "target": place.target, "what": place.what})
    return {"devices": both, "apart": apart}
