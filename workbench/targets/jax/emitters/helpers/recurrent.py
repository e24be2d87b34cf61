"""Recurrent layers over time."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax import lax


def _lstm_step(states: Any, taken: Any, weight: Any, bias: Any) -> Any:
    """The next states: hidden and cell; gates are input, forget, cell and output."""
    hidden, cell = states
    gates = jnp.split(taken + hidden @ weight.T + bias, 4, axis=-1)
    enter, keep, leave = (jax.nn.sigmoid(gates[i]) for i in (0, 1, 3))
    cell = keep * cell + enter * jnp.tanh(gates[2])
    return leave * jnp.tanh(cell), cell


def _gru_step(states: Any, taken: Any, weight: Any, bias: Any) -> Any:
    """The next state; gates are reset, update and new."""
    [hidden] = states
    reset, update, new = jnp.split(taken, 3, axis=-1)
    own_reset, own_update, own_new = jnp.split(hidden @ weight.T + bias, 3, axis=-1)
    new = jnp.tanh(new + jax.nn.sigmoid(reset + own_reset) * own_new)
    return (new + jax.nn.sigmoid(update + own_update) * (hidden - new),)


def _rnn_tanh_step(states: Any, taken: Any, weight: Any, bias: Any) -> Any:
    return (jnp.tanh(taken + states[0] @ weight.T + bias),)


def _rnn_relu_step(states: Any, taken: Any, weight: Any, bias: Any) -> Any:
    return (jax.nn.relu(taken + states[0] @ weight.T + bias),)


def _recurrent(
    step: Any,
    x: Any,
    states: list[Any],
    weights: list[Any],
    layers: int = 1,
    both_ways: bool = False,
    batch_first: bool = False,
) -> Any:
    """What the last layer gives at each time, and the last states of all layers.

    `weights` are, layer by layer and direction by direction, those of the input and of the hidden
    state, then their biases, if there are any.
    """
    x = x.swapaxes(0, 1) if batch_first else x
    each = len(weights) // (layers * (1 + both_ways))
    ends: list[Any] = []
    for _ in range(layers):
        given = []
        for backwards in (False, True)[: 1 + both_ways]:
            into, own, *biases = weights[len(ends) * each : (len(ends) + 1) * each]
            taken, bias = (x @ into.T + biases[0], biases[1]) if biases else (x @ into.T, 0.0)

            def advance(states: Any, taken: Any, own: Any = own, bias: Any = bias) -> Any:
                states = step(states, taken, own, bias)
                return states, states[0]

            start = tuple(state[len(ends)] for state in states)
            end, gives = lax.scan(advance, start, taken, reverse=backwards)
            ends.append(end)
            given.append(gives)
        x = jnp.concatenate(given, axis=-1)
    last = [jnp.stack(parts) for parts in zip(*ends, strict=True)]
    return (x.swapaxes(0, 1) if batch_first else x, *last)
