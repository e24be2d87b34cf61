"""Reasons of decisions."""

from __future__ import annotations

import pytest

from workbench.convert.history import decisions
from workbench.source.analysis import analyse
from workbench.targets import load


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("getattr(torch, kind)(x)", "are decided without a rule"),
        ("torch.no_such_name(x)", "no rule decides it"),
    ],
)
def test_a_use_without_a_rule_says_what_decided(line: str, reason: str) -> None:
    target = load("paddle")
    analysis = analyse(f"import torch\n{line}\n", facts=target.facts)
    [text] = decisions(analysis, target, 2)
    assert reason in text
