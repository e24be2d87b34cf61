"""Variadic arguments inserted into a template as they were written."""

from __future__ import annotations

from tests.workbench.exact import convert


def converted(line: str) -> str:
    return convert(f"import torch.nn as nn\nlayers = [nn.Identity()]\n{line}\n").code


def test_arguments_of_a_variadic_parameter_stay_arguments() -> None:
    code = converted("net = nn.Sequential(nn.Identity(), nn.Identity())")
    assert "net = nn.Sequential(nn.Identity(), nn.Identity())" in code


def test_their_layout_and_their_stars_stay() -> None:
    code = converted("net = nn.Sequential(\n    nn.Identity(),  # first\n    *layers,\n)")
    assert "net = nn.Sequential(\n    nn.Identity(),  # first\n    *layers,\n)" in code


def test_without_arguments_the_call_stays_empty() -> None:
    assert "net = nn.Sequential()" in converted("net = nn.Sequential()")
