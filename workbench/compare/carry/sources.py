"""States of sources of random numbers and of buffers, to restore and to compare them."""

from __future__ import annotations

import io
import pickle
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from workbench.compare.carry.inside import is_a

NUMBERS = (np.random.RandomState, np.random.Generator, random.Random)


def state_of_source(value: Any) -> tuple[Callable[[Any], None], Any] | None:
    """Return how to restore the state of a source of random numbers or a buffer, and the state."""
    if is_a(value, np.random.RandomState):
        return value.set_state, value.get_state()
    if is_a(value, np.random.Generator):
        source = value.bit_generator
        return lambda state: setattr(source, "state", state), source.state
    if is_a(value, random.Random):
        return value.setstate, value.getstate()
    if is_a(value, torch.Generator):
        return value.set_state, value.get_state()
    if is_a(value, (io.BytesIO, io.StringIO)):
        return lambda state: _refill(value, *state), (value.getvalue(), value.tell())
    return None


def _refill(buffer: Any, content: Any, place: int) -> None:
    buffer.seek(0)
    buffer.truncate()
    buffer.write(content)
    buffer.seek(place)


def follow_source(one: Any, other: Any) -> bool:
    """Give a source of random numbers the state of another; return False for another kind."""
    mine, theirs = state_of_source(one), state_of_source(other)
    if mine is None or theirs is None or type(one) is not type(other):
        return False
    if is_a(one, np.random.Generator) and type(one.bit_generator) is not type(other.bit_generator):
        return False
    mine[0](theirs[1])
    return True


def is_in_same_state(one: Any, other: Any) -> bool:
    """Return whether two sources of random numbers will draw the same."""
    states = [state_of_source(each) for each in (one, other)]
    first, second = (pickle.dumps(state[1]) if state else b"" for state in states)
    return type(one) is type(other) and first == second
