"""Every rule's own cases, run in torch and, converted, in Paddle."""

from __future__ import annotations

import pytest

from workbench.proof.cases import prove_case
from workbench.rules.rule import Rule
from workbench.targets import load

_RULES = list(load("paddle").rules)


def test_every_rule_that_converts_has_a_case() -> None:
    bare = [rule.name for rule in _RULES if not rule.cases and rule.refusal is None]
    assert bare == []


@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    "rule", [rule for rule in _RULES if rule.cases], ids=lambda rule: str(rule.name)
)
def test_cases_give_the_same_in_torch_and_paddle(rule: Rule) -> None:
    problems = [
        f"{case}\n    {result.problem}\n{result.converted}"
        for case in rule.cases
        if (result := prove_case(rule.name, case)).problem
    ]
    assert not problems, "\n".join(problems)
