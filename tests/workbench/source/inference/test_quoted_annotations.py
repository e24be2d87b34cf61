"""Annotations written as strings: their names are uses, and convert where they stand."""

from __future__ import annotations

import pytest

from workbench.convert.conversion import convert
from workbench.source.analysis import analyse
from workbench.source.uses import UseKind

PRELUDE = "import torch\nfrom torch import Tensor\n"


@pytest.mark.parametrize(
    ("line", "written"),
    [
        ("x: 'torch.Tensor'", "x: 'paddle.Tensor'"),
        ("x: dict[torch.Tensor, 'Tensor']", "x: dict[Tensor, 'Tensor']"),
        (
            "def f(é: 'torch.Tensor', b: 'nn.Module') -> 'Tensor': ...",
            "def f(é: 'Tensor', b: 'nn.Layer') -> 'Tensor': ...",
        ),
    ],
)
def test_names_in_strings_convert(line: str, written: str) -> None:
    conversion = convert(f"{PRELUDE}from torch import nn\n{line}\n")
    assert written in conversion.code.split("\n")
    assert "torch" not in conversion.code


@pytest.mark.parametrize(
    "line",
    [
        'x: "Tensor | None"  # why',
        "x: list['Tensor']",
        "Kind: TypeAlias = 'Tensor'",
        "x = typing.cast('Tensor', y)",
    ],
)
def test_names_that_the_target_has_too_stay_in_strings(line: str) -> None:
    conversion = convert(f"{PRELUDE}import typing\n{line}\n")
    assert line in conversion.code.split("\n")
    assert "from paddle import Tensor\n" in conversion.code
    assert "torch" not in conversion.code


@pytest.mark.parametrize(
    "line",
    [
        "x: Literal['Tensor']",
        "x: 'no python at all'",
        "x: '''Tensor'''",
        "x: 'Ten' 'sor'",
        "x = 'torch.Tensor'",
    ],
)
def test_other_strings_stay(line: str) -> None:
    assert line in convert(f"{PRELUDE}from typing import Literal\n{line}\n").code.split("\n")


def test_a_use_in_a_string_has_its_own_position() -> None:
    analysis = analyse(f"{PRELUDE}é: 'int | torch.Tensor' = 1\n")
    (use,) = [use for use in analysis.uses if use.kind is UseKind.ANNOTATION]
    start, end = analysis.span(use.node)
    assert analysis.text[start:end] == "torch.Tensor"


def test_a_name_in_a_string_stays_imported() -> None:
    conversion = convert("import torch\ndef f(x: 'torch.fx.Node', y: 'torch.Tensor'): ...\n")
    assert "import torch\n" in conversion.code
    assert "'torch.fx.Node', y: 'paddle.Tensor'" in conversion.code


def test_converted_strings_convert_to_themselves() -> None:
    code = convert(f"{PRELUDE}x: 'Tensor'\n").code
    assert convert(code).code == code
