"""Functions of NumPy that are called with tensors, and slices that count backwards."""

from __future__ import annotations

import textwrap

import pytest

from workbench.convert.conversion import Conversion, convert

_HEAD = "import numpy as np\nimport torch\n"


def _converted(text: str) -> Conversion:
    return convert(_HEAD + textwrap.dedent(text), target="paddle", style="plain")


@pytest.mark.parametrize(
    ("torchs", "paddles"),
    [
        ("np.sqrt(torch.ones(2))", "paddle.sqrt(paddle.ones(2))"),
        ("np.exp((torch.ones(2) ** 2).sum())", "paddle.exp((paddle.ones(2) ** 2).sum())"),
        ("np.sqrt(torch.ones(2).numpy())", "np.sqrt(paddle.ones(2).numpy())"),
        ("np.sqrt(torch.ones(2).mean().item())", "np.sqrt(paddle.ones(2).mean().item())"),
        ("np.array(torch.ones(2))", "np.array(paddle.ones(2))"),
    ],
)
def test_a_function_of_single_values_becomes_its_namesake(torchs: str, paddles: str) -> None:
    assert f"y = {paddles}\n" in _converted(f"y = {torchs}\n").code


_REPORTED = (
    "np.sqrt(torch.tensor([4, 9]))",
    "np.power(torch.ones(2), 2)",
    "np.isnan(torch.ones(2))",
    "np.reshape(torch.ones(2), (2, 1))",
)


@pytest.mark.parametrize("call", _REPORTED)
def test_a_function_that_paddles_tensors_do_not_take_is_reported(call: str) -> None:
    [finding] = _converted(f"y = {call}\n").unconverted
    assert "x.numpy()" in finding.message


@pytest.mark.parametrize(
    ("torchs", "paddles"),
    [
        ("torch.zeros(3, k)", "paddle.zeros([3, k])"),
        ("torch.ones(k, 2, dtype=torch.int64)", "paddle.ones([k, 2], dtype=paddle.int64)"),
        ("torch.randn((k, 2))", "paddle.randn((k, 2))"),
        ("torch.zeros(np.ones(3).shape)", "paddle.zeros(np.ones(3).shape)"),
        ("torch.zeros(int(k))", "paddle.zeros(int(k))"),
    ],
)
def test_a_size_with_a_number_of_numpy_is_a_list(torchs: str, paddles: str) -> None:
    text = f"k = np.prod((2, 3))\ny = {torchs}\n"
    assert f"y = {paddles}\n" in _converted(text).code


def test_a_fill_value_of_numpy_is_reported() -> None:
    found = _converted("y = torch.full((2,), np.ones(2)[0])\nz = torch.full((2,), 1.0)\n")
    assert [one.range.start.line for one in found.findings if one.code == "TF119"] == [2]


@pytest.mark.parametrize("index", ["::-1", ":, ::-2", "..., 3::-1"])
def test_a_slice_that_counts_backwards_is_reported(index: str) -> None:
    found = _converted(f"x = torch.ones(3, 4)\ny = x[{index}]\n")
    assert any("ValueError" in one.message for one in found.findings)


@pytest.mark.parametrize("value", ["[1, 2]", "np.ones(2)", "torch.ones(2).tolist()"])
def test_other_sequences_may_be_reversed(value: str) -> None:
    found = _converted(f"x = {value}\ny = x[::-1]\n")
    assert not any("ValueError" in one.message for one in found.findings)
