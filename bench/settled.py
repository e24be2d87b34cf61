"""The same weights for a layer of torch and for the one that it became."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import torch


def settled(layer: Any) -> Any:
    """Return the layer itself, with weights that depend only on its names and shapes."""
    if isinstance(layer, torch.nn.Module):
        layer.load_state_dict(_state(layer.state_dict()))
        return _without_padding(layer, layer.modules())
    from workbench.targets.paddle.carry.layouts import fill, torch_state

    fill(layer, _state(torch_state(layer)))
    return _without_padding(layer, layer.sublayers(include_self=True))


def _without_padding(layer: Any, parts: Iterable[Any]) -> Any:
    """Return the layer with zeros in padding rows of embeddings, as both sides create them."""
    for part in parts:
        row = getattr(part, "padding_idx", getattr(part, "_padding_idx", None))
        if row is not None and row >= 0:
            part.weight.data[row] = 0.0
    return layer


def _state(state: dict[str, Any]) -> dict[str, Any]:
    return {
        name: torch.tensor(_drawn(name, tuple(value.shape))).to(value.dtype)
        if value.is_floating_point()
        else value
        for name, value in state.items()
    }


def _drawn(name: str, shape: tuple[int, ...]) -> Any:
    waves = np.cos(np.arange(int(np.prod(shape))) * 0.7 + len(name)).reshape(shape) * 0.5
    return np.abs(waves) + 0.1 if "var" in name else waves
