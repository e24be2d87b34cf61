"""Distributions of which samples and their probabilities are asked, and nothing else."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import paddle


class TorchPlainCategorical:
    """`torch.distributions.Categorical`; of Paddle's own a batch's values are not its rows'."""

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: Any = None) -> None:
        if logits is None:
            self.probs = probs / probs.sum(-1, keepdim=True)
            tiny = float(paddle.finfo(probs.dtype).eps)
            self.logits = self.probs.clip(tiny, 1 - tiny).log()
        else:
            self.probs = paddle.nn.functional.softmax(logits, -1)
            self.logits = logits - logits.logsumexp(-1, keepdim=True)

    @paddle.no_grad()
    def sample(self, sample_shape: Sequence[int] = ()) -> Any:
        rows = self.probs.reshape([-1, self.probs.shape[-1]])
        drawn = paddle.multinomial(rows, math.prod(sample_shape), replacement=True)
        return drawn.T.reshape([*sample_shape, *self.probs.shape[:-1]])

    def log_prob(self, value: Any) -> Any:
        shape = paddle.broadcast_shape(value.shape, self.logits.shape[:-1])
        logits = self.logits.expand([*shape, self.logits.shape[-1]])
        places = value.astype("int64").expand(shape).unsqueeze(-1)
        return paddle.take_along_axis(logits, places, axis=-1, broadcast=False).squeeze(-1)

    def entropy(self) -> Any:
        lowest = float(paddle.finfo(self.logits.dtype).min)
        return -(self.logits.clip(min=lowest) * self.probs).sum(-1)


class TorchPlainNormal:
    """`torch.distributions.Normal`; samples of Paddle's own would hand gradients on."""

    def __init__(self, loc: Any, scale: Any, validate_args: Any = None) -> None:
        loc, scale = (
            one if isinstance(one, paddle.Tensor) else paddle.to_tensor(one, dtype="float32")
            for one in (loc, scale)
        )
        shape = paddle.broadcast_shape(loc.shape, scale.shape)
        self.loc, self.scale = loc.expand(shape), scale.expand(shape)
        self.mean, self.stddev, self.variance = self.loc, self.scale, self.scale**2

    def rsample(self, sample_shape: Sequence[int] = ()) -> Any:
        noise = paddle.randn([*sample_shape, *self.loc.shape], dtype=self.loc.dtype)
        return self.loc + noise * self.scale

    @paddle.no_grad()
    def sample(self, sample_shape: Sequence[int] = ()) -> Any:
        return self.rsample(sample_shape)

    def log_prob(self, value: Any) -> Any:
        squares = (value - self.loc) ** 2 / (2 * self.variance)
        return -squares - self.scale.log() - math.log(math.sqrt(2 * math.pi))

    def entropy(self) -> Any:
        return 0.5 + 0.5 * math.log(2 * math.pi) + self.scale.log()
