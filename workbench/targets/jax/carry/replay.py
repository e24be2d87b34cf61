"""JAX's side of the common random stream, in which `jax.random` returns torch's draws.

The patches take effect when a function runs, not in one that was compiled before. So everything
runs uncompiled while they are active. Initialisers hold the original functions and keep their own
randomness.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import jax
import torch
from flax import nnx

from workbench.streams.draws import Kind, Stream, as_ones
from workbench.streams.torch_recorder import patched
from workbench.targets.jax.carry import arrays
from workbench.words import words

REPLACED = words("bernoulli categorical exponential gumbel normal permutation randint uniform")


@contextmanager
def replaying(stream: Stream) -> Iterator[None]:
    """While open, serve draws from the stream and compile nothing."""
    with ExitStack() as stack:
        stack.enter_context(jax.disable_jit())
        draws = _Draws(stream)
        for name in REPLACED:
            stack.enter_context(patched(jax.random, name, getattr(draws, name)))
        stack.enter_context(patched(nnx.Dropout, "__call__", draws.dropout))
        yield


class _Draws:
    """Replacements of the functions of `jax.random`, by their names."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._onto: torch.Tensor | None = None

    def dropout(self, original: Any) -> Any:
        """Return a layer's dropout, whose mask is found by its input."""

        def call(layer: Any, inputs: Any, *args: Any, **settings: Any) -> Any:
            self._onto = arrays.to_torch(inputs)
            try:
                return original(layer, inputs, *args, **settings)
            finally:
                self._onto = None

        return call

    def bernoulli(self, original: Any) -> Any:
        def draw(key: Any, p: Any = 0.5, shape: Any = None, *rest: Any, **settings: Any) -> Any:
            wanted = tuple(jax.numpy.shape(p) if shape is None else shape)
            onto = self._onto if self._onto is not None and self._onto.shape == wanted else None
            found = self._stream.take((Kind.MASK, Kind.BERNOULLI, Kind.UNIFORM), wanted, onto)
            if found is None:
                return original(key, p, shape, *rest, **settings)
            if found.kind is Kind.UNIFORM:
                rates = arrays.to_torch(jax.numpy.broadcast_to(p, wanted)).to(found.value.dtype)
                return arrays.from_torch(as_ones(found, rates) != 0)
            kept = found.value != 0
            rate = found.second  # for dropout, the argument may be the probability to drop
            if found.kind is Kind.MASK and _near(p, rate) and not _near(p, 1 - rate):
                kept = ~kept
            return arrays.from_torch(kept)

        return draw

    def normal(self, original: Any) -> Any:
        def draw(key: Any, shape: Any = (), dtype: Any = None, **settings: Any) -> Any:
            found = self._stream.take((Kind.NORMAL,), tuple(shape))
            if found is None:
                return original(key, shape, dtype, **settings)
            return _cast((found.value - found.first) / found.second, dtype)

        return draw

    def uniform(self, original: Any) -> Any:
        def draw(
            key: Any,
            shape: Any = (),
            dtype: Any = None,
            minval: Any = 0.0,
            maxval: Any = 1.0,
            **settings: Any,
        ) -> Any:
            kinds = (Kind.UNIFORM, Kind.MASK, Kind.BERNOULLI)
            found = self._stream.take(kinds, tuple(shape))
            if found is None:
                return original(key, shape, dtype, minval, maxval, **settings)
            if found.kind is not Kind.UNIFORM:
                return _cast(self._stream.as_uniform(found), dtype)
            unit = (found.value - found.first) / (found.second - found.first)
            return _cast(unit * (float(maxval) - float(minval)) + float(minval), dtype)

        return draw

    def exponential(self, original: Any) -> Any:
        def draw(key: Any, shape: Any = (), dtype: Any = None, **settings: Any) -> Any:
            found = self._stream.take((Kind.EXPONENTIAL,), tuple(shape))
            if found is None:
                return original(key, shape, dtype, **settings)
            return _cast(found.value / found.second, dtype)

        return draw

    def gumbel(self, original: Any) -> Any:
        def draw(key: Any, shape: Any = (), dtype: Any = None, *rest: Any, **settings: Any) -> Any:
            # torch has no such draw, and computes it from these.
            found = self._stream.take((Kind.EXPONENTIAL,), tuple(shape))
            if found is None:
                return original(key, shape, dtype, *rest, **settings)
            return _cast(-(found.value / found.second).log(), dtype)

        return draw

    def randint(self, original: Any) -> Any:
        def draw(
            key: Any, shape: Any, minval: Any, maxval: Any, dtype: Any = int, **settings: Any
        ) -> Any:
            found = self._stream.take((Kind.INTEGERS,), tuple(shape))
            if found is None:
                return original(key, shape, minval, maxval, dtype, **settings)
            return _cast(found.value, dtype)

        return draw

    def permutation(self, original: Any) -> Any:
        def draw(key: Any, x: Any, axis: int = 0, *rest: Any, **settings: Any) -> Any:
            of_many = jax.numpy.ndim(x) > 0
            found = self._stream.take((Kind.PERMUTATION,), (x.shape[axis] if of_many else int(x),))
            if found is None:
                return original(key, x, axis, *rest, **settings)
            order = arrays.from_torch(found.value)
            return jax.numpy.take(x, order, axis) if of_many else order

        return draw

    def categorical(self, original: Any) -> Any:
        def draw(key: Any, logits: Any, axis: int = -1, shape: Any = None, **settings: Any) -> Any:
            batch = [size for at, size in enumerate(logits.shape) if at != axis % logits.ndim]
            before = [] if shape is None else list(shape)[: len(shape) - len(batch)]
            # torch stores the choices of a row contiguously.
            found = self._stream.take((Kind.CHOICE,), (*batch, *before))
            if found is None:
                return original(key, logits, axis, shape, **settings)
            behind = tuple(range(len(batch), len(batch) + len(before)))
            return arrays.from_torch(found.value.movedim(behind, tuple(range(len(before)))))

        return draw


def _near(p: Any, rate: float) -> bool:
    return jax.numpy.ndim(p) == 0 and abs(float(p) - rate) < 1e-6


def _cast(value: torch.Tensor, dtype: Any) -> Any:
    return arrays.from_torch(value).astype(jax.dtypes.canonicalize_dtype(dtype or float))
