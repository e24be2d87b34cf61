"""One row of a family serves the function, its `out=`, the method and the in-place forms."""

from __future__ import annotations

import pytest

from tests.workbench.exact import convert
from workbench.rules.family import Family


def converted(line: str) -> str:
    source = f"import torch\nx = torch.ones(2, 3)\ny = torch.ones(2, 3)\n{line}\n"
    return convert(source).code.splitlines()[-1]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("t = torch.acos(x)", "t = paddle.acos(x)"),
        ("t = torch.acos(x, out=y)", "t = torch_out(paddle.acos(x), y)"),
        ("t = x.arccos()", "t = paddle.acos(x)"),
        ("x.arccos_()", "torch_inplace(paddle.acos, x)"),
        ("torch.arccos_(x)", "torch_inplace(paddle.acos, x)"),
    ],
)
def test_every_form_is_written(line: str, expected: str) -> None:
    assert converted(line) == expected


def test_forms_that_torch_does_not_have_get_no_rule() -> None:
    family = Family()
    family.both("atleast_1d", "paddle.atleast_1d({input})")
    assert [rule.name for rule in family.rules] == ["torch.atleast_1d"]
