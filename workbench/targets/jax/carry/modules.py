"""Correspondence of a torch module's tensors with the variables of its converted counterpart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import torch
from flax import nnx

from workbench.targets.bridge import CarryError, Mismatch, Slot
from workbench.targets.jax.carry import arrays, layouts

# Counted by torch's norms, and by no layer of flax.
_COUNTED = "num_batches_tracked"
_KERNEL = "TorchKernel"  # the class of helpers with torch's layout of a linear layer


@dataclass(frozen=True, slots=True)
class Attribute:
    """An array that a module holds as a plain attribute."""

    owner: Any
    name: str


@dataclass(frozen=True, slots=True)
class Held(Slot):
    """A slot with the paths of its variables in the module, which an optimizer's state has too."""

    paths: tuple[tuple[Any, ...], ...] = ()


def is_kernel(value: object) -> bool:
    """Return whether a value is a kernel in torch's layout, as converted code makes it."""
    return type(value).__name__ == _KERNEL and hasattr(value, "kernel")


def read(value: Any) -> torch.Tensor:
    """Return an array, a variable, a kernel or an attribute as a torch tensor."""
    if isinstance(value, Attribute):
        return arrays.to_torch(getattr(value.owner, value.name))
    if is_kernel(value):
        return read(value.kernel).T.contiguous()
    return arrays.to_torch(value.get_value() if isinstance(value, nnx.Variable) else value)


def write(into: Any, value: torch.Tensor) -> None:
    """Set a variable or an attribute, which keeps its dtype.

    Raises:
        CarryError: it is an array, which cannot change.
    """
    if isinstance(into, nnx.Variable):
        into.set_value(arrays.from_torch(value).astype(into.get_value().dtype))
    elif isinstance(into, Attribute):
        setattr(into.owner, into.name, arrays.from_torch(value))
    else:
        raise CarryError("an array of JAX cannot change")


def kept_of(module: Any) -> dict[str, layouts.Kept]:
    """Return every tensor of a converted module by torch's dotted name."""
    # The layers of a sequence are its own attribute in flax.
    inner = sorted(
        (
            "".join(f"{step}." for step in path)
            for path, part in nnx.iter_modules(module)
            if isinstance(part, nnx.Sequential)
        ),
        key=len,
        reverse=True,
    )
    found = {}
    for name, kept in layouts.all_kept(module):
        for prefix in inner:
            if name.startswith(f"{prefix}layers."):
                name = prefix + name.removeprefix(f"{prefix}layers.")
        found[name] = kept
    return found


def slots(module: torch.nn.Module, twin: Any) -> Iterator[Slot | Mismatch]:
    """Yield all parameters and buffers of a module with their places in its counterpart."""
    held = kept_of(twin)
    tensors = [
        *module.named_parameters(remove_duplicate=False),
        *module.named_buffers(remove_duplicate=False),
    ]
    placed: set[int] = set()
    missing = []
    for name, tensor in tensors:
        kept = held.get(name)
        if kept is None:
            missing.append((name, tensor))
            continue
        placed.add(id(tensor))
        yield Held(name, tensor, kept.variables, kept.split, kept.join, paths=kept.paths)
    for name, tensor in missing:
        if id(tensor) in placed or name.endswith(_COUNTED):
            continue
        owner = _owner(twin, name)
        if owner is not None:
            yield Slot(name, tensor, (Attribute(owner, name.rpartition(".")[2]),))
        else:
            yield Mismatch(name, f"the converted {type(twin).__name__} has no such part")


def _owner(twin: Any, name: str) -> Any:
    """Return the part of a module that holds an array under torch's name, or None."""
    *path, last = name.split(".")
    part = twin
    for step in path:
        part = _child(part, step)
    return part if isinstance(getattr(part, last, None), jax.Array) else None


def children(module: torch.nn.Module, twin: Any) -> list[tuple[str, torch.nn.Module, Any]]:
    """Return torch's submodules with their partners; layers that became functions have none."""
    pairs = ((name, child, _child(twin, name)) for name, child in module.named_children())
    return [(name, child, part) for name, child, part in pairs if isinstance(part, nnx.Module)]


def _child(twin: Any, name: str) -> Any:
    """Return the part of a module with torch's name, or None."""
    if isinstance(twin, nnx.Sequential):
        twin = twin.layers
    held: Any = getattr(twin, name, None)
    if held is not None:
        return held
    if name.isdigit() and isinstance(twin, Sequence | nnx.List):
        return twin[int(name)] if int(name) < len(twin) else None
    if isinstance(twin, dict | nnx.Dict):
        return twin.get(name)
    return None
