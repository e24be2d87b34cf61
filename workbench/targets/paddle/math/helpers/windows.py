"""The windows of torch.signal.windows."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import paddle


def torch_signal_window(
    shape: Callable[[paddle.Tensor, int], paddle.Tensor],
    count: int,
    sym: bool = True,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> paddle.Tensor:
    """A window of `count` samples: `shape` of their numbers and of the last number of a period.

    A symmetric window ends where its period ends, a periodic one a sample before.
    """
    if count < 0:
        raise ValueError(f"requires a non-negative window length, got M={count}")
    dtype = paddle.get_default_dtype() if dtype is None else dtype
    if str(dtype).rpartition(".")[2] not in ("float32", "float64"):
        raise ValueError(f"expects float32 or float64 dtypes, got {dtype}")
    steps = paddle.arange(count, dtype="float64")
    window = shape(steps, count - 1 if sym else count) if count > 1 else paddle.ones_like(steps)
    window = window.astype(dtype)
    if device is not None:
        window = window.to(device)
    window.stop_gradient = not requires_grad
    return window


def torch_bartlett_shape() -> Callable[[paddle.Tensor, int], paddle.Tensor]:
    """The Bartlett window as a function of sample index and period."""
    return lambda steps, period: 1 - (2 * steps / period - 1).abs()


def torch_cosine_shape() -> Callable[[paddle.Tensor, int], paddle.Tensor]:
    """Half a wave of the sine, the samples in the middle of their steps."""
    return lambda steps, period: paddle.sin((steps + 0.5) * (math.pi / (period + 1)))


def torch_exponential_shape(
    center: float | None = None, tau: float = 1.0, sym: bool = True
) -> Callable[[paddle.Tensor, int], paddle.Tensor]:
    """Exponential decay on both sides of a center."""
    if tau <= 0:
        raise ValueError(f"Tau must be positive, got: {tau} instead.")
    if sym and center is not None:
        raise ValueError("Center must be None for symmetric windows")
    return lambda steps, period: paddle.exp(
        -(steps - (period / 2 if center is None else center)).abs() / tau
    )


def torch_gaussian_shape(std: float = 1.0) -> Callable[[paddle.Tensor, int], paddle.Tensor]:
    """A bell curve around the middle of the period."""
    if std <= 0:
        raise ValueError(f"Standard deviation must be positive, got: {std} instead.")
    return lambda steps, period: paddle.exp(-(((steps - period / 2) / std) ** 2) / 2)


def torch_general_cosine_shape(a: Sequence[float]) -> Callable[[paddle.Tensor, int], paddle.Tensor]:
    """Waves of the cosine with weights of alternating sign."""
    if not isinstance(a, (list, tuple)):
        raise TypeError("Coefficients must be a list/tuple")
    if not a:
        raise ValueError("Coefficients cannot be empty")

    def shape(steps: paddle.Tensor, period: int) -> paddle.Tensor:
        angle = steps * (2 * math.pi / period)
        waves = [(-1) ** k * each * paddle.cos(k * angle) for k, each in enumerate(a)]
        return paddle.add_n(waves)

    return shape


def torch_kaiser_shape(beta: float = 12.0) -> Callable[[paddle.Tensor, int], paddle.Tensor]:
    """A Bessel function over an ellipse."""
    if beta < 0:
        raise ValueError(f"beta must be non-negative, got: {beta} instead.")

    def shape(steps: paddle.Tensor, period: int) -> paddle.Tensor:
        inside = paddle.clip(1 - (2 * steps / period - 1) ** 2, min=0)
        return paddle.i0(beta * paddle.sqrt(inside)) / paddle.i0(paddle.to_tensor(beta, "float64"))

    return shape
