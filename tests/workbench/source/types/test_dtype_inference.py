"""Which dtype a tensor is known to have."""

from __future__ import annotations

import pytest

from workbench.source.analysis import analyse
from workbench.source.types.lattice import Tensor

PRELUDE = """
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
x, i, b = torch.rand(2), torch.arange(2), torch.rand(2) > 0.5
def f(u):
    return u.long()
"""


def dtype_of(expression: str) -> str | None:
    """Return the dtype of an expression, seen by the member that is read from it."""
    uses = analyse(f"{PRELUDE}y = {expression}\ny.backward\n").uses
    value = next(use.receiver_value for use in uses if use.name == "torch.Tensor.backward")
    assert isinstance(value, Tensor)
    return value.dtype


@pytest.mark.parametrize(
    ("expression", "dtype"),
    [
        ("torch.zeros(2)", "floating"),
        ("torch.zeros(2, dtype=torch.long)", "int64"),
        ("torch.zeros(2, dtype=i.dtype)", "int64"),
        ("torch.zeros_like(b)", "bool"),
        ("torch.zeros_like(b, dtype=torch.float64)", "float64"),
        ("torch.tensor([1, 2])", "int64"),
        ("torch.tensor([[1.0]])", "floating"),
        ("torch.full((2,), True)", "bool"),
        ("torch.arange(0, 1, 0.1)", "floating"),
        ("torch.arange(n)", "int64"),
        ("torch.arange(0, n, step)", None),
        ("torch.arange(torch.relu(n))", None),
        ("torch.arange(i.max())", "int64"),
        ("torch.arange(x.max())", "floating"),
        ("torch.arange(n) / (n - 1)", "floating"),
        ("torch.linspace(0, 1, i[0])", "floating"),
        ("(nn.ParameterList([nn.Parameter(x)]) if n else [x, x])[k] + 1", "floating"),
        ("([x] if n else {'a': i})['a']", None),
        ("torch.relu(n) / 2", "floating"),
        ("torch.relu(n) / i", "floating"),
        ("torch.relu(n) / torch.relu(m)", None),
        ("torch.clamp(n, -1.0, 1.0)", "floating"),
        ("torch.relu(n).clamp(max=1.0)", "floating"),
        ("torch.relu(n).clamp(0, 1)", None),
        ("torch.meshgrid(torch.arange(n), torch.arange(m))[1].flatten()[:, None]", "int64"),
        ("torch.meshgrid([i, i])[0]", "int64"),
        ("torch.unique(x, return_counts=True)[1]", "int64"),
        ("torch.unique(x, True, True)[0]", "floating"),
        ("F.max_pool1d(x, 2)", "floating"),
        ("F.max_pool1d(x, 2, return_indices=True)[1]", "int64"),
        ("x.float()", "float32"),
        ("x.to(torch.int32)", "int32"),
        ("x.to('cuda')", "floating"),
        ("i.to(x.dtype)", "floating"),
        ("i.to(device='cuda', dtype=torch.half)", "float16"),
        ("i.type_as(b)", "bool"),
        ("b.__add__(i)", "int64"),
        ("i.__radd__(1.5)", "floating"),
        ("x.__lt__(1)", "bool"),
        ("i.__iadd__(1)", "int64"),
        ("i.div(2, rounding_mode='floor')", "int64"),
        ("i.div(2, rounding_mode=None)", "floating"),
        ("i.mul(other=x)", "floating"),
        ("i.where(b, x)", "floating"),
        ("i.where(condition=b, other=i)", "int64"),
        ("i.bincount(weights=x)", None),
        ("i.to(torch.int32) / i", "floating"),
        ("x.cfloat() * x", "complex64"),
        ("x.cfloat().norm()", "float32"),
        ("x.view(torch.int32)", "int32"),
        ("i.gcd(other=i)", "int64"),
        ("i.float_power(2)", "float64"),
        ("i.unique()", "int64"),
        ("i.median()", "int64"),
        ("x == i", "bool"),
        ("~b", "bool"),
        ("x + i", "floating"),
        ("i + 1.5", "floating"),
        ("i / 2", "floating"),
        ("i // 2", "int64"),
        ("b + 1", "int64"),
        ("b.sum()", "int64"),
        ("x.sum()", "floating"),
        ("torch.from_numpy(data.astype(np.float32))", "float32"),
        ("torch.from_numpy(data.astype('int64') + 1)", "int64"),
        ("torch.from_numpy(data.astype(int) / 2)", None),
        ("torch.from_numpy(data.astype(np.float32) - other)", None),
        ("torch.from_numpy(data.astype(np.float32).reshape(2, 1)[0] * 2)", "float32"),
        ("torch.from_numpy(data.astype(np.float32).argsort())", None),
        ("torch.tensor(np.random.rand(3).astype(dtype=np.float16))", "float16"),
        ("torch.as_tensor(np.zeros(3, dtype=bool))", "bool"),
        ("torch.as_tensor(np.zeros(3, dtype=kind))", None),
        ("torch.tensor(data.astype(np.float32).shape)", None),
        ("i.clamp_min(1)", "int64"),
        ("i.clamp_max(1.5)", "floating"),
        ("torch.einsum('i,i->', i, i)", "int64"),
        ("torch.fft.rfft(x)", "complex"),
        ("torch.fft.rfft(x.double())", "complex128"),
        ("torch.fft.rfft(x).abs()", "floating"),
        ("torch.fft.irfft(torch.fft.rfft(x.float()))", "float32"),
        ("torch.complex(x, x).real", "floating"),
        ("torch.triu_indices(3, 3)", "int64"),
        ("x.argmax(-1)", "int64"),
        ("x.max(0)[1]", "int64"),
        ("x.max(0)[0]", "floating"),
        ("x.topk(2).indices", "int64"),
        ("i[0]", "int64"),
        ("i.view(1, 2).t().contiguous()", "int64"),
        ("torch.cat([i, x])", "floating"),
        ("torch.where(b, x, 0)", "floating"),
        ("nn.Linear(2, 2)(x)", "floating"),
        ("nn.Linear(2, 2).weight", "floating"),
        ("nn.Identity()(i)", "int64"),
        ("F.one_hot(i)", "int64"),
        ("F.softmax(x, dim=-1, dtype=torch.float32)", "float32"),
        ("f(x)", "int64"),
        ("x if b else i", None),
    ],
)
def test_the_dtype_of_an_expression(expression: str, dtype: str | None) -> None:
    assert dtype_of(expression) == dtype


def test_a_change_in_place_keeps_the_dtype() -> None:
    assert dtype_of("i\ny += 1") == "int64"


@pytest.mark.parametrize(
    ("expression", "dtype"),
    [
        ("torch.LongTensor([1])", "int64"),
        ("torch.cuda.FloatTensor(2, 3)", "float32"),
    ],
)
def test_the_old_types_of_tensors_determine_their_dtype(expression: str, dtype: str) -> None:
    assert dtype_of(expression) == dtype


@pytest.mark.parametrize(
    ("expression", "scalar"),
    [
        ("x.norm(1)", True),
        ("x.norm(2, -1)", False),
        ("x.std(correction=0)", True),
        ("x.std(dim=0, correction=0)", False),
        ("x.dot(x)", True),
        ("x.nanmean()", True),
    ],
)
def test_tensors_without_dimensions_are_known(expression: str, scalar: bool) -> None:
    uses = analyse(f"{PRELUDE}y = {expression}\ny.backward\n").uses
    value = next(use.receiver_value for use in uses if use.name == "torch.Tensor.backward")
    assert isinstance(value, Tensor)
    assert value.scalar is scalar
