"""Linear algebra as Paddle has it, where no helper is needed."""

from __future__ import annotations

import pytest

import workbench
from tests.workbench.targets.paddle.both_sides import TARGET, assert_prints_the_same

HEAD = """
import torch

x = torch.tensor([[2.0, 0.5], [0.5, 1.0]], requires_grad=True)
matrices = [x, x.detach() + 1]


def f(k):
    {line}
    return r


print(f(x).tolist(), f(x @ x.T).sum().item())
f(x).sum().backward()
print(x.grad.tolist())
"""


def _written(line: str) -> str:
    result = workbench.convert(HEAD.format(line=line), target=TARGET)
    body = result.code.partition("def f(k):\n    ")[2]
    return body.partition("\n    return")[0]


@pytest.mark.parametrize(
    ("line", "plain"),
    [
        ("r = torch.linalg.cholesky(k)", "r = paddle.linalg.cholesky(k)"),
        ("r = torch.linalg.inv(k)", "r = paddle.linalg.inv(k)"),
        ("r = torch.logdet(k)", "r = paddle.log(paddle.linalg.det(k))"),
        ("r, _ = torch.linalg.eigh(k)", "r, _ = paddle.linalg.eigh(k)"),
        ("r = torch.linalg.eigh(k, 'U')[0]", "r = paddle.linalg.eigh(k, UPLO='U')[0]"),
        ("_, r = torch.slogdet(k.float())", "_, r = paddle.linalg.slogdet(k.float())"),
        (
            "r = torch.einsum('ij,jk->ik', matrices)",
            "r = paddle.einsum('ij,jk->ik', *matrices)",
        ),
        (
            "r = torch.real(torch.fft.fft(k))",
            "r = paddle.real(paddle.fft.fft(k))",
        ),
    ],
)
def test_the_plain_call_computes_the_same(line: str, plain: str) -> None:
    assert _written(line) == plain
    assert_prints_the_same(HEAD.format(line=line))


@pytest.mark.parametrize(
    "line",
    [
        "r = torch.linalg.eigh(k).eigenvalues",
        "r = torch.slogdet(k).logabsdet",
        "r = torch.linalg.cholesky(k, upper=True)",
    ],
)
def test_names_of_members_and_upper_factors_keep_the_helper(line: str) -> None:
    assert "torch_" in _written(line)
    assert_prints_the_same(HEAD.format(line=line))


CAUGHT = """
import torch

k = torch.tensor([[1.0, 2.0], [2.0, 1.0]])
try:
    print(torch.linalg.cholesky(k))
except {error}:
    print("none")
try:
    print(torch.linalg.inv(k * 0))
except {error}:
    print("none")
"""


@pytest.mark.parametrize("error", ["RuntimeError", "torch.linalg.LinAlgError"])
def test_an_error_that_is_caught_is_torchs(error: str) -> None:
    assert_prints_the_same(CAUGHT.format(error=error))


COUNTED = """
import torch


def counts(x):
    return torch.histc(x, 4, min=0, max=8)


x = torch.tensor([0.0, 1.0, 7.5, 3.0, 3.5])
print(counts(x).tolist(), x.histc(bins=3).tolist(), torch.histc(x * 2, bins=2).tolist())
"""


def test_values_are_counted_in_bins() -> None:
    assert "paddle.histogram(x, 4, 0, 8).astype(x.dtype)" in assert_prints_the_same(COUNTED)


SUMMED = """
import torch

a, b = torch.linspace(-1, 1, 30).view(2, 3, 5), torch.linspace(0, 2, 60).view(4, 3, 5)
for k, m in ((a, b), (a[:, 0], b[:, 1]), (a[:, 0, 0], b[:, 0, 0])):
    print({line})
"""


@pytest.mark.parametrize(
    "line",
    [
        'torch.einsum("i...,j...->ij", k, m).tolist()',
        'torch.einsum("...->", k).item(), torch.einsum("I...,J...->JI", k, m).tolist()',
        'torch.einsum("i...->i", k).tolist(), torch.einsum("i...->...i", k).tolist()',
    ],
)
def test_dimensions_of_an_ellipsis_are_summed(line: str) -> None:
    assert_prints_the_same(SUMMED.format(line=line))
