"""Weights of generated modules and of files, with torch's names and layouts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax
import numpy as np
import torch
from flax import nnx
from safetensors.torch import load_file, save_file

from workbench import files
from workbench.lower.backend import LowerError
from workbench.targets.jax.emitters.loading import from_torch, to_torch, whole_width

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    Place = Callable[[torch.Tensor], str]

_SAFE = ".safetensors"
_ORBAX = ".orbax"


def places(module: Any) -> dict[str, Place]:
    """Return, by torch's name, functions that set a weight, or return why they cannot."""
    found = nnx.to_flat_state(nnx.state(module))
    own = {".".join(str(part) for part in path): leaf for path, leaf in found}
    return {name: _taking(held) for name, held in own.items() if not isinstance(held, nnx.RngState)}


def _taking(held: Any) -> Place:
    @whole_width()
    def take(value: torch.Tensor) -> str:
        wanted = held[...]
        if tuple(value.shape) != wanted.shape:
            return f"it has shape {list(value.shape)}, and the module expects {list(wanted.shape)}"
        held[...] = from_torch(value).astype(wanted.dtype)
        return ""

    return take


class SameLayers:
    """The layers of a generated program, whose weights have torch's layouts."""

    def knows(self, state: Mapping[str, torch.Tensor]) -> bool:
        """Return whether any of these weights belongs to one of the layers."""
        return bool(state)

    def to_target(self, state: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        """Return a copy of the state dict."""
        return dict(state)

    def to_torch(self, state: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        """Return a copy of the state dict."""
        return dict(state)


def save(state: Mapping[str, Any], path: Path) -> Path:
    """Write a state dict as `.safetensors` file or as orbax folder, `.orbax`.

    Raises:
        LowerError: another suffix, or a value that the format does not support.
        TorchferryError: no space, or no permission to write.
    """
    if path.suffix not in (_SAFE, _ORBAX):
        raise LowerError(f"{path}: JAX's weights are saved as {_SAFE}, or in a folder as {_ORBAX}")
    for name, value in state.items():
        if not isinstance(value, jax.Array):
            raise LowerError(
                f"{path}: {name} is not a tensor but a {type(value).__name__}; take the model's"
                " state"
                " dict out of the checkpoint"
            )
    if path.suffix == _SAFE:
        held = {name: to_torch(value).contiguous() for name, value in state.items()}
        files.fill(path, lambda place: save_file(held, place))
        return path
    import orbax.checkpoint as ocp

    with ocp.StandardCheckpointer() as checkpointer:
        checkpointer.save(path.resolve(), dict(state), force=True)
    return path


@whole_width()
def read(path: Path) -> dict[str, torch.Tensor]:
    """Return the tensors of a `.safetensors` file or of an orbax folder, by name.

    Raises:
        LowerError: it is neither, or cannot be read.
    """
    if path.suffix == _SAFE:
        try:
            return dict(load_file(path))
        except Exception as error:
            raise LowerError(f"{path}: no readable {_SAFE} file: {error}") from error
    if not path.is_dir():
        raise LowerError(f"{path}: JAX's weights are a {_SAFE} file, or a folder that orbax wrote")
    import orbax.checkpoint as ocp

    try:
        with ocp.StandardCheckpointer() as checkpointer:
            held = checkpointer.restore(path.resolve())
    except Exception as error:
        first = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise LowerError(f"{path}: orbax cannot read it: {first}") from error
    return _flat(held, "")


def _flat(held: Any, prefix: str) -> dict[str, torch.Tensor]:
    if isinstance(held, dict):
        return {
            name: tensor
            for key, item in held.items()
            for name, tensor in _flat(item, f"{prefix}{key}.").items()
        }
    return {prefix[:-1]: to_torch(jax.numpy.asarray(np.asarray(held)))}
