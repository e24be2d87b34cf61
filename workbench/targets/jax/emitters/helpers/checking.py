"""What generated modules check of their inputs, and of values as they run."""

from __future__ import annotations

from typing import Any

import jax


def _expect(name: str, x: Any, dtype: str, sizes: list[Any]) -> None:
    """Refuse an input that the graph was not captured for."""
    if str(x.dtype) != dtype:
        raise TypeError(f"{name} is {x.dtype}, and the model was captured for {dtype}")
    if len(x.shape) != len(sizes):
        raise ValueError(f"{name} has shape {list(x.shape)}, and needs {len(sizes)} dimensions")
    for axis, (size, wanted) in enumerate(zip(x.shape, sizes, strict=True)):
        low, high = (wanted, wanted) if isinstance(wanted, int) else wanted
        if isinstance(size, int) and (size < low or (high is not None and size > high)):
            limits = f"{low}" if low == high else f"from {low} to {'any' if high is None else high}"
            raise ValueError(f"{name}.shape[{axis}] is {size}, and the model takes {limits}")


def _expect_same(first: str, one: int, second: str, other: int) -> None:
    """Refuse inputs whose sizes have to be the same and are not."""
    if one != other:
        raise ValueError(f"{second} is {other} and {first} is {one}; the model needs them equal")


def _expect_relation(text: str, sizes: list[Any], holds: Any) -> None:
    """Refuse inputs whose sizes are not to each other as the graph needs them."""
    if all(isinstance(size, int) for size in sizes) and not holds(*sizes):
        raise ValueError(f"the model needs that {text}; the sizes are {sizes}")


def _expect_true(value: Any, text: str) -> None:
    """Stop where something does not hold that the model asserts of values."""

    def check(holds: Any) -> None:
        if not holds:
            raise RuntimeError(text)

    if isinstance(value, jax.core.Tracer):
        jax.debug.callback(check, value)
    else:
        check(value)


def _expect_constant(name: str, value: Any, wanted: Any) -> None:
    """Refuse another value of an argument that the graph was captured with."""
    if type(value) is not type(wanted) or value != wanted:
        raise ValueError(f"{name}={value!r}, and the model was captured with {wanted!r}")
