"""Made-up programs: nothing is raised, and what comes out is sound in all that can be checked."""

from __future__ import annotations

import ast
import os
import warnings
from collections.abc import Callable
from typing import TypeVar

import pytest
from hypothesis import HealthCheck, assume, given, seed, settings
from hypothesis import strategies as st

from bench.wild.examining import problems
from tests.seed import current
from tests.workbench.property.programs import programs
from workbench import SourceError, apply_edits, check, convert

Test = TypeVar("Test", bound=Callable[..., None])


def bounded(test: Test) -> Test:
    """Run a test on a few programs, which are others with each commit, or on as many as asked for.

    What fails is shown with its program, and `TORCHFERRY_SEED` makes the same ones again.
    """
    few = settings(
        max_examples=int(os.environ.get("TORCHFERRY_EXAMPLES", "15")),
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    made: Test = few(seed(current())(test))
    return made


def _parses(text: str) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        try:
            ast.parse(text)
        except SyntaxError:
            return False
    return True


@bounded
@given(programs())
def test_conversions_are_sound(text: str) -> None:
    assume(_parses(text))
    assert problems(text, convert(text)) == []


@bounded
@given(programs())
def test_each_fix_leaves_a_program_that_parses(text: str) -> None:
    assume(_parses(text))
    for finding in check(text)[:5]:
        if finding.fix is not None:
            assert _parses(apply_edits(text, finding.fix.edits)), finding.message


@bounded
@given(programs(), st.integers(0, 2_000))
def test_broken_programs_are_reported_with_their_location(text: str, cut: int) -> None:
    broken = f"{text[:cut]}\nx = ("
    with pytest.raises(SourceError, match=r":\d+:\d+: "):
        convert(broken)
    check(broken)
