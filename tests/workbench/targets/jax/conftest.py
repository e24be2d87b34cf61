"""JAX is not installed with torch and Paddle: without it these tests are skipped."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec

import pytest
import torch

collect_ignore_glob = [] if find_spec("flax") and find_spec("optax") else ["*test_*.py"]


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Sums run in the same order each time."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    yield
    torch.set_num_threads(threads)


@pytest.fixture
def narrow() -> Iterator[None]:
    """Numbers have JAX's default width, whatever a module of another test has turned on."""
    import jax

    with jax.enable_x64(False):
        yield
