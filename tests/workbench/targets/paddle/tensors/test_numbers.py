"""Conversions of tensors to Python numbers, by `int(x)` and the like."""

from __future__ import annotations

import pytest

import workbench
from tests.workbench.targets.paddle.both_sides import TARGET, assert_prints_the_same

_MIXED = """import torch
names = ["a", "b", "c"]

@torch.inference_mode()
def ids(n):
    return torch.ones(n).long().tolist()

x = torch.tensor([1, 2])
"""
_FUNCTION = "def decode(row):\n    return [names[int(i)] for i in row]\n"
_METHOD = (
    "class Words:\n    def decode(self, row):\n        return [float(i) + bool(i) for i in row]\n"
    "decode = Words().decode\n"
)


@pytest.mark.frameworks
@pytest.mark.parametrize("definition", [_FUNCTION, _METHOD])
@pytest.mark.parametrize(
    "calls",
    ["decode(x), decode(ids(2))", "decode(x), decode([2, 1])", "decode(ids(2)), decode(x)"],
)
def test_a_function_gets_tensors_and_numbers(definition: str, calls: str) -> None:
    assert_prints_the_same(f"{_MIXED}{definition}print({calls})\n")


@pytest.mark.parametrize(
    ("function", "kept"), [("int", "int(i)"), ("float", "float(i)"), ("bool", "bool(i)")]
)
@pytest.mark.parametrize("other", ["ids(2)[0]", "2"])
def test_a_number_that_may_be_a_tensor_is_reported(function: str, kept: str, other: str) -> None:
    text = (
        f"{_MIXED}def number(i):\n    return {function}(i)\nprint(number(x[0]), number({other}))\n"
    )
    result = workbench.convert(text, target=TARGET)
    assert kept in result.code
    assert [one.code for one in result.findings if one.range.start.line == 9] == ["TF119"]


@pytest.mark.parametrize(
    ("function", "written"),
    [("int", "int(i.item())"), ("float", "float(i.item())"), ("bool", "bool(i != 0)")],
)
def test_a_tensor_of_any_shape_becomes_a_number(function: str, written: str) -> None:
    text = f"{_MIXED}def number(i):\n    return {function}(i)\nprint(number(x[0]), number(x[:1]))\n"
    assert written in workbench.convert(text, target=TARGET).code
