"""Which texts make parameters of complex numbers."""

from __future__ import annotations

import ast

import pytest

from workbench.source.traits.gathering import traits_of


@pytest.mark.parametrize(
    ("line", "complex_"),
    [
        ("w = nn.Parameter(s * torch.rand(2, 3, dtype=torch.cfloat))", True),
        ("w = nn.Parameter(torch.complex(a, b))", True),
        ("c = torch.view_as_complex(t)\nw = nn.Parameter(c)", True),
        ("self.c = t.to(torch.complex64)\nself.register_parameter('w', self.c)", True),
        ("w = nn.Parameter(torch.view_as_real(c.to(torch.cfloat)))", False),
        ("c = torch.fft.rfft(t)\nw = nn.Parameter(c.real)", False),
        ("c = torch.fft.rfft(t)\nw = nn.Parameter(c.abs())", False),
        ("c = torch.polar(a, b)\nw = nn.Parameter(t)", False),
        ("w = torch.rand(2, dtype=torch.cfloat)", False),
    ],
)
def test_parameters_of_complex_numbers_are_found(line: str, complex_: bool) -> None:
    assert traits_of(ast.parse(line)).complex_parameters is complex_
