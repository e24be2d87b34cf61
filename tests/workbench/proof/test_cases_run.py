"""Cases in torch alone."""

from __future__ import annotations

import pytest

from workbench.proof.cases import PRELUDE, with_result
from workbench.proof.trial import execute
from workbench.targets import load

# Functions that exist to raise.
_RAISING = frozenset({"torch._check_with"})


@pytest.mark.thorough
def test_a_case_of_each_name_runs() -> None:
    names = [rule for rule in load("paddle").rules if rule.name.startswith("torch.")]
    raising = [
        rule.name
        for rule in names
        if rule.cases and all(execute(PRELUDE + with_result(one), {})[1] for one in rule.cases)
    ]
    assert set(raising) <= _RAISING
