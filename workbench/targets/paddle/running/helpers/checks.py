"""Checks that raise, as torch names them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import paddle


def torch_assert_async(
    input: paddle.Tensor,
    assert_msg: str = "Expected Tensor with single nonzero value, but got zero",
) -> None:
    """Raise unless a tensor's only value is something else than zero."""
    if not input.item():
        raise RuntimeError(assert_msg)


def torch_check(
    error: type[Exception], condition: Any, message: Callable[[], object] | None = None
) -> None:
    """Raise the error with the message, unless the condition holds."""
    if not condition:
        raise error(
            "Expected cond to be True, but got False." if message is None else str(message())
        )


def torch_assert(condition: Any, message: str) -> None:
    """`assert` as a function."""
    assert condition, message
