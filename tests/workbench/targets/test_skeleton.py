"""A second target takes a folder of its own and nothing else: here NumPy, in `skeleton/`."""

from __future__ import annotations

from pathlib import Path

import pytest

import workbench
from workbench import targets


@pytest.fixture(autouse=True)
def skeleton(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the folder `skeleton` lay beside `paddle`."""
    monkeypatch.setattr(targets, "__path__", [*targets.__path__, str(Path(__file__).parent)])
    monkeypatch.setattr(targets, "NAMES", (*targets.NAMES, "skeleton"))


def test_it_is_found_by_its_name_and_version() -> None:
    assert targets.load("skeleton==2.0").title == "NumPy"
    assert {"skeleton", "skeleton==2.0"} <= set(targets.specs())


def test_it_converts_what_it_has_a_rule_for() -> None:
    source = "import torch\n\n\ndef pair(x, y):\n    return torch.cat([x, y])\n"
    converted = workbench.convert(source, target="skeleton")
    assert converted.code == (
        "import numpy\n\n\ndef pair(x, y):\n    return numpy.concatenate([x, y], axis=0)\n"
    )
    assert not converted.unconverted


def test_it_says_in_its_own_words_what_it_cannot_convert() -> None:
    source = """import torch

layer = torch.nn.Linear(2, 3)
stacked = torch.stack([layer.weight])
read = getattr(torch, name)(stacked)
"""
    words = " ".join(found.message for found in workbench.check(source, target="skeleton"))
    assert "torch.nn.Linear: NumPy has no layers" in words
    assert "torch.stack: there is no rule for it yet" in words
    assert "NumPy's own of that name may differ" in words
    assert "paddle" not in words.lower()
