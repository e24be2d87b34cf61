"""The devices that a cell and its conversion can both run on."""

from __future__ import annotations

from typing import Any

from workbench.targets import by_graph

Json = dict[str, Any]


def devices(target: str) -> Json:
    """Devices by torch's word and the target's; `apart` says why others are not offered.

    Loads both frameworks: what they can use is known to nobody else.
    """
    from workbench.targets.bridge import load_bridge

    if by_graph(target):
        return {"devices": [], "apart": [f"{target} takes models by their graph, and runs no cell"]}
    ours = torch_devices()
    theirs = {device.torch_word: device for device in load_bridge(target).devices()}
    both = [
        {"torch": word, "target": theirs[word].word, "what": theirs[word].what or what}
        for word, what in ours.items()
        if word in theirs
    ]
    apart = [f"{word}: {target} has no such device here" for word in ours if word not in theirs]
    apart += [
        f"{device.word}: torch has no such device here"
        for word, device in theirs.items()
        if word not in ours
    ]
    return {"devices": both, "apart": apart}


def torch_devices() -> dict[str, str]:
    """The devices that the installed torch can use, by its own word, with their names."""
    import torch

    found = {"cpu": ""}
    if torch.cuda.is_available():
        for index in range(torch.cuda.device_count()):
            found[f"cuda:{index}"] = torch.cuda.get_device_name(index)
    if torch.xpu.is_available():
        for index in range(torch.xpu.device_count()):
            found[f"xpu:{index}"] = torch.xpu.get_device_name(index)
    if torch.backends.mps.is_available():
        found["mps"] = ""
    return found
