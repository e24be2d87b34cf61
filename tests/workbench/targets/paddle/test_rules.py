"""Cases of the rules, run in torch and, converted, in Paddle.

Both styles are run. In the exact style, every case gives the same result. In the plain style,
Paddle may raise, and a difference that a finding reports may show. `selection.py` says which rules.
"""

from __future__ import annotations

import pytest

from tests.workbench.exact import TARGET as EXACT_TARGET
from tests.workbench.targets.paddle.selection import selected
from workbench.proof.cases import prove_case
from workbench.proof.snippet import NOTICED
from workbench.targets import EXACT, PLAIN, Target, load

_PLAIN_TARGET = load("paddle", PLAIN)
# Silent differences of plain Paddle in corner cases that are still open.
_NOT_PLAIN = {
    "torch.unique": "of tensors without values",
    "torch.Tensor.unbind": "a list for a tuple",
    "torch.nn.Embedding": "an index of -1, for which torch raises an error",
    "torch.nn.Module.load_state_dict": "a tensor of another size, for which torch raises an error",
    "torch.nn.utils.parametrize.type_before_parametrizations": "the class of a layer that is read",
    "torch.optim.Optimizer.zero_grad": "a gradient that is kept beyond it",
}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    for style in (EXACT, PLAIN):
        if f"{style}_name" in metafunc.fixturenames:
            metafunc.parametrize(f"{style}_name", selected(metafunc.config)[style])


def test_every_rule_that_converts_has_a_case() -> None:
    bare = [rule.name for rule in EXACT_TARGET.rules if not rule.cases and rule.refusal is None]
    assert bare == []


@pytest.mark.timeout(120)
def test_cases_give_the_same_in_torch_and_paddle(exact_name: str) -> None:
    _prove(exact_name, EXACT_TARGET, {"equal", "skipped"})


@pytest.mark.timeout(120)
def test_the_plain_style_gives_the_same_or_reports_a_difference(plain_name: str) -> None:
    _prove(plain_name, _PLAIN_TARGET, {"equal", "skipped", *NOTICED})


def _prove(name: str, target: Target, allowed: set[str]) -> None:
    rule = EXACT_TARGET.rules.get(name)
    assert rule is not None
    results = [(case, prove_case(name, case, target=target)) for case in rule.cases]
    problems = [
        f"{case}\n    {result.problem}\n{result.converted}"
        for case, result in results
        if result.outcome not in allowed and (target is not _PLAIN_TARGET or name not in _NOT_PLAIN)
    ]
    assert not problems, "\n".join(problems)
    if all(result.outcome == "skipped" for _, result in results):
        pytest.skip(results[0][1].detail)
