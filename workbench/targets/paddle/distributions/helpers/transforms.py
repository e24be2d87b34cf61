"""Transforms of random variables, and the distributions that they make."""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from typing import Any

import paddle

from workbench.targets.paddle.distributions.helpers.base import TorchDistribution
from workbench.targets.paddle.modules.helpers.class_names import torch_named


@torch_named
class TorchTransform:
    """`torch.distributions.Transform`: a function, its inverse, and how it stretches volumes."""

    bijective = False
    event_dim = 0
    # What two of a kind are compared by; None: each is like itself alone.
    compared: tuple[str, ...] | None = None

    def __init__(self, cache_size: int = 0) -> None:
        self.cache_size = cache_size

    def __eq__(self, other: object) -> bool:
        if self is other or type(self) is not type(other) or self.compared is None:
            return self is other
        pairs = [(getattr(self, name), getattr(other, name)) for name in self.compared]
        return all(
            bool((mine == theirs).all()) if isinstance(mine, paddle.Tensor) else mine == theirs
            for mine, theirs in pairs
        )

    def _call(self, x: Any) -> Any:
        raise NotImplementedError

    def _inverse(self, y: Any) -> Any:
        raise NotImplementedError

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        raise NotImplementedError

    def __call__(self, x: Any) -> Any:
        return self._call(x)

    def dims(self) -> tuple[int, int]:
        """How many dimensions an event has before and after; constraints of one's own tell."""
        domain = getattr(self, "domain", None)
        if domain is None:
            return self.event_dim, self.event_dim
        return domain.event_dim, getattr(self, "codomain", domain).event_dim

    def forward_shape(self, shape: Sequence[int]) -> Any:
        return shape

    def inverse_shape(self, shape: Sequence[int]) -> Any:
        return shape

    @property
    def inv(self) -> Any:
        return TorchInverseTransform(self)

    def with_cache(self, cache_size: int = 1) -> Any:
        return self if cache_size == self.cache_size else self.cached(cache_size)

    def cached(self, cache_size: int) -> Any:
        """A copy that is said to keep so many values."""
        one = copy.copy(self)
        one.cache_size = cache_size
        return one

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class TorchInverseTransform:
    """The inverse of a transform."""

    def __init__(self, transform: Any) -> None:
        self.inv = transform
        self.event_dim = transform.event_dim
        self.bijective = transform.bijective

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TorchInverseTransform) and self.inv == other.inv

    def __repr__(self) -> str:
        return f"_InverseTransform({self.inv!r})"

    def __call__(self, x: Any) -> Any:
        return self.inv._inverse(x)

    def dims(self) -> tuple[int, int]:
        return self.inv.dims()[::-1]

    def _call(self, x: Any) -> Any:
        return self.inv._inverse(x)

    def _inverse(self, y: Any) -> Any:
        return self.inv(y)

    @property
    def sign(self) -> Any:
        return self.inv.sign

    def forward_shape(self, shape: Sequence[int]) -> Any:
        return self.inv.inverse_shape(shape)

    def inverse_shape(self, shape: Sequence[int]) -> Any:
        return self.inv.forward_shape(shape)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return -self.inv.log_abs_det_jacobian(y, x)


@torch_named
class TorchAffineTransform(TorchTransform):
    """`torch.distributions.AffineTransform`."""

    bijective = True
    compared = ("loc", "scale")

    def __init__(self, loc: Any, scale: Any, event_dim: int = 0, cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.loc, self.scale, self.event_dim = loc, scale, event_dim

    @property
    def sign(self) -> Any:
        if isinstance(self.scale, paddle.Tensor):
            return self.scale.sign()
        return (self.scale > 0) - (self.scale < 0)

    def _call(self, x: Any) -> Any:
        return self.loc + self.scale * x

    def _inverse(self, y: Any) -> Any:
        return (y - self.loc) / self.scale

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        scale = paddle.to_tensor(self.scale, dtype=x.dtype)
        result = paddle.expand(scale.abs().log(), paddle.broadcast_shape(x.shape, scale.shape))
        return torch_sum_last(result, self.event_dim)


@torch_named
class TorchExpTransform(TorchTransform):
    """`torch.distributions.ExpTransform`."""

    bijective = True
    compared = ()

    sign = 1

    def _call(self, x: Any) -> Any:
        return x.exp()

    def _inverse(self, y: Any) -> Any:
        return y.log()

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return x


@torch_named
class TorchPowerTransform(TorchTransform):
    """`torch.distributions.PowerTransform`."""

    bijective = True
    compared = ("exponent",)

    def __init__(self, exponent: Any, cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.exponent = exponent

    @property
    def sign(self) -> Any:
        return self.exponent.sign()

    def _call(self, x: Any) -> Any:
        return x.pow(self.exponent)

    def _inverse(self, y: Any) -> Any:
        return y.pow(1 / self.exponent)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return (self.exponent * y / x).abs().log()


@torch_named
class TorchSigmoidTransform(TorchTransform):
    """`torch.distributions.SigmoidTransform`."""

    bijective = True
    compared = ()

    sign = 1

    def _call(self, x: Any) -> Any:
        info = paddle.finfo(x.dtype)
        tiny, eps = float(info.tiny), float(info.eps)
        return paddle.clip(paddle.nn.functional.sigmoid(x), tiny, 1 - eps)

    def _inverse(self, y: Any) -> Any:
        info = paddle.finfo(y.dtype)
        y = paddle.clip(y, float(info.tiny), 1 - float(info.eps))
        return y.log() - paddle.log1p(-y)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        softplus = paddle.nn.functional.softplus
        return -softplus(-x) - softplus(x)


@torch_named
class TorchTanhTransform(TorchTransform):
    """`torch.distributions.TanhTransform`."""

    bijective = True
    compared = ()

    sign = 1

    def _call(self, x: Any) -> Any:
        return x.tanh()

    def _inverse(self, y: Any) -> Any:
        return y.atanh()

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return 2 * (math.log(2) - x - paddle.nn.functional.softplus(-2 * x))


@torch_named
class TorchSoftplusTransform(TorchTransform):
    """`torch.distributions.SoftplusTransform`."""

    bijective = True
    compared = ()

    sign = 1

    def _call(self, x: Any) -> Any:
        return paddle.nn.functional.softplus(x)

    def _inverse(self, y: Any) -> Any:
        return (-y).expm1().neg().log() + y

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return -paddle.nn.functional.softplus(-x)


@torch_named
class TorchAbsTransform(TorchTransform):
    """`torch.distributions.AbsTransform`."""

    compared = ()

    bijective = False

    def _call(self, x: Any) -> Any:
        return x.abs()

    def _inverse(self, y: Any) -> Any:
        return y


@torch_named
class TorchSoftmaxTransform(TorchTransform):
    """`torch.distributions.SoftmaxTransform`."""

    compared = ()

    bijective = False
    event_dim = 1

    def _call(self, x: Any) -> Any:
        return paddle.nn.functional.softmax(x, axis=-1)

    def _inverse(self, y: Any) -> Any:
        return y.log()


@torch_named
class TorchComposeTransform(TorchTransform):
    """`torch.distributions.ComposeTransform`: one after the other."""

    compared = ("parts",)

    def __repr__(self) -> str:
        inside = ",\n    ".join(repr(part) for part in self.parts)
        return f"{type(self).__name__}(\n    {inside}\n)"

    def __init__(self, parts: Sequence[Any], cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.parts = list(parts)
        self.event_dim = self.dims()[1]
        self.bijective = all(part.bijective for part in self.parts)

    def dims(self) -> tuple[int, int]:
        each = [part.dims() for part in self.parts]
        given = gives = 0
        for first, last in reversed(each):
            given = max(given + first - last, first)
        for first, last in each:
            gives = max(gives + last - first, last)
        return max(given, 0), max(gives, 0)

    @property
    def inv(self) -> Any:
        return TorchComposeTransform([part.inv for part in reversed(self.parts)])

    @property
    def sign(self) -> Any:
        return math.prod(part.sign for part in self.parts)

    def forward_shape(self, shape: Sequence[int]) -> Any:
        for part in self.parts:
            shape = part.forward_shape(shape)
        return shape

    def inverse_shape(self, shape: Sequence[int]) -> Any:
        for part in reversed(self.parts):
            shape = part.inverse_shape(shape)
        return shape

    def _call(self, x: Any) -> Any:
        for part in self.parts:
            x = part(x)
        return x

    def _inverse(self, y: Any) -> Any:
        for part in reversed(self.parts):
            y = part._inverse(y)
        return y

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        total: Any = 0.0 if self.parts else paddle.zeros_like(x)
        events = self.dims()[0]
        for part in self.parts:
            after = part(x)
            first, last = part.dims()
            total = total + torch_sum_last(part.log_abs_det_jacobian(x, after), events - first)
            events += last - first
            x = after
        return total


def torch_sum_last(value: Any, count: int) -> Any:
    """The sum over the last dimensions."""
    return value.sum(axis=list(range(-count, 0))) if count > 0 else value


@torch_named
class TorchTransformedDistribution(TorchDistribution):
    """`torch.distributions.TransformedDistribution`."""

    def __init__(
        self, base_distribution: Any, transforms: Any, validate_args: bool | None = None
    ) -> None:
        self.base_dist = base_distribution
        self.transforms = list(transforms) if isinstance(transforms, list | tuple) else [transforms]
        self.has_rsample = base_distribution.has_rsample
        whole = TorchComposeTransform(self.transforms)
        shape = tuple(base_distribution.batch_shape) + tuple(base_distribution.event_shape)
        first, last = whole.dims()
        events = last + max(len(base_distribution.event_shape) - first, 0)
        shape = tuple(whole.forward_shape(shape))
        split = len(shape) - events
        super().__init__(shape[:split], shape[split:])

    @property
    def arg_constraints(self) -> Any:
        return {}

    def rsample(self, sample_shape: Sequence[int] = ()) -> Any:
        value = self.base_dist.rsample(sample_shape)
        for transform in self.transforms:
            value = transform(value)
        return value

    def sample(self, sample_shape: Sequence[int] = ()) -> Any:
        with paddle.no_grad():
            value = self.base_dist.sample(sample_shape)
            for transform in self.transforms:
                value = transform(value)
            return value

    def log_prob(self, value: Any) -> Any:
        total: Any = 0.0
        events = len(self.event_shape)
        for transform in reversed(self.transforms):
            before = transform._inverse(value)
            term = transform.log_abs_det_jacobian(before, value)
            first, last = transform.dims()
            events += first - last
            total = total - torch_sum_last(term, events - first)
            value = before
        rest = events - len(self.base_dist.event_shape)
        return total + torch_sum_last(self.base_dist.log_prob(value), rest)

    @property
    def sign(self) -> Any:
        """1 where the transforms as a whole rise, -1 where they fall."""
        sign: Any = 1
        for transform in self.transforms:
            if isinstance(transform, TorchAffineTransform):
                sign = sign * paddle.to_tensor(transform.scale).sign()
        return sign

    def cdf(self, value: Any) -> Any:
        for transform in reversed(self.transforms):
            value = transform._inverse(value)
        return self.sign * (self.base_dist.cdf(value) - 0.5) + 0.5

    def icdf(self, value: Any) -> Any:
        value = self.base_dist.icdf(self.sign * (value - 0.5) + 0.5)
        for transform in self.transforms:
            value = transform(value)
        return value
