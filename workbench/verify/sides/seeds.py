"""Random numbers that are the same on both sides: torch's, Python's and NumPy's."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager

import numpy
import torch

SEED = 20


def seed_all(number: int = 0) -> None:
    """Have both sides draw the same from here on; other numbers for each `number`."""
    torch.manual_seed(SEED + number)
    random.seed(SEED + number)
    numpy.random.seed(SEED + number)


@contextmanager
def python_draws_kept() -> Iterator[None]:
    """Whatever Python and NumPy draw meanwhile, they go on afterwards as if they had not."""
    states = random.getstate(), numpy.random.get_state()
    try:
        yield
    finally:
        random.setstate(states[0])
        numpy.random.set_state(states[1])
