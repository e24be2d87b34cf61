"""Integers next to values whose dtype only the calls of a function show."""

from __future__ import annotations

import pytest

import workbench
from tests.workbench.targets.paddle.both_sides import assert_prints_the_same
from workbench.targets import PLAIN, load

TARGET = load("paddle", PLAIN)
HEAD = """
from functools import partial

import torch
from torch import clamp, nn, tanh

"""
LEVELS = (
    HEAD
    + """
def rounded(z):
    return z + (z.round() - z).detach()


class Levels(nn.Module):
    def __init__(self, levels, hard):
        super().__init__()
        self.register_buffer("levels", torch.tensor(levels, dtype=torch.int32))
        self.hard = hard

    def scaled(self, codes):
        half = self.levels // 2
        return {scaled}

    def indices(self, codes):
        return self.scaled(codes).sum(dim=-1)

    def bound(self, z):
        limited = partial(clamp, min=-1.0, max=1.0) if self.hard else tanh
        steps = self.levels - 1
        return rounded(steps * (limited(z) + 1) / 2.0) / steps

    def forward(self, z):
        return self.indices(self.bound(z))


z = torch.linspace(-2, 2, 6).view(3, 2)
print(Levels([5, 7], True)(z).tolist(), Levels([5, 7], False)(z).tolist())
"""
)


@pytest.mark.parametrize(
    ("scaled", "plain"),
    [
        ("codes * half + half", 'codes * half.astype(codes.dtype) + half.astype("float32")'),
        ("(codes + 1.0) * half", '(codes + 1.0) * half.astype("float32")'),
        ("codes - half", "codes - half.astype(codes.dtype)"),
        ("half[None] * codes", "half[None].astype(codes.dtype) * codes"),
        ("torch.where(codes > 0, codes, half)", None),
        ("torch.pow(half, codes)", None),
    ],
)
def test_a_result_of_one_method_is_passed_to_another(scaled: str, plain: str | None) -> None:
    code = assert_prints_the_same(LEVELS.replace("{scaled}", scaled))
    if plain is not None:
        assert f"return {plain}\n" in code


CODES = (
    HEAD
    + """
class Codes(nn.Module):
    def __init__(self, sizes, learned):
        super().__init__()
        self.register_buffer("sizes", torch.tensor(sizes, dtype=torch.int32))
        values = [
            torch.linspace(-0.5, 0.5, size) if size % 2 == 1 else torch.arange(size) / size - 0.5
            for size in self.sizes
        ]
        if learned:
            self.values = nn.ParameterList([nn.Parameter(one) for one in values])
        else:
            self.values = values

    def nearest(self, z):
        places = [(z[..., k, None] - self.values[k]).abs().argmin(-1) for k in range(2)]
        found = torch.stack([self.values[k][places[k]] for k in range(2)], dim=-1)
        return z + (found - z).detach()

    def numbers(self, codes):
        half = self.sizes // 2
        return (codes * 2 * half) + half

    def forward(self, z):
        return self.numbers(self.nearest(z))


z = torch.linspace(-0.6, 0.6, 6).view(3, 2)
print(Codes([5, 4], True)(z).tolist(), Codes([5, 4], False)(z).tolist())
"""
)


def test_values_of_one_of_several_containers_have_their_dtype() -> None:
    code = assert_prints_the_same(CODES)
    assert 'return (codes * 2 * half.astype("float32")) + half.astype("float32")\n' in code


ROTARY = (
    HEAD
    + """
from torch import einsum


class Rotary(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.register_buffer("rates", 1.0 / (10 ** (torch.arange(0, dim, 2).float() / dim)))

    def forward(self, n):
        seq = torch.arange(n)
        return {product}


print(Rotary(4)(3).tolist())
"""
)


@pytest.mark.parametrize(
    ("product", "plain"),
    [
        ("einsum('i, j -> i j', seq, self.rates)", "seq.astype(self.rates.dtype), self.rates)"),
        ("torch.einsum('i,j->ij', [self.rates, seq])", "self.rates, seq.astype(self.rates.dtype))"),
        ("torch.outer(seq, self.rates)", "paddle.outer(seq.astype(self.rates.dtype), self.rates)"),
        ("torch.ger(self.rates, seq)", "paddle.outer(self.rates, seq.astype(self.rates.dtype))"),
        ("seq[:, None] * self.rates", "seq[:, None].astype(self.rates.dtype) * self.rates"),
        ("torch.einsum('i,j->ij', torch.arange(n), self.rates)", None),
        ("torch.einsum('i,j->ij', seq, seq)", None),
        ("torch.cat((seq, self.rates))", None),
        ("torch.stack([seq[:2], self.rates])", None),
    ],
)
def test_positions_are_multiplied_by_rates(product: str, plain: str | None) -> None:
    code = assert_prints_the_same(ROTARY.replace("{product}", product))
    if plain is not None:
        assert plain in code
        assert "torch_" not in code


def test_an_outer_product_with_an_open_dtype_names_its_condition() -> None:
    text = "import torch\n\n\ndef f(rates):\n    return torch.outer(torch.arange(3), rates)\n"
    converted = workbench.convert(text, target=TARGET)
    assert "paddle.outer(paddle.arange(3).astype(rates.dtype), rates)" in converted.code
    assert any("boolean or of narrower" in one.message for one in converted.findings)
