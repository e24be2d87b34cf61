"""Weights of live Paddle layers, with torch's names and layouts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import paddle

from workbench import files
from workbench.lower.backend import LowerError
from workbench.targets.bridge import CarryError
from workbench.targets.paddle.carry import layouts
from workbench.targets.paddle.emitters.loading import to_torch
from workbench.weights.streaming import Entry, write_safetensors

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    import torch

    Place = Callable[[torch.Tensor], str]


def places(module: Any) -> dict[str, Place]:
    """Return, by torch's name, functions that set a weight, or return why they cannot."""
    return {name: _taking(weight) for name, weight in layouts.weights(module).items()}


def save(state: Mapping[str, Any], path: Path) -> Path:
    """Write a state dict as `.pdparams`, or as `.safetensors`.

    Raises:
        LowerError: another suffix, or a tensor that Paddle cannot write.
        TorchferryError: no space, or no permission to write.
    """
    if path.suffix == ".safetensors":
        return _save_safely(state, path)
    if path.suffix != ".pdparams":
        raise LowerError(
            f"{path}: Paddle's weights are saved as .pdparams or .safetensors; give a name with one"
            " of these endings"
        )
    write: Any = paddle.save
    try:
        files.fill(path, lambda name: write(dict(state), str(name)))
    except (ValueError, MemoryError, RuntimeError) as error:
        reason = str(error).partition("\n")[0]
        raise LowerError(f"{path}: Paddle cannot write these weights: {reason}") from error
    return path


def _save_safely(state: Mapping[str, Any], path: Path) -> Path:
    for name, value in state.items():
        if not isinstance(value, paddle.Tensor):
            raise LowerError(
                f"{path}: {name} is not a tensor but a {type(value).__name__}; take the model's"
                " state dict out of the checkpoint, or write .pdparams"
            )
    views = {name: to_torch(value) for name, value in state.items()}
    entries = [Entry(name, view.dtype, tuple(view.shape)) for name, view in views.items()]
    write_safetensors(path, entries, views.__getitem__)
    return path


def _taking(weight: layouts.Weight) -> Place:
    def take(value: torch.Tensor) -> str:
        try:
            weight.write(value)
        except CarryError as error:
            return str(error)
        return ""

    return take
