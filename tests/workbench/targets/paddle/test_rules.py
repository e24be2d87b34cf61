"""Rules' own cases, run in torch and, converted, in Paddle: all that changed, and a spread.

`make prove` runs all of them and records which rules it ran; what is as it was then, is proved.
"""

from __future__ import annotations

from zlib import crc32

import pytest

from workbench.proof import record
from workbench.proof.cases import prove_case
from workbench.proof.digest import digest
from workbench.rules.rule import Rule
from workbench.targets import load

_TARGET = load("paddle")
_RULES = list(_TARGET.rules)
_KNOWN = record.read(_TARGET.name).rules
_SPREAD = 6


def _is_due(rule: Rule) -> bool:
    """Whether a rule is not as it was when it was proved, or is one of every few."""
    known = _KNOWN.get(rule.name)
    changed = known is None or not known.holds or known.digest != digest(rule, _TARGET)
    return changed or crc32(rule.name.encode()) % _SPREAD == 0


def test_every_rule_that_converts_has_a_case() -> None:
    bare = [rule.name for rule in _RULES if not rule.cases and rule.refusal is None]
    assert bare == []


@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    "rule",
    [rule for rule in _RULES if rule.cases and _is_due(rule)],
    ids=lambda rule: str(rule.name),
)
def test_cases_give_the_same_in_torch_and_paddle(rule: Rule) -> None:
    results = [(case, prove_case(rule.name, case)) for case in rule.cases]
    problems = [
        f"{case}\n    {result.problem}\n{result.converted}"
        for case, result in results
        if result.problem and result.outcome != "skipped"
    ]
    assert not problems, "\n".join(problems)
    if all(result.outcome == "skipped" for _, result in results):
        pytest.skip(results[0][1].detail)
