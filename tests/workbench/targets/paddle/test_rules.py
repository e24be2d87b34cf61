"""Rules' own cases, run in torch and, converted, in Paddle: all that changed, and a spread.

Both styles are run. In the exact one every case gives the same; in the plain one Paddle may raise,
and a difference that a finding tells may show. `make prove` runs all cases and records which rules
it ran; what is as it was then, is proved.
"""

from __future__ import annotations

from zlib import crc32

import pytest

from tests.workbench.exact import TARGET as EXACT
from workbench.proof.cases import APART, prove_case
from workbench.proof.recording import record
from workbench.proof.recording.digest import changed_rules
from workbench.rules.rule import Rule
from workbench.targets import Target, load

_PLAIN = load("paddle", "plain")
_RULES = [rule for rule in EXACT.rules if rule.cases]
_KNOWN = record.read(EXACT.name)
_SPREAD = 6
# What plain Paddle does otherwise without a word, in corners that are still to be decided.
_NOT_PLAIN = {
    "torch.unique": "of tensors without values",
    "torch.nn.Embedding": "an index below zero, which torch refuses",
    "torch.nn.Module.load_state_dict": "a weight of another shape, which torch refuses",
    "torch.Tensor.unbind": "a list for a tuple",
    "torch.nn.utils.parametrize.type_before_parametrizations": "the class of a layer that is read",
    "torch.optim.Optimizer.zero_grad": "a gradient that is kept beyond it",
}


def _run(style: str) -> list[Rule]:
    """The rules that are not as they were when they were proved in a style, and a spread."""
    changed = changed_rules(EXACT, _KNOWN, style)
    holds = {name for name, entry in _KNOWN.rules.items() if entry.holds}
    return [
        rule
        for rule in _RULES
        if rule.name in changed
        or rule.name not in holds
        or crc32(f"{style} {rule.name}".encode()) % _SPREAD == 0
    ]


def test_every_rule_that_converts_has_a_case() -> None:
    bare = [rule.name for rule in EXACT.rules if not rule.cases and rule.refusal is None]
    assert bare == []


@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    "rule",
    _run("exact"),
    ids=lambda rule: str(rule.name),
)
def test_cases_give_the_same_in_torch_and_paddle(rule: Rule) -> None:
    _prove(rule, EXACT, {"equal", "skipped"})


@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    "rule",
    _run("plain"),
    ids=lambda rule: str(rule.name),
)
def test_what_is_written_plainly_gives_the_same_or_is_told(rule: Rule) -> None:
    _prove(rule, _PLAIN, {"equal", "skipped", *APART})


def _prove(rule: Rule, target: Target, allowed: set[str]) -> None:
    results = [(case, prove_case(rule.name, case, target=target)) for case in rule.cases]
    problems = [
        f"{case}\n    {result.problem}\n{result.converted}"
        for case, result in results
        if result.outcome not in allowed and (target is not _PLAIN or rule.name not in _NOT_PLAIN)
    ]
    assert not problems, "\n".join(problems)
    if all(result.outcome == "skipped" for _, result in results):
        pytest.skip(results[0][1].detail)
