"""Paddle's side of the common random stream, in which random kernels return torch's draws.

All of Paddle's Python code calls its random kernels as attributes of `paddle._C_ops`, so that a few
patches cover every kind of draw. Initialisers keep their own randomness: torch's weights overwrite
their results afterwards. Running variances are kept as torch keeps them, because a difference of
theirs, which is reported, would hide others.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from types import FrameType
from typing import Any

import paddle
import torch
from paddle import _C_ops

from workbench.streams.draws import Draw, Kind, Stream, as_ones
from workbench.streams.factors import Choice, Factors
from workbench.streams.torch_recorder import patched
from workbench.targets.paddle.carry import layouts, tensors

_initializer: Any = paddle.nn.initializer
_rnn: Any = paddle.nn.layer.rnn
_NEAR = 5  # calls between a layer's `forward` and the kernel


class Replay:
    """Patches for one statement, which read from a stream and report new parameters."""

    def __init__(self, stream: Stream, fresh: Callable[[Any], None]) -> None:
        self._stream = stream
        self._fresh = fresh
        self._initialising = 0
        self._drew = False

    @contextmanager
    def replaying(self) -> Iterator[None]:
        """While open, serve draws from the stream."""
        with ExitStack() as stack:
            for name, make in self._kernels().items():
                stack.enter_context(patched(_C_ops, name, make))
            stack.enter_context(patched(paddle.io.RandomSampler, "__iter__", self._sampler))
            stack.enter_context(
                patched(paddle.io.WeightedRandomSampler, "__iter__", self._weighted)
            )
            stack.enter_context(patched(_initializer.Initializer, "__call__", self._initialiser))
            stack.enter_context(patched(_rnn.RNNBase, "forward", _level_by_level))
            yield

    def _kernels(self) -> dict[str, Callable[[Any], Any]]:
        return {
            "gaussian": self._gaussian,
            "uniform": self._uniform,
            "randint": self._randint,
            "randperm": self._randperm,
            "bernoulli": self._like_first((Kind.BERNOULLI, Kind.UNIFORM)),
            "poisson": self._like_first((Kind.POISSON,)),
            "multinomial": self._multinomial,
            "dropout": self._dropout(in_place=False),
            "dropout_": self._dropout(in_place=True),
            "gaussian_inplace_": self._in_place((Kind.NORMAL, Kind.OTHER)),
            "uniform_inplace_": self._in_place((Kind.UNIFORM, Kind.OTHER)),
            "random_": self._in_place((Kind.INTEGERS,)),
            "exponential_": self._in_place((Kind.EXPONENTIAL,)),
            "batch_norm": _corrected,
            "eigh": self._eigh,
            "svd": self._svd,
        }

    def _eigh(self, original: Any) -> Any:
        def eigh(x: Any, *rest: Any, **kw: Any) -> Any:
            values, vectors = original(x, *rest, **kw)
            return values, *self._as_in_torch(values, [vectors])

        return eigh

    def _svd(self, original: Any) -> Any:
        def svd(x: Any, *rest: Any, **kw: Any) -> Any:
            result = original(x, *rest, **kw)
            if kw.get("out") is not None or x.is_complex():
                return result
            left, values, right = result
            left, right = self._as_in_torch(values, [left, right.mT])
            return left, values, right.mT

        return svd

    def _as_in_torch(self, values: Any, sides: list[Any]) -> list[Any]:
        """Return vectors, as columns, with the signs that torch's have."""
        chosen = self._stream.factors
        if chosen is None or sides[0].is_complex():
            return sides
        own = Factors(*map(tensors.to_torch, (values, *sides)))
        choices = chosen.choices(own)
        if choices is None:
            return sides
        return [_chosen(side, choice) for side, choice in zip(sides, choices, strict=True)]

    def _take(self, kinds: tuple[Kind, ...], shape: Any, onto: Any = None) -> Draw | None:
        if self._initialising:
            self._drew = True
            return None
        values = None if onto is None else tensors.to_torch(onto)
        return self._stream.take(kinds, [int(size) for size in shape], values)

    def _gaussian(self, original: Any) -> Any:
        def gaussian(
            shape: Any, mean: float, std: float, seed: int, dtype: Any, *rest: Any, **kw: Any
        ) -> Any:
            draw = (
                None if kw.get("out") is not None else self._take((Kind.NORMAL, Kind.OTHER), shape)
            )
            if draw is None:
                return original(shape, mean, std, seed, dtype, *rest, **kw)
            return _cast(_affine(draw, mean, std), dtype)

        return gaussian

    def _uniform(self, original: Any) -> Any:
        def uniform(shape: Any, dtype: Any, low: Any, high: Any, *rest: Any, **kw: Any) -> Any:
            kinds = (Kind.UNIFORM, Kind.MASK, Kind.BERNOULLI, Kind.OTHER)
            draw = None if kw.get("out") is not None else self._take(kinds, shape)
            if draw is None:
                return original(shape, dtype, low, high, *rest, **kw)
            if draw.kind in (Kind.MASK, Kind.BERNOULLI):
                return _cast(self._stream.as_uniform(draw), dtype)
            return _cast(_affine(draw, float(low), float(high), spread=True), dtype)

        return uniform

    def _randint(self, original: Any) -> Any:
        def randint(low: int, high: int, shape: Any, dtype: Any, *rest: Any, **kw: Any) -> Any:
            # Converted samplers draw a seed and shuffle with it as in torch.
            seed = self._stream.take_seed() if list(shape) == [1] else None
            if seed is not None:
                return _cast(torch.tensor([seed % 2**32]), dtype)
            draw = self._take((Kind.INTEGERS,), shape)
            return (
                original(low, high, shape, dtype, *rest, **kw)
                if draw is None
                else _cast(draw.value, dtype)
            )

        return randint

    def _randperm(self, original: Any) -> Any:
        def randperm(n: int, dtype: Any, *rest: Any, **kw: Any) -> Any:
            draw = None if kw.get("out") is not None else self._take((Kind.PERMUTATION,), [n])
            return original(n, dtype, *rest, **kw) if draw is None else _cast(draw.value, dtype)

        return randperm

    def _like_first(self, kinds: tuple[Kind, ...]) -> Callable[[Any], Any]:
        def make(original: Any) -> Any:
            def draw_like(x: Any, *rest: Any, **kw: Any) -> Any:
                draw = self._take(kinds, x.shape)
                if draw is None:
                    return original(x, *rest, **kw)
                uniform = draw.kind is Kind.UNIFORM
                value = as_ones(draw, tensors.to_torch(x)) if uniform else draw.value
                return _cast(value, x.dtype)

            return draw_like

        return make

    def _multinomial(self, original: Any) -> Any:
        def multinomial(x: Any, num_samples: int, *rest: Any, **kw: Any) -> Any:
            shape = [*x.shape[:-1], num_samples]
            draw = None if kw.get("out") is not None else self._take((Kind.CHOICE,), shape)
            if draw is None:
                return original(x, num_samples, *rest, **kw)
            return _cast(draw.value, paddle.int64)

        return multinomial

    def _dropout(self, *, in_place: bool) -> Callable[[Any], Any]:
        def make(original: Any) -> Any:
            def dropout(
                x: Any, seed_tensor: Any, p: Any, is_test: bool, mode: str, *rest: Any
            ) -> Any:
                draw = None if is_test or not p else self._take((Kind.MASK,), x.shape, x)
                if draw is None:
                    return original(x, seed_tensor, p, is_test, mode, *rest)
                scale = 1.0 / (1.0 - float(p)) if mode == "upscale_in_train" and p < 1 else 1.0
                noise = _cast(draw.value.to(torch.float64) * scale, x.dtype)
                return x.multiply_(noise) if in_place else x * noise

            return dropout

        return make

    def _in_place(self, kinds: tuple[Kind, ...]) -> Callable[[Any], Any]:
        def make(original: Any) -> Any:
            def draw_into(x: Any, *rest: Any) -> Any:
                if isinstance(x, paddle.base.framework.EagerParamBase):
                    self._fresh(x)
                    return original(x, *rest)
                draw = self._take(kinds, x.shape)
                result = original(x, *rest)  # cuts the gradient, which set_value does not
                if draw is not None:
                    result.set_value(_cast(draw.value, x.dtype))
                return result

            return draw_into

        return make

    def _initialiser(self, original: Any) -> Any:
        def initialise(initialiser: Any, tensor: Any, *rest: Any, **kw: Any) -> Any:
            self._initialising += 1
            self._drew = False
            try:
                result = original(initialiser, tensor, *rest, **kw)
            finally:
                self._initialising -= 1
            if isinstance(tensor, paddle.base.framework.EagerParamBase):
                self._fresh(tensor)
            elif self._drew and not self._initialising:
                draw = self._take((Kind.OTHER, Kind.UNIFORM, Kind.NORMAL), tensor.shape)
                if draw is not None:
                    tensor.set_value(_cast(draw.value, tensor.dtype))
            return result

        return initialise

    def _sampler(self, original: Any) -> Any:
        def iterate(sampler: Any) -> Iterator[int]:
            if sampler.generator:
                yield from original(sampler)
                return
            kind = Kind.INTEGERS if sampler.replacement else Kind.PERMUTATION
            draw = self._take((kind,), [sampler.num_samples])
            yield from original(sampler) if draw is None else draw.value.tolist()

        return iterate

    def _weighted(self, original: Any) -> Any:
        def iterate(sampler: Any) -> Iterator[int]:
            draw = self._take((Kind.CHOICE,), [sampler.num_samples])
            return original(sampler) if draw is None else iter(draw.value.tolist())

        return iterate


def _corrected(original: Any) -> Any:
    """Return a batch norm whose running variance has torch's factor m/(m-1) for m values."""

    def batch_norm(
        x: Any, mean: Any, variance: Any, weight: Any, bias: Any, is_test: bool, momentum: float,
        epsilon: float, layout: str, use_global: bool, *rest: Any,
    ) -> Any:  # fmt: skip
        count = x.size // x.shape[1 if layout == "NCHW" else -1]
        follows = (weight, bias, is_test, momentum, epsilon, layout, use_global, *rest)
        # Code that keeps its own statistics passes 0 as momentum.
        if is_test or use_global or not momentum or count < 2 or _corrects_itself():
            return original(x, mean, variance, *follows)
        # The backward pass keeps the new statistics, which may therefore not change again.
        new_mean, new_variance = mean.clone(), variance.clone()
        result = original(x, new_mean, new_variance, *follows)
        with paddle.no_grad():
            share = new_variance - momentum * variance
            paddle.assign(new_mean, mean)
            paddle.assign(new_variance + share / (count - 1), variance)
        return result

    return batch_norm


def _corrects_itself() -> bool:
    """Return whether a layer that applies the factor itself calls the function that asks this."""
    frame: FrameType | None = sys._getframe(2)
    for _ in range(_NEAR):
        if frame is None:
            return False
        if frame.f_code.co_qualname == f"{layouts.CORRECTING}.forward":
            return True
        frame = frame.f_back
    return False


def _level_by_level(original: Any) -> Any:
    """Return a recurrent layer that draws between its levels and runs them one by one."""

    def forward(
        layer: Any, inputs: Any, initial_states: Any = None, sequence_length: Any = None
    ) -> Any:
        if not (layer.training and layer.dropout and len(layer) > 1):
            return original(layer, inputs, initial_states, sequence_length)
        kind = layer.num_directions == 2, layer.state_components
        states: Any = [None] * len(layer)
        if initial_states is not None:
            alone = layer.state_components == 1 and isinstance(initial_states, list | tuple)
            states = _rnn.split_states(initial_states[0] if alone else initial_states, *kind)
        ends = []
        for number, (level, state) in enumerate(zip(layer, states, strict=True)):
            if number:
                inputs = paddle.nn.functional.dropout(inputs, layer.dropout)
            inputs, end = level(inputs, state, sequence_length)
            ends.append(end)
        return inputs, _rnn.concat_states(ends, *kind)

    return forward


def _affine(draw: Draw, first: float, second: float, *, spread: bool = False) -> torch.Tensor:
    """Return the draw with other bounds (`spread`) or another mean and deviation."""
    if draw.kind is Kind.OTHER or (draw.first, draw.second) == (first, second):
        return draw.value
    if spread:
        unit = (draw.value - draw.first) / (draw.second - draw.first)
        return unit * (second - first) + first
    return (draw.value - draw.first) / draw.second * second + first


def _chosen(vectors: Any, choice: Choice) -> Any:
    """Return the vectors as torch chose them; gradients reach those that have other signs only."""
    signed = vectors * _cast(choice.signs, vectors.dtype)
    if not choice.taken.any() or not vectors.stop_gradient:
        return signed
    torchs = _cast(choice.vectors, vectors.dtype)
    return paddle.where(tensors.to_paddle(choice.taken).expand_as(signed), torchs, signed)


def _cast(value: torch.Tensor, dtype: Any) -> Any:
    result = tensors.to_paddle(value)
    wanted = paddle.empty([0], dtype=dtype).dtype
    return result if result.dtype == wanted else result.astype(wanted)
