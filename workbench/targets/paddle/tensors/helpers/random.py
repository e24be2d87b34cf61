"""Random numbers in torch's forms and dtypes."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import paddle

from workbench.targets.paddle.tensors.helpers.grad import torch_flat


def torch_drawn(generator: Any, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Draw from a generator: Paddle's functions draw from the global one, which is lent."""
    if generator is None:
        return function(*args, **kwargs)
    default = paddle.framework.core.default_cpu_generator()
    before = default.get_state()
    default.set_state(generator.get_state())
    try:
        return function(*args, **kwargs)
    finally:
        generator.set_state(default.get_state())
        default.set_state(before)


def torch_randint(
    low: int,
    high: int,
    size: Any,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> paddle.Tensor:
    """Random integers in any dtype."""
    drawn = paddle.randint(low, high, size).astype(dtype or paddle.int64)
    drawn = drawn if device is None else drawn.to(device)
    drawn.stop_gradient = not requires_grad
    return drawn


def torch_randint_between(
    *args: Any,
    low: int | None = None,
    high: int | None = None,
    size: Any = None,
    generator: Any = None,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    **_: Any,
) -> paddle.Tensor:
    """Random integers between bounds of which the lower one may be left out."""
    given = list(args)
    if size is None:
        size = given.pop()
    if high is None:
        high = given.pop()
    if low is None:
        low = given.pop() if given else 0
    return torch_drawn(generator, torch_randint, low, high, size, dtype, device, requires_grad)


def torch_randint_like(
    tensor: paddle.Tensor,
    low: int,
    high: int,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> paddle.Tensor:
    """Random integers in the shape and dtype of a tensor."""
    place = tensor.place if device is None else device
    return torch_randint(low, high, tensor.shape, dtype or tensor.dtype, None, requires_grad).to(
        place
    )


def torch_normal(
    mean: Any,
    std: Any = 1.0,
    size: Any = None,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> paddle.Tensor:
    """Normal numbers around means that may be tensors."""
    if isinstance(mean, paddle.Tensor) or isinstance(std, paddle.Tensor):
        like = mean + paddle.zeros_like(std) if isinstance(std, paddle.Tensor) else mean
        drawn = paddle.randn(like.shape, dtype=like.dtype) * std + mean
        return torch_flat(drawn.detach(), mean, std)
    drawn = paddle.randn(size, dtype=dtype, device=device) * std + mean
    drawn.stop_gradient = not requires_grad
    return drawn


def torch_bernoulli(tensor: paddle.Tensor, p: float | None = None) -> paddle.Tensor:
    """Zeros and ones, with the tensor's values, or with one value, as probability."""
    if p is None:
        return torch_flat(paddle.bernoulli(tensor.detach()), tensor)
    return torch_flat(
        paddle.bernoulli(paddle.full(tensor.shape, float(p))).astype(tensor.dtype), tensor
    )


def torch_bernoulli_(tensor: paddle.Tensor, p: Any = 0.5) -> paddle.Tensor:
    """Fill with zeros and ones, in any dtype and with one or many probabilities."""
    chances = p if isinstance(p, paddle.Tensor) else paddle.full([], float(p))
    paddle.assign(paddle.bernoulli(chances.expand(tensor.shape)).astype(tensor.dtype), tensor)
    return tensor


def torch_binomial(count: paddle.Tensor, prob: paddle.Tensor) -> paddle.Tensor:
    """How many of so many attempts succeed, in the dtype of the counts."""
    return paddle.binomial(count.astype("int64"), prob).astype(count.dtype)


def torch_geometric_(tensor: paddle.Tensor, p: float) -> paddle.Tensor:
    """Fill with the number of attempts until the first success; Paddle's own are no integers."""
    drawn = paddle.rand(tensor.shape)
    if p < 1:
        attempts = paddle.ceil(paddle.log1p(-drawn) / paddle.log1p(paddle.full([], -p)))
    else:
        attempts = paddle.ones_like(drawn)
    paddle.assign(paddle.clip(attempts, min=1).astype(tensor.dtype), tensor)
    return tensor


def torch_random_(tensor: paddle.Tensor, start: int = 0, end: int | None = None) -> paddle.Tensor:
    """Fill with random integers: below a bound, between two, or any that the dtype holds."""
    if end is None:
        limits = {"float32": 2**24, "float64": 2**53, "float16": 2**11, "bfloat16": 2**8, "bool": 2}
        kind = str(tensor.dtype).rpartition(".")[2]
        limit = limits[kind] if kind in limits else paddle.iinfo(tensor.dtype).max
        start, end = 0, start if start else limit
    if end - start < 2**31 and end < 2**31:
        drawn = paddle.randint(start, end, tensor.shape)
    else:  # Paddle's bounds have 32 bits
        high, low = (
            paddle.randint(0, 2**31 - 1, tensor.shape),
            paddle.randint(0, 2**31 - 1, tensor.shape),
        )
        drawn = (high * 2**31 + low) % (end - start) + start
    paddle.assign(drawn.astype(tensor.dtype), tensor)
    return tensor


def torch_seed() -> int:
    """Seed with a number that cannot be foreseen, and tell it."""
    return int(paddle.framework.core.default_cpu_generator().seed())


def torch_cloned_generator(generator: Any) -> Any:
    """Another generator in the same state."""
    copy = paddle.Generator()
    copy.set_state(generator.get_state())
    return copy


@contextlib.contextmanager
def torch_fork_rng(enabled: bool = True) -> Iterator[None]:
    """Random numbers drawn inside leave the random state outside as it was."""
    state = paddle.get_rng_state()
    try:
        yield
    finally:
        if enabled:
            paddle.set_rng_state(state)
