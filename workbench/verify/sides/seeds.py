"""Seeding of torch's, Python's and NumPy's random numbers, equal on both sides."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager

import numpy
import torch

SEED = 20


def seed_all(number: int = 0) -> None:
    """Seed torch, Python and NumPy; each `number` gives other draws."""
    torch.manual_seed(SEED + number)
    random.seed(SEED + number)
    numpy.random.seed(SEED + number)


@contextmanager
def python_random_state_kept() -> Iterator[None]:
    """Restore the random states of Python and NumPy on exit."""
    states = random.getstate(), numpy.random.get_state()
    try:
        yield
    finally:
        random.setstate(states[0])
        numpy.random.set_state(states[1])
