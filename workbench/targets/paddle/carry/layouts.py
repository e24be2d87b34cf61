"""Names and layouts of the tensors of Paddle's own layers, compared with torch's.

Helpers of converted code, the layers of `paddle.compat` and users' layers have torch's names and
layouts; this module describes the differences of Paddle's own layers. Only the class of a layer
counts, since the shape of a square matrix shows no layout.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import paddle
import torch
from paddle.nn.utils.spectral_norm_hook import SpectralNorm as _SpectralNorm
from paddle.nn.utils.weight_norm_hook import WeightNorm as _WeightNorm

from workbench.targets.bridge import CarryError
from workbench.targets.paddle.carry import tensors

Split = Callable[[torch.Tensor], Sequence[torch.Tensor]]
Join = Callable[[Sequence[torch.Tensor]], torch.Tensor]

_paddle: Any = paddle  # its own type information lacks some names
_nn: Any = paddle.nn
_compat: Any = paddle.compat.nn
_norm: Any = paddle.nn.layer.norm
_PROJECTIONS = ("q_proj", "k_proj", "v_proj")
_BIASES = tuple(f"{part}_bias" for part in _PROJECTIONS)
# Tensors of paddle.nn.utils.weight_norm and spectral_norm with a weight's layout.
_OF_NORMED = ("weight_v", "weight_orig")
# A count of batches, which matters only if momentum is None. Paddle does not have it.
UNKEPT = "num_batches_tracked"


def _same(value: torch.Tensor) -> Sequence[torch.Tensor]:
    return (value,)


def _first(values: Sequence[torch.Tensor]) -> torch.Tensor:
    return values[0]


def _turned(value: torch.Tensor) -> Sequence[torch.Tensor]:
    return (value.t().contiguous(),)


def _turned_back(values: Sequence[torch.Tensor]) -> torch.Tensor:
    return values[0].t()


@dataclass(frozen=True, slots=True)
class Kept:
    """A tensor of torch's counterpart of a layer, and its place in the layer.

    Attributes:
        name: torch's name of it, within the layer.
        keys: the layer's own names of the parts that hold it.
        split: a function from torch's value to the parts' values.
        join: a function from the parts' values to torch's.
        again: further names of the same tensor in the layer's state.
    """

    name: str
    keys: tuple[str, ...]
    split: Split = _same
    join: Join = _first
    again: tuple[str, ...] = ()


def kept(kind: type, key: str, *, apart: bool = False) -> Kept | None:
    """Return the torch equivalent of a layer's tensor, or None if torch's counterpart lacks it.

    Args:
        kind: the class of the layer.
        key: the name of one of its tensors in its own state.
        apart: whether it is an attention layer with separate projection weights.
    """
    if apart and key in _BIASES and issubclass(kind, _compat.MultiheadAttention):
        return _biases(_BIASES)
    if issubclass(kind, _nn.MultiHeadAttention):
        part = key.partition(".")[0]
        return _projected(key.rpartition(".")[2]) if part in _PROJECTIONS else Kept(key, (key,))
    if issubclass(kind, _nn.Linear) and key in ("weight", *_OF_NORMED):
        return Kept(key, (key,), _turned, _turned_back)
    if issubclass(kind, _norm._BatchNormBase):
        name = {"_mean": "running_mean", "_variance": "running_var"}.get(key, key)
        return Kept(name, (key,))
    if issubclass(kind, _norm._InstanceNormBase) and key == "scale":
        return Kept("weight", (key,))
    if issubclass(kind, _nn.LayerNorm):
        return Kept(key, (key,), _flat)
    if issubclass(kind, _nn.PReLU) and key == "_weight":
        return Kept("weight", (key,))
    if issubclass(kind, _nn.Bilinear) and key == "bias":
        return Kept(key, (key,), lambda t: (t.reshape(1, -1),), lambda ts: ts[0].reshape(-1))
    if issubclass(kind, _nn.layer.rnn.RNNBase):
        return None if "." in key or key.startswith("_") else Kept(key, (key,), again=_cell(key))
    return Kept(key, (key,))


def named(kind: type, name: str, *, apart: bool = False) -> Kept:
    """Return the place of the tensor with a torch name in a class of layers; see `kept` for
    `apart`.
    """
    if apart and name == "in_proj_bias" and issubclass(kind, _compat.MultiheadAttention):
        return _biases(_BIASES)
    if issubclass(kind, _nn.MultiHeadAttention) and name.startswith("in_proj_"):
        return _projected(name.removeprefix("in_proj_"))
    if issubclass(kind, _nn.MultiHeadAttention) and name.removesuffix("_weight") in _PROJECTIONS:
        return Kept(name, (name.replace("_weight", ".weight"),), _turned, _turned_back)
    for key in _KEYS.get(name, ()):
        found = kept(kind, key)
        if found is not None and found.name == name:
            return found
    return kept(kind, name) or Kept(name, (name,))


_KEYS = {
    "running_mean": ("_mean",),
    "running_var": ("_variance",),
    "weight": ("scale", "_weight"),
}


def uncorrected(kind: type, name: str) -> bool:
    """Return whether a layer stores this variance of the batches without the factor m/(m-1)."""
    corrects = any(one.__name__ == CORRECTING for one in kind.__mro__)
    return name == "running_var" and issubclass(kind, _norm._BatchNormBase) and not corrects


# The base of converted layers that apply the factor.
CORRECTING = "TorchUnbiased"


def all_kept(layer: Any) -> Iterator[Kept]:
    """Yield the tensors of torch's counterpart of a live layer, without those of its parts."""
    seen: set[str] = set()
    made = _made(layer)
    apart = layer._parameters.get("q_proj_weight") is not None
    for key, value in [*layer._parameters.items(), *layer._buffers.items(), *_fused(layer)]:
        found = None if value is None or key in made else kept(type(layer), key, apart=apart)
        if found is not None and found.name not in seen:
            seen.add(found.name)
            yield found


def _made(layer: Any) -> set[str]:
    """Return the tensors that a layer computes before each call, such as a normed weight."""
    hooks = layer._forward_pre_hooks.values()
    return {hook.name for hook in hooks if isinstance(hook, _WeightNorm | _SpectralNorm)}


def tensor_at(layer: Any, key: str) -> Any:
    """Return a layer's tensor by its name in the layer's own state, or None."""
    for part in key.split("."):
        layer = getattr(layer, part, None)
    return layer if isinstance(layer, paddle.Tensor) else None


def _fused(layer: Any) -> list[tuple[str, Any]]:
    """Return the projections of an attention layer, which belong to the layer itself in torch."""
    if not isinstance(layer, _nn.MultiHeadAttention):
        return []
    return [
        (f"{part}.{name}", value)
        for part in _PROJECTIONS
        for name, value in getattr(layer, part)._parameters.items()
    ]


def _projected(kind: str) -> Kept:
    keys = tuple(f"{part}.{kind}" for part in _PROJECTIONS)
    if kind == "bias":
        return _biases(keys)
    return Kept(
        "in_proj_weight",
        keys,
        lambda t: [part.t().contiguous() for part in t.chunk(3)],
        lambda ts: torch.cat([part.t() for part in ts]),
    )


def _biases(keys: tuple[str, ...]) -> Kept:
    return Kept("in_proj_bias", keys, lambda t: t.chunk(3), lambda ts: torch.cat(list(ts)))


def _flat(value: torch.Tensor) -> Sequence[torch.Tensor]:
    return (value.reshape(-1),)


def _cell(key: str) -> tuple[str, ...]:
    """Return the second names of a recurrent layer's weight, under which its cells have it."""
    found = re.fullmatch(r"(\w+?)_l(\d+)(_reverse)?", key)
    if not found:
        return ()
    name, number, reverse = found.groups()
    if reverse:
        return (f"{number}.cell_bw.{name}",)
    return (f"{number}.cell.{name}", f"{number}.cell_fw.{name}")


# Live layers --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Weight:
    """A tensor of torch's counterpart of a live layer, with the layer's tensors that hold it."""

    kept: Kept
    tensors: tuple[Any, ...]
    shape: tuple[int, ...] | None = None  # torch's, if the layer stores it flat

    def read(self) -> torch.Tensor:
        """Return the value in torch's layout, with its own memory if the layer's layout differs."""
        value = self.kept.join([tensors.to_torch(tensor) for tensor in self.tensors])
        return value if self.shape is None else value.reshape(self.shape)

    def write(self, value: torch.Tensor) -> None:
        """Set the layer's tensors to torch's value.

        Raises:
            CarryError: the value has another shape or dtype.
        """
        shape = self.shape or tuple(self.kept.join([_empty(one) for one in self.tensors]).shape)
        given, held = _dtype_name(value.dtype), _dtype_name(self.tensors[0].dtype)
        if tuple(value.shape) != shape:
            raise CarryError(f"has shape {list(value.shape)}, and the layer expects {list(shape)}")
        if given != held:
            raise CarryError(f"is {given}, and the layer expects {held}")
        for tensor, part in zip(self.tensors, self.kept.split(value.detach()), strict=True):
            tensors.write(tensor, part)


def weights(module: Any) -> dict[str, Weight]:
    """Return all tensors of a layer and of its parts, by torch's names."""
    found: dict[str, Weight] = {}
    inner: set[int] = set()
    for path, layer in module.named_sublayers(include_self=True):
        if id(layer) in inner:
            continue
        inner.update(map(id, _within(layer)))
        for one in all_kept(layer):
            held = tuple(tensor_at(layer, key) for key in one.keys)
            flat = isinstance(layer, _nn.LayerNorm) and len(layer._normalized_shape) > 1
            shape = tuple(layer._normalized_shape) if flat else None
            found[f"{path}.{one.name}" if path else one.name] = Weight(one, held, shape)
    return found


def torch_state(module: Any) -> dict[str, torch.Tensor]:
    """Return a layer's state with the names and layouts of torch's counterpart."""
    return {name: weight.read() for name, weight in weights(module).items()}


def fill(module: Any, state: Mapping[str, torch.Tensor]) -> None:
    """Copy the state of torch's counterpart to a layer and its parts.

    Raises:
        CarryError: a tensor or a place is left over; all that fits is set nevertheless.
    """
    places = weights(module)
    wrong = [f"{name} is missing" for name in places if name not in state]
    for name, value in state.items():
        place = places.get(name)
        if place is None:
            wrong += [] if name.endswith(UNKEPT) else [f"{name} is not in the layer"]
            continue
        try:
            place.write(value)
        except CarryError as error:
            wrong.append(f"{name} {error}")
    if wrong:
        raise CarryError(f"{type(module).__name__}: {'; '.join(wrong)}")


def _within(layer: Any) -> list[Any]:
    """Return the parts of a layer whose tensors belong to the layer itself in torch."""
    if isinstance(layer, _nn.MultiHeadAttention):
        return [getattr(layer, part) for part in _PROJECTIONS]
    return layer.sublayers() if isinstance(layer, _nn.layer.rnn.RNNBase) else []


def _empty(tensor: Any) -> torch.Tensor:
    return torch.empty(tuple(tensor.shape), device="meta")


def _dtype_name(dtype: Any) -> str:
    return str(dtype).rpartition(".")[2]


# Classes ------------------------------------------------------------------------------------------


def fuses(kind: type) -> bool:
    """Return whether the tensors of a class's parts belong to the class itself in torch."""
    return issubclass(kind, _nn.MultiHeadAttention | _nn.layer.rnn.RNNBase)


def is_of_part(kind: type, name: str) -> bool:
    """Return whether a dotted name is that of a tensor in a part of a fused layer."""
    first = name.partition(".")[0]
    if issubclass(kind, _nn.MultiHeadAttention):
        return first in (*_PROJECTIONS, "out_proj")
    return fuses(kind) and first.isdecimal()  # one of a cell


def ranks(kind: type) -> frozenset[int] | None:
    """Return the possible numbers of dimensions of a class's weights, or None if unknown."""
    return next((found for base, found in _RANKS.items() if issubclass(kind, base)), None)


def may_hold(kind: type, name: str, value: torch.Tensor) -> bool:
    """Return whether a class of known ranks may have such a tensor, by torch's name or its own."""
    statistics = {"running_mean", "running_var", UNKEPT, "_mean", "_variance", "scale"}
    if name in statistics:
        return issubclass(kind, _norm._BatchNormBase | _norm._InstanceNormBase)
    return not name.endswith("weight") or value.dim() in (ranks(kind) or ())


_MATRIX, _VECTOR = frozenset({2}), frozenset({1})
_RANKS: dict[type, frozenset[int]] = {
    _nn.Linear: _MATRIX,
    _paddle.compat.nn.Linear: _MATRIX,
    _nn.Embedding: _MATRIX,
    _nn.layer.conv._ConvNd: frozenset({3, 4, 5}),
    _norm._BatchNormBase: _VECTOR,
    _norm._InstanceNormBase: _VECTOR,
    _nn.LayerNorm: frozenset({1, 2, 3, 4}),
    _nn.GroupNorm: _VECTOR,
    _nn.PReLU: _VECTOR,
    _nn.Bilinear: frozenset({3}),
    _nn.layer.rnn.RNNBase: _MATRIX,
    _nn.MultiHeadAttention: _MATRIX,
    _paddle.compat.nn.MultiheadAttention: _MATRIX,
}
