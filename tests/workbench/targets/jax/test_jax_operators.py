"""Operators of torch's own database in JAX: values, dtypes and gradients, or run in torch.

`make jax` judges every one of them in four dtypes; here are those that models are made of.
"""

from __future__ import annotations

import pytest
import torch
from jax_samples import judge
from opdb import operators, samples

OPERATORS = [
    "abs",
    "add",
    "addmm",
    "amax",
    "argmax",
    "as_strided",
    "baddbmm",
    "bmm",
    "cat",
    "cholesky",
    "clamp",
    "cumsum",
    "div/floor_rounding",
    "einsum",
    "expand",
    "flip",
    "gather",
    "index_put",
    "linalg.cholesky",
    "linalg.eigvalsh",
    "linalg.solve",
    "linalg.vector_norm",
    "lgamma",
    "linalg.norm/subgradients_at_zero",
    "logsumexp",
    "max/reduction_with_dim",
    "mean",
    "native_layer_norm",
    "nn.functional.adaptive_avg_pool2d",
    "nn.functional.avg_pool2d",
    "nn.functional.batch_norm",
    "nn.functional.conv2d",
    "nn.functional.conv_transpose2d",
    "nn.functional.cross_entropy",
    "nn.functional.embedding",
    "nn.functional.embedding_bag",
    "nn.functional.gelu",
    "nn.functional.grid_sample",
    "nn.functional.group_norm",
    "nn.functional.hardtanh",
    "nn.functional.interpolate/bicubic",
    "nn.functional.interpolate/nearest",
    "nn.functional.max_pool2d",
    "nn.functional.pad/reflect",
    "nn.functional.scaled_dot_product_attention",
    "nn.functional.softplus",
    "pinverse",
    "pow",
    "remainder",
    "roll",
    "scatter_reduce/amax",
    "scatter_reduce/prod",
    "scatter_add",
    "sort",
    "split",
    "std",
    "tril",
    "unfold",
    "var",
    "where",
    "linalg.solve",
]


def test_the_names_are_torchs() -> None:
    assert not set(OPERATORS) - operators().keys()


@pytest.mark.parametrize("name", OPERATORS)
def test_it_agrees_or_runs_in_torch(name: str) -> None:
    operator = operators()[name]
    for dtype in (torch.float32, torch.int64):
        if dtype in operator.supported_dtypes("cpu"):
            *_, sample = samples(operator, dtype, 2)  # its first ones are the plain ones
            verdict = judge(sample)
            assert verdict.kind in ("equal", "torch", "refused", "skip", "unrun"), verdict.reason
