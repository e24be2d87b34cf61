"""Functions passed as values, and called in ways that the target's functions do not allow."""

from __future__ import annotations

import pytest

from tests.workbench.exact import convert

_APPLY = "import torch\ndef apply(f, *given, **named):\n    return f(*given, **named)\n"


@pytest.mark.parametrize(
    ("code", "line"),
    [
        (
            f"{_APPLY}r = apply(torch.movedim, torch.ones(2, 3), 0, 1)\n",
            "r = apply((lambda input, source, destination: "
            "torch_movedim(input, source, destination)), paddle.ones([2, 3]), 0, 1)",
        ),
        (
            "import torch\nf = torch.nn.functional.glu\nr = f(*pair, **options)\n",
            "f = (lambda input, dim=-1: paddle.nn.functional.glu(input, axis=dim))",
        ),
        (
            "import torch\nf = torch.bmm\nt = torch.ones(1, 2, 2).long()\nr = f(input=t, mat2=t)\n",
            "f = (lambda input, mat2: torch_matmul(input, mat2))",
        ),
        (
            "import torch\nt = {'all': torch.all}\nm = torch.ones(2) > 0\nr = t['all'](m, dim=0)\n",
            "t = {'all': (lambda input, dim=None, keepdim=False: "
            "torch_all(input, dim, keepdim=keepdim))}",
        ),
    ],
)
def test_a_callable_with_torchs_arguments_is_passed_on(code: str, line: str) -> None:
    conversion = convert(code)
    assert not conversion.unconverted
    assert line in conversion.code.split("\n")


def test_the_targets_own_function_is_passed_on_if_it_accepts_every_call() -> None:
    code = "import torch\nf = torch.bmm\nt = torch.ones(1, 2, 2)\nr = f(t, t)\n"
    assert "\nf = paddle.bmm\n" in convert(code).code


def test_a_function_that_comes_from_elsewhere_keeps_its_form() -> None:
    code = "import torch\nfrom mine import f\nr = f(*pair)\ng = torch.movedim\ng(*pair)\n"
    conversion = convert(code)
    assert not conversion.unconverted
    assert "r = f(*pair)\n" in conversion.code


@pytest.mark.parametrize("name", ["relu", "silu", "leaky_relu", "hardtanh"])
def test_a_function_called_in_place_somewhere_takes_that_argument_everywhere(name: str) -> None:
    lines = ["import torch.nn.functional as F", f"f = F.{name}", "r = f(y, inplace=True)", "f(r)"]
    conversion = convert("\n".join(lines) + "\n")
    assert not conversion.unconverted
    assert "inplace=False: (" in conversion.code
