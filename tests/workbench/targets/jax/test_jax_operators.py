"""Operators that models are made of in JAX: values, dtypes and gradients, or run in torch.

`make jax` judges every operator of torch's own database in four dtypes.
"""

from __future__ import annotations

import pytest
import torch
from jax_samples import judge
from opdb import MODELS_HAVE, operators, samples


@pytest.mark.parametrize("name", MODELS_HAVE)
def test_it_agrees_or_runs_in_torch(name: str) -> None:
    operator = operators()[name]
    for dtype in (torch.float32, torch.int64):
        if dtype in operator.supported_dtypes("cpu"):
            *_, sample = samples(operator, dtype, 2)  # its first ones are the plain ones
            verdict = judge(sample)
            assert verdict.kind in ("equal", "torch", "refused", "skip", "unrun"), verdict.reason
