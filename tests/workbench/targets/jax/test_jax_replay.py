"""Draws of every kind: a lowered module is handed what torch drew."""

from __future__ import annotations

import jax
import pytest
import torch
from flax import nnx
from torch import nn
from torch.distributions import Categorical

from workbench.capture import capture
from workbench.lower import lower
from workbench.streams.draws import Stream
from workbench.streams.torch_recorder import FreshWeights, Recorder
from workbench.targets.jax.carry.replay import replaying
from workbench.targets.jax.emitters.loading import from_torch, to_torch


class Drawing(nn.Module):
    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        sampled = Categorical(logits=x, validate_args=False)
        return (
            nn.functional.gumbel_softmax(x, hard=True),
            torch.empty(3).exponential_(2.0),
            torch.randint(0, 10, (3,)),
            x[torch.randperm(3)],
            sampled.sample(),
            sampled.sample((3,)),
            torch.multinomial(x.exp(), 3, replacement=True),
            torch.multinomial(x.exp(), 1),
        )


def test_draws_are_those_of_torch() -> None:
    x, stream = torch.randn(3, 4), Stream()
    lowered = lower(capture(Drawing(), x), target="jax")
    assert not lowered.fallbacks
    with Recorder(stream, FreshWeights()).recording():
        theirs = Drawing()(x)
    with replaying(stream):
        ours = lowered.load()(from_torch(x))
    assert not stream.problem
    for place, (a, b) in enumerate(zip(ours, theirs, strict=True)):
        torch.testing.assert_close(to_torch(a), b, msg=f"output {place}")


@pytest.mark.one_in(2)
@pytest.mark.parametrize("gradients", [False, True])
def test_masks_reach_what_they_were_drawn_for_in_any_order(gradients: bool) -> None:
    first, second, stream = torch.rand(3, 4), torch.rand(3, 4), Stream()
    with Recorder(stream, FreshWeights()).recording():
        theirs = [nn.functional.dropout(value, 0.5) for value in (first, second)]
    dropout, key = nnx.Dropout(0.5), jax.random.key(0)

    def total(values: list[jax.Array]) -> tuple[jax.Array, list[jax.Array]]:
        ours = [dropout(value, rngs=key) for value in values]
        return ours[0].sum() + ours[1].sum(), ours

    given = [from_torch(value) for value in (second, first)]
    with replaying(stream):
        ours = jax.grad(total, has_aux=True)(given)[1] if gradients else total(given)[1]
    stream.close()
    assert not stream.problem
    torch.testing.assert_close(to_torch(ours[1]), theirs[0])
    torch.testing.assert_close(to_torch(ours[0]), theirs[1])


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    "layer",
    [nn.GRU(3, 4, num_layers=3, dropout=0.4), nn.LSTM(3, 4, 2, dropout=0.4, batch_first=True)],
)
def test_dropout_between_recurrent_layers_is_kept_and_drawn_as_torch_draws_it(
    layer: nn.Module,
) -> None:
    x, stream = torch.randn(5, 2, 3), Stream()
    lowered = lower(capture(layer, x), target="jax")
    torch.manual_seed(1)
    unrecorded = layer(x)[0]
    torch.manual_seed(1)
    with Recorder(stream, FreshWeights()).recording():
        theirs = layer(x)[0]
    torch.testing.assert_close(theirs, unrecorded)
    with replaying(stream):
        ours = lowered.load()(from_torch(x))[0]
    stream.close()
    assert not stream.problem
    torch.testing.assert_close(to_torch(ours), theirs)
