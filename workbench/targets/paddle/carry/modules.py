"""Correspondence of a torch module's tensors with those of its Paddle counterpart."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any

import paddle
import torch

from workbench.targets.bridge import CarryError, Mismatch, Slot
from workbench.targets.paddle.carry import layouts, tensors


def slots(module: torch.nn.Module, twin: Any, prefix: str = "") -> Iterable[Slot | Mismatch]:
    """Yield all parameters and buffers of a module and its children, with torch's dotted names."""
    yield from _own(module, twin, prefix)
    for name, child, partner in children(module, twin):
        if partner is not None:
            yield from slots(child, partner, f"{prefix}{name}.")
        elif _holds_tensors(child):
            yield Mismatch(prefix + name, f"Paddle's {type(twin).__name__} has no such part")


def state_slots(
    module: torch.nn.Module, twin: Any, state: Mapping[str, Any], names: Collection[str]
) -> list[Slot]:
    """Return the slots of a module's tensors in a state dict of the twin, or [] if it lacks one.

    `names` are the names in torch of the tensors that the dict should have.
    """
    keys = {id(tensor): key for key, tensor in twin.state_dict().items()}
    found = []
    for slot in slots(module, twin):
        if isinstance(slot, Mismatch):
            return []
        if slot.name not in names or any(id(place) not in keys for place in slot.places):
            continue  # such as a buffer that is not saved
        places = tuple(state.get(keys[id(place)]) for place in slot.places)
        if not all(isinstance(place, paddle.Tensor) for place in places):
            return []
        found.append(replace(slot, places=places))
    return found


def state_of(
    module: torch.nn.Module, twin: Any, state: Mapping[str, torch.Tensor]
) -> dict[str, Any]:
    """Return a torch module's state, or a copy of one, as a state dict of the twin.

    Tensors that share memory with the module become the twin's own tensors.

    Raises:
        CarryError: the twin has no place for a part of it.
    """
    made: dict[int, Any] = {}
    for slot in slots(module, twin):
        if isinstance(slot, Mismatch):
            raise CarryError(f"{slot.name}: {slot.reason}")
        given = state.get(slot.name)
        if given is None:
            continue
        if given.data_ptr() == slot.source.data_ptr():
            made.update((id(place), place) for place in slot.places)
        else:
            parts = zip(slot.places, slot.split(given.detach()), strict=True)
            made.update((id(place), tensors.to_paddle(part)) for place, part in parts)
    return {key: made[id(own)] for key, own in twin.state_dict().items() if id(own) in made}


def children(
    module: torch.nn.Module, twin: Any
) -> Iterable[tuple[str, torch.nn.Module, Any | None]]:
    """Yield torch's submodules with their partners, or None if the twin has none of that name."""
    theirs = dict(twin.named_children()) if isinstance(twin, paddle.nn.Layer) else {}
    for name, child in module.named_children():
        yield name, child, theirs.get(name)


def bare(kind: type) -> Any:
    """Return a layer without a call of its class's own `__init__`."""
    layer: Any = kind.__new__(kind)  # type: ignore[call-overload]
    paddle.nn.Layer.__init__(layer)
    return layer


def hook_count(layer: Any) -> int:
    """Return the number of a layer's hooks, including converted backward hooks.

    Converted backward hooks share two forward hooks.
    """
    count = len(layer._forward_pre_hooks) + len(layer._forward_post_hooks)
    behind = vars(layer).get("_torch_backward_hooks")
    return count if behind is None else count - 2 + len(behind.hooks) + len(behind.pre_hooks)


def add_part(layer: Any, name: str, part: Any, *, persistent: bool | None) -> None:
    """Set a parameter, child or buffer of a bare layer."""
    if persistent is not None:
        layer.register_buffer(name, part, persistable=persistent)
    elif isinstance(part, paddle.nn.Layer):
        layer.add_sublayer(name, part)
    elif part is not None:
        layer.add_parameter(name, part)
    else:
        setattr(layer, name, None)


def _own(module: torch.nn.Module, twin: Any, prefix: str) -> Iterable[Slot | Mismatch]:
    ours = {
        name: tensor
        for name, tensor in [*module.named_parameters(recurse=False), *_buffers(module)]
        if name != layouts.UNKEPT or getattr(twin, name, None) is not None
    }
    found: set[int] = set()
    for name, tensor in ours.items():
        places, split, join = _place(twin, name, tensor)
        if any(place is None for place in places):
            yield Mismatch(prefix + name, f"Paddle's {type(twin).__name__} has no such tensor")
            continue
        found.update(map(id, places))
        uncorrected = layouts.uncorrected(type(twin), name)
        yield Slot(prefix + name, tensor, places, split, join, uncorrected)
    yield from _only_theirs(module, twin, found, prefix)


def _only_theirs(
    module: torch.nn.Module, twin: Any, found: set[int], prefix: str
) -> Iterable[Mismatch]:
    # Children of a fused module (the projections of attention) are its own tensors in torch.
    partners = {id(partner) for _, _, partner in children(module, twin)}
    layers = [twin, *(c for c in twin.children() if id(c) not in partners)]
    for layer in layers:
        for name, tensor in layer.named_parameters(include_sublayers=layer is not twin):
            if id(tensor) not in found:
                found.add(id(tensor))
                yield Mismatch(prefix + name, f"torch's {type(module).__name__} has no such tensor")


def _place(
    twin: Any, name: str, tensor: torch.Tensor
) -> tuple[tuple[Any, ...], layouts.Split, layouts.Join]:
    kept = layouts.named(type(twin), name)
    places = tuple(layouts.tensor_at(twin, key) for key in kept.keys)
    if isinstance(twin, paddle.nn.LayerNorm) and tensor.dim() > 1:
        return places, kept.split, lambda parts: parts[0].reshape(tensor.shape)
    return places, kept.split, kept.join


def _buffers(module: torch.nn.Module) -> list[tuple[str, torch.Tensor]]:
    return list(module.named_buffers(recurse=False))


def _holds_tensors(module: torch.nn.Module) -> bool:
    return any(True for _ in module.parameters()) or any(True for _ in module.buffers())
