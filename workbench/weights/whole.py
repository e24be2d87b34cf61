"""Conversion of a whole checkpoint: state dicts together with numbers and settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

_PLAIN = (type(None), bool, int, float, complex, str, np.ndarray, np.generic)
_PREFIXES = ("module.", "_orig_mod.")
_OPTIMIZER = {"state", "param_groups"}
_DEEPEST = 60

State = dict[str, torch.Tensor]


@dataclass
class Whole:
    """A checkpoint in conversion.

    Attributes:
        tensor: converts a tensor.
        layers: converts a state dict of the model; returns None for any other state dict.
        carried: the names of the converted tensors.
        left: what was left out, with the reason.
        told: what stays unchanged, with the consequence.
        nbytes: the bytes of all tensors.
        changed: a state dict of the model was converted.
    """

    tensor: Callable[[torch.Tensor], Any]
    layers: Callable[[State], State | None] = lambda state: None
    carried: list[str] = field(default_factory=list)
    left: dict[str, str] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)
    nbytes: int = 0
    changed: bool = False
    # Objects that occur twice are converted once.
    _done: dict[int, Any] = field(default_factory=dict)

    def written(self, held: Any, name: str = "", depth: int = 0) -> Any:
        """Return a converted part of the checkpoint; for an unknown type None, with an entry in
        `left`.
        """
        if id(held) in self._done:
            return self._done[id(held)]
        if depth > _DEEPEST:
            self.left[name] = "is nested too deeply"
        elif isinstance(held, torch.Tensor):
            return self._tensor(held, name or "tensor")
        elif isinstance(held, torch.Size):
            return list(held)
        elif isinstance(held, Mapping | list | tuple):
            inside = self._mapping if isinstance(held, Mapping) else self._series
            self._done[id(held)] = made = inside(held, name, depth)
            return made
        elif isinstance(held, _PLAIN):
            return held
        elif isinstance(held, torch.dtype | torch.device):
            return str(held).removeprefix("torch.")
        else:
            self.left[name] = f"is a {type(held).__name__}"
        return None

    def _tensor(self, value: torch.Tensor, name: str) -> Any:
        try:
            made = self.tensor(value)
        except Exception as error:
            self.left[name] = next(iter(str(error).splitlines()), type(error).__name__)
            return None
        self.carried.append(name)
        self.nbytes += value.nbytes
        return made

    def _series(self, held: Any, name: str, depth: int) -> Any:
        parts = [self.written(part, _join(name, n), depth + 1) for n, part in enumerate(held)]
        return tuple(parts) if isinstance(held, tuple) else parts

    def _mapping(self, held: Any, name: str, depth: int) -> dict[Any, Any]:
        if held.keys() >= _OPTIMIZER:
            self.notes[name or "the checkpoint"] = (
                "is an optimizer's state in torch's layout: an optimizer of the exact style"
                " continues"
                " from it, the target's own start again"
            )
        state = {k: v for k, v in held.items() if isinstance(k, str) and torch.is_tensor(v)}
        prefix = next((p for p in _PREFIXES if state and all(k.startswith(p) for k in state)), "")
        own = self.layers({key.removeprefix(prefix): value for key, value in state.items()})
        self.changed |= own is not None
        made: dict[Any, Any] = {}
        if own is not None:
            made = {key: self._tensor(value, _join(name, key)) for key, value in own.items()}
        for key, value in held.items():
            if own is None or key not in state:
                known = key.removeprefix(prefix) if key in state else key
                made[known] = self.written(value, _join(name, known), depth + 1)
        lost = {
            key for key, value in made.items() if value is None and _join(name, key) in self.left
        }
        return {key: value for key, value in made.items() if key not in lost}


def _join(name: str, key: object) -> str:
    return f"{name}.{key}" if name else str(key)
