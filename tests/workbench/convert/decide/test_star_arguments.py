"""Calls that pass arguments with * or **."""

from __future__ import annotations

import pytest

import workbench


def _written(call: str) -> str:
    conversion = workbench.convert(f"import torch\nimport torch.nn as nn\nr = {call}\n")
    assert not conversion.unconverted
    return conversion.code.rstrip("\n").split("\n")[-1].removeprefix("r = ")


@pytest.mark.parametrize(
    ("call", "written"),
    [
        ("torch.zeros(2, 3, **options)", "paddle.zeros(2, 3, **options)"),
        (
            "torch.prod(x, **options)",
            "(lambda input, dim=None, keepdim=False, *, dtype=None: "
            "torch_prod(input, dim, keepdim, dtype=dtype))(x, **options)",
        ),
        (
            "torch.ones(3).cumsum(**options)",
            "(lambda self, dim, *, dtype=None: "
            "torch_cumulative(self, dim, paddle.cumsum, dtype))(paddle.ones(3), **options)",
        ),
    ],
)
def test_a_callable_with_torchs_arguments_is_written(call: str, written: str) -> None:
    assert _written(call) == written


def test_a_linear_layer_takes_them_in_torchs_layout() -> None:
    conversion = workbench.convert("from torch import nn\nr = nn.Linear(*sizes, **options)\n")
    assert "\nr = paddle.compat.nn.Linear(*sizes, **options)\n" in conversion.code
    assert not conversion.helpers


def test_a_name_of_the_function_passes_them_on_unchanged() -> None:
    code = "import torch\nf = torch.nn.functional.max_unpool2d\nr = f(*pair, **options)\n"
    conversion = workbench.convert(code)
    assert not conversion.unconverted
    assert "\nr = f(*pair, **options)\n" in conversion.code


def test_a_result_that_is_written_elsewhere_is_not_lost() -> None:
    code = "import torch\nt = torch.empty(2)\nr = torch.sub(*parts, out=t)\n"
    (finding,) = workbench.convert(code).unconverted
    assert "torch.sub" in finding.message
    assert "torch_out(" in workbench.convert(code.replace("sub", "maximum")).code


def test_keyword_only_parameters_of_the_target_are_not_filled_by_position() -> None:
    converted = workbench.convert("import torch\nr = torch.clamp_max(*parts)\n").code
    assert "r = (lambda input, max: torch_clamp(input, max=max))(*parts)" in converted


def test_where_nothing_takes_them_the_call_is_refused() -> None:
    conversion = workbench.convert("import torch\nr = torch.jit.trace(*parts)\n")
    (finding,) = conversion.unconverted
    assert "write them out" in finding.message


@pytest.mark.parametrize("call", ["torch.addcdiv(x, 2, *pair)", "torch.addmm(0.5, x, *pair)"])
def test_a_number_in_an_order_of_old_code_is_not_taken_for_a_tensor(call: str) -> None:
    (finding,) = workbench.convert(f"import torch\nr = {call}\n").unconverted
    assert "deprecated order" in finding.message


@pytest.mark.parametrize("call", ["torch.acos(*given)", "torch.acos(**named)"])
def test_unpacked_values_are_known_to_lack_a_kernel(call: str) -> None:
    conversion = workbench.convert(
        "import torch\nt = torch.tensor([0.5], dtype=torch.bfloat16)\n"
        f"given, named = [t], {{'input': t}}\nr = {call}\n"
    )
    messages = [row.message for row in conversion.findings if row.name == "torch.acos"]
    assert messages == [
        "torch.acos becomes paddle.acos: on a CPU Paddle raises an error for tensors of bfloat16"
    ]
