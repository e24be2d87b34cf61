"""Operators that models are made of in JAX: values, dtypes and gradients, or run in torch.

`make jax` judges every operator of torch's own database in four dtypes. Each commit tries another
third of them in int64.
"""

from __future__ import annotations

import pytest
import torch
from jax_samples import judge
from opdb import MODELS_HAVE, operators, samples

_SHARE = 6


def _agrees_or_runs_in_torch(name: str, dtype: torch.dtype) -> None:
    operator = operators()[name]
    if dtype in operator.supported_dtypes("cpu"):
        *_, sample = samples(operator, dtype, 2)  # its first ones are the plain ones
        verdict = judge(sample)
        assert verdict.kind in ("equal", "torch", "refused", "skip", "unrun"), verdict.reason


@pytest.mark.one_in(10)
@pytest.mark.parametrize("name", MODELS_HAVE)
def test_it_agrees_or_runs_in_torch(name: str) -> None:
    _agrees_or_runs_in_torch(name, torch.float32)


def test_a_share_agrees_in_whole_numbers(seed: int) -> None:
    for name in list(MODELS_HAVE)[seed % _SHARE :: _SHARE]:
        _agrees_or_runs_in_torch(name, torch.int64)
