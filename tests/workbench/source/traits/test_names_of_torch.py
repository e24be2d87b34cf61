"""Statements with torch's names, kept while a text is typed."""

from __future__ import annotations

import pytest

from workbench.source.analysis import analyse
from workbench.targets import load

TEXT = """\
import torch, paddle
from torch import cat as joined
{}
x = torch.ones(2)
y = {}
z = x
"""


@pytest.mark.parametrize("call", ["paddle.concat(x)", "joined(x)"])
def test_a_renamed_statement_moves_with_the_others(call: str) -> None:
    facts = load("paddle").facts
    before = None
    for above in ("a = 1\n" * 40, "", "a = 1\n" * 3, "a = 1\n\n\nb = 2"):
        before = analyse(TEXT.format(above, call), before, facts=facts)
        found = before.program.traits
        assert "cat" in found.shared
        assert found == analyse(before.text, facts=facts).program.traits
