"""Names and layouts of the tensors of flax.nnx's own layers, compared with torch's.

Upstream: flax 0.12.8, `flax/nnx/nn/`. Parameters of a user's own modules are unchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from flax import nnx

from workbench.targets.jax.carry import arrays

_FUSED = ("query", "key", "value")
# flax's cells, with their layers for the input and for the state: the gates in torch's order.
_CELLS: dict[type, tuple[tuple[str, ...], tuple[str, ...]]] = {
    nnx.LSTMCell: (("ii", "if_", "ig", "io"), ("hi", "hf", "hg", "ho")),
    nnx.OptimizedLSTMCell: (("dense_i",), ("dense_h",)),
    nnx.GRUCell: (("dense_i",), ("dense_h",)),
    nnx.SimpleCell: (("dense_i",), ("dense_h",)),
}
_NORMS = (nnx.BatchNorm, nnx.LayerNorm, nnx.GroupNorm, nnx.InstanceNorm, nnx.RMSNorm)
_NAMES = {"scale": "weight", "mean": "running_mean", "var": "running_var"}


@dataclass(frozen=True, slots=True)
class Kept:
    """A tensor of torch's counterpart of a module, with the variables that hold it.

    Attributes:
        name: torch's name of it in the module.
        variables: the module's own variables.
        paths: their paths in the whole model's state.
        join: a function from their values, as torch tensors, to one tensor in torch's layout.
        split: the inverse.
    """

    name: str
    variables: tuple[Any, ...]
    paths: tuple[tuple[Any, ...], ...]
    join: Callable[[Sequence[torch.Tensor]], torch.Tensor]
    split: Callable[[torch.Tensor], Sequence[torch.Tensor]]

    def read(self) -> torch.Tensor:
        """Return the value in torch's layout."""
        return self.join([arrays.to_torch(one.get_value()) for one in self.variables])

    def write(self, value: torch.Tensor) -> None:
        """Set the variables, keeping their dtypes."""
        for variable, part in zip(self.variables, self.split(value.detach()), strict=True):
            dtype = variable.get_value().dtype
            variable.set_value(arrays.from_torch(part).astype(dtype))


def all_kept(module: Any) -> Iterator[tuple[str, Kept]]:
    """Yield every tensor of a module and of its parts, by torch's dotted name."""
    inner: set[int] = set()
    for path, part in sorted(nnx.iter_modules(module), key=lambda found: len(found[0])):
        if id(part) in inner:
            continue
        if isinstance(part, nnx.MultiHeadAttention):
            inner.update(id(getattr(part, name)) for name in (*_FUSED, "out"))
        inner.update(id(one) for _, layers in _products(part) for _, one in layers)
        prefix = "".join(f"{step}." for step in path)
        for kept in _of(part, path):
            yield prefix + kept.name, kept


def _of(part: Any, path: tuple[Any, ...]) -> Iterator[Kept]:
    if isinstance(part, nnx.MultiHeadAttention):
        yield from _attention(part, path)
    yield from _recurrent(part, path)
    for key, variable in vars(part).items():
        if not isinstance(variable, nnx.Variable) or isinstance(variable, nnx.RngState):
            continue
        yield _in_one_variable((variable, (*path, key)), *_layout(part, key, variable))


_Change = Callable[[torch.Tensor], torch.Tensor]


def _in_one_variable(
    held: tuple[Any, tuple[Any, ...]], name: str, join: _Change, split: _Change
) -> Kept:
    """Return a tensor that one variable of the module holds."""
    variable, path = held
    return Kept(name, (variable,), (path,), lambda v: join(v[0]), lambda v: (split(v),))


def _same(value: torch.Tensor) -> torch.Tensor:
    return value


def _transposed(value: torch.Tensor) -> torch.Tensor:
    """Return a transposed matrix, or stack of matrices."""
    return value.transpose(-1, -2)


def _layout(part: Any, key: str, variable: Any) -> tuple[str, _Change, _Change]:
    """Return torch's name of a layer's variable, and the conversions to torch's layout and back."""
    if isinstance(part, nnx.Linear) and key == "kernel":
        return "weight", _transposed, _transposed
    if isinstance(part, nnx.LinearGeneral):
        shape = variable.get_value().shape
        if key == "kernel":
            given = len(part.in_features)
            rows = torch.Size(shape[:given]).numel()
            return "weight", lambda v: v.reshape(rows, -1).t(), lambda v: v.t().reshape(shape)
        return key, torch.flatten, lambda v: v.reshape(shape)
    if isinstance(part, nnx.Conv) and key == "kernel":
        return "weight", _channels_first, lambda v: v.permute(*range(2, v.dim()), 1, 0)
    if isinstance(part, nnx.ConvTranspose) and key == "kernel":
        if part.transpose_kernel:  # kernel (..., out, in), torch has (in, out, ...)
            return "weight", _channels_first, lambda v: v.permute(*range(2, v.dim()), 1, 0)
        return "weight", _turned, _turned_back
    if isinstance(part, nnx.Embed) and key == "embedding":
        return "weight", _same, _same
    if isinstance(part, nnx.PReLU) and key == "negative_slope":
        return "weight", lambda v: v.reshape(1), lambda v: v.reshape(())
    if isinstance(part, _NORMS):
        return _NAMES.get(key, key), _same, _same
    return key, _same, _same


def _channels_first(kernel: torch.Tensor) -> torch.Tensor:
    """Return a kernel (..., a, b) as (b, a, ...)."""
    return kernel.permute(-1, -2, *range(kernel.dim() - 2))


def _turned(kernel: torch.Tensor) -> torch.Tensor:
    """Return a kernel (..., in, out), which is not flipped, as torch's (in, out, ...), which is."""
    spatial = list(range(kernel.dim() - 2))
    return kernel.flip(spatial).permute(-2, -1, *spatial)


def _turned_back(weight: torch.Tensor) -> torch.Tensor:
    spatial = list(range(weight.dim() - 2))
    return weight.permute(*range(2, weight.dim()), 0, 1).flip(spatial)


def _attention(part: Any, path: tuple[Any, ...]) -> Iterator[Kept]:
    """Yield projections (features, heads, size) and (heads, size, features), flat in torch."""
    projections = [getattr(part, name) for name in _FUSED]
    shapes = [tuple(one.kernel.get_value().shape) for one in projections]

    def joined(values: Sequence[torch.Tensor]) -> torch.Tensor:
        return torch.cat([value.flatten(1).t() for value in values])

    def apart(value: torch.Tensor) -> Sequence[torch.Tensor]:
        sizes = [torch.Size(shape[1:]).numel() for shape in shapes]
        pairs = zip(torch.split(value, sizes), shapes, strict=True)
        return [rows.t().reshape(shape) for rows, shape in pairs]

    def biases(value: torch.Tensor) -> Sequence[torch.Tensor]:
        sizes = [torch.Size(shape[1:]).numel() for shape in shapes]
        pairs = zip(torch.split(value, sizes), shapes, strict=True)
        return [rows.reshape(shape[1:]) for rows, shape in pairs]

    def paths(key: str) -> tuple[tuple[Any, ...], ...]:
        return tuple((*path, name, key) for name in _FUSED)

    kernels = tuple(one.kernel for one in projections)
    yield Kept("in_proj_weight", kernels, paths("kernel"), joined, apart)
    if projections[0].bias is not None:
        held = tuple(one.bias for one in projections)
        flat = lambda values: torch.cat([value.flatten() for value in values])  # noqa: E731
        yield Kept("in_proj_bias", held, paths("bias"), flat, biases)
    for kept in _of(part.out, (*path, "out")):
        yield replace(kept, name=f"out_proj.{kept.name}")


def _products(part: Any) -> Iterator[tuple[str, list[tuple[str, Any]]]]:
    """Yield the layers of a recurrent cell for its input, `ih`, and for its state, `hh`."""
    names = next((names for kind, names in _CELLS.items() if isinstance(part, kind)), ())
    for product, layers in zip(("ih", "hh"), names, strict=False):
        yield product, [(name, getattr(part, name)) for name in layers]


def _recurrent(part: Any, path: tuple[Any, ...]) -> Iterator[Kept]:
    """Yield a cell's matrices with concatenated gates, and its biases.

    A cell may have a single bias, `bias`, which is the sum of torch's two.
    """
    biased = []
    for product, layers in _products(part):
        kernels = tuple(one.kernel for _, one in layers)
        paths = tuple((*path, name, "kernel") for name, _ in layers)
        turned = lambda v: torch.cat([one.t() for one in v])  # noqa: E731
        yield Kept(f"weight_{product}", kernels, paths, turned, _gates(len(layers), turn=True))
        if all(one.bias is not None for _, one in layers):
            biased.append((product, layers))
    for product, layers in biased:
        name = f"bias_{product}" if len(biased) > 1 else "bias"
        biases = tuple(one.bias for _, one in layers)
        paths = tuple((*path, own, "bias") for own, _ in layers)
        yield Kept(name, biases, paths, lambda v: torch.cat(list(v)), _gates(len(layers)))


def _gates(count: int, *, turn: bool = False) -> Callable[[torch.Tensor], Sequence[torch.Tensor]]:
    """Return a function that splits a tensor into those of the gates."""
    return lambda v: [one.t() if turn else one for one in v.chunk(count)]
