"""Names rewritten in the text itself; libcst writes everything else."""

from __future__ import annotations

import ast
from collections.abc import Callable

import pytest

from workbench import convert
from workbench.convert.rewrite import edits
from workbench.targets import load

Layout = Callable[[str], str]
START = """\
import torch
import torch.nn.functional as F
from torch import nn
x, y, w = torch.rand(3, 3), torch.rand(3, 3), torch.rand(3, requires_grad=True)
"""
LAYOUTS: list[Layout] = [
    lambda case: case,
    lambda case: case.replace(", ", " ,  # so\n    "),
    lambda case: case.replace("=", " = ").replace(")", ",)"),
    lambda case: f"{case}; ä = '…', {case.splitlines()[-1]}",
]


def texts(every: int) -> list[str]:
    """Return a share of the rules' cases, in several layouts in turn, some in one text."""
    cases = [case for rule in load("paddle").rules for case in rule.cases][::every]
    found = []
    for index, case in enumerate(cases):
        text = LAYOUTS[index % len(LAYOUTS)](case)
        try:
            ast.parse(text)
        except SyntaxError:
            text = case
        found.append(f"{text}\n")
    return [START + "".join(found[start : start + 50]) for start in range(0, len(found), 50)]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("every", [30, pytest.param(10, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("style", ["plain", "exact"])
def test_it_is_what_libcst_writes(style: str, every: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three of four expressions are written so; here all of them are written both ways."""
    renamed_codes: list[str] = []

    def never(code: str, *rest: object) -> None:
        renamed_codes.append(code)

    for source in texts(every):
        short = convert(source, style=style).code
        with monkeypatch.context() as patched:
            patched.setattr(edits, "renamed", never)
            assert short == convert(source, style=style).code
    assert len(renamed_codes) > 5_000 / every
