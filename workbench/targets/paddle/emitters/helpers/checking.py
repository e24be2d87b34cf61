"""What generated modules check of their inputs, and of values as they run."""

# Paddle types part of itself, which strict checking would have us say again at every call.
# mypy: disable-error-code="no-untyped-call, arg-type"

from __future__ import annotations

from typing import Any

import paddle


@paddle.jit.not_to_static
def _expect(name: str, x: Any, dtype: str, sizes: list[Any]) -> None:
    """Refuse an input that the graph was not captured for."""
    held = str(x.dtype).removeprefix("paddle.")
    if held != dtype:
        raise TypeError(f"{name} is {held}, and the model was captured for {dtype}")
    if len(x.shape) != len(sizes):
        raise ValueError(f"{name} has shape {list(x.shape)}, and needs {len(sizes)} dimensions")
    for axis, (size, wanted) in enumerate(zip(x.shape, sizes, strict=True)):
        if size == -1:  # a dimension that paddle.jit leaves open
            continue
        low, high = (wanted, wanted) if isinstance(wanted, int) else wanted
        if size < low or (high is not None and size > high):
            limits = f"{low}" if low == high else f"from {low} to {'any' if high is None else high}"
            raise ValueError(f"{name}.shape[{axis}] is {size}, and the model takes {limits}")


@paddle.jit.not_to_static
def _expect_same(first: str, one: int, second: str, other: int) -> None:
    """Refuse inputs whose sizes have to be the same and are not."""
    if one != other and -1 not in (one, other):
        raise ValueError(f"{second} is {other} and {first} is {one}; the model needs them equal")


@paddle.jit.not_to_static
def _expect_relation(text: str, sizes: list[Any], holds: Any) -> None:
    """Refuse inputs whose sizes are not to each other as the graph needs them."""
    known = all(isinstance(size, int) and size != -1 for size in sizes)
    if known and not holds(*sizes):
        raise ValueError(f"the model needs that {text}; the sizes are {sizes}")


@paddle.jit.not_to_static
def _expect_true(value: Any, text: str) -> None:
    """Stop where something does not hold that the model asserts of values."""
    if not isinstance(value, bool) and not paddle.in_dynamic_mode():
        # A static program checks it when it runs, without these words.
        paddle.static.nn.control_flow.Assert(value)
    elif not bool(value):
        raise RuntimeError(text)


@paddle.jit.not_to_static
def _expect_constant(name: str, value: Any, wanted: Any) -> None:
    """Refuse another value of an argument that the graph was captured with."""
    if type(value) is not type(wanted) or value != wanted:
        raise ValueError(f"{name}={value!r}, and the model was captured with {wanted!r}")
