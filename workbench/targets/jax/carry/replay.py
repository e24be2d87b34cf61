"""JAX's side of the common random stream: `jax.random` hands out what torch drew.

The patches are reached where a function runs, and not where it was compiled before, so that
everything runs uncompiled meanwhile. Initialisers hold the functions themselves, and keep their own
randomness.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import jax
import torch

from workbench.streams.draws import Kind, Stream
from workbench.streams.torch_recorder import patched
from workbench.targets.jax.carry import arrays


@contextmanager
def replaying(stream: Stream) -> Iterator[None]:
    """Serve draws from the stream while open, and compile nothing."""
    with ExitStack() as stack:
        stack.enter_context(jax.disable_jit())
        for name, make in _functions(stream).items():
            stack.enter_context(patched(jax.random, name, make))
        yield


def _functions(stream: Stream) -> dict[str, Callable[[Any], Any]]:
    def bernoulli(original: Any) -> Any:
        def draw(key: Any, p: Any = 0.5, shape: Any = None, *rest: Any, **settings: Any) -> Any:
            wanted = tuple(jax.numpy.shape(p) if shape is None else shape)
            found = stream.take((Kind.MASK, Kind.BERNOULLI), wanted)
            if found is None:
                return original(key, p, shape, *rest, **settings)
            kept = found.value != 0
            rate = found.second  # of dropout: what is asked for may be what is dropped
            if found.kind is Kind.MASK and _near(p, rate) and not _near(p, 1 - rate):
                kept = ~kept
            return arrays.from_torch(kept)

        return draw

    def normal(original: Any) -> Any:
        def draw(key: Any, shape: Any = (), dtype: Any = None, **settings: Any) -> Any:
            found = stream.take((Kind.NORMAL,), tuple(shape))
            if found is None:
                return original(key, shape, dtype, **settings)
            return _cast((found.value - found.first) / found.second, dtype)

        return draw

    def uniform(original: Any) -> Any:
        def draw(
            key: Any,
            shape: Any = (),
            dtype: Any = None,
            minval: Any = 0.0,
            maxval: Any = 1.0,
            **settings: Any,
        ) -> Any:
            found = stream.take((Kind.UNIFORM,), tuple(shape))
            if found is None:
                return original(key, shape, dtype, minval, maxval, **settings)
            unit = (found.value - found.first) / (found.second - found.first)
            return _cast(unit * (float(maxval) - float(minval)) + float(minval), dtype)

        return draw

    return {"bernoulli": bernoulli, "normal": normal, "uniform": uniform}


def _near(p: Any, rate: float) -> bool:
    return jax.numpy.ndim(p) == 0 and abs(float(p) - rate) < 1e-6


def _cast(value: torch.Tensor, dtype: Any) -> Any:
    return arrays.from_torch(value).astype(jax.dtypes.canonicalize_dtype(dtype or float))
