"""The pages of a record, as readers find them in `docs/coverage`."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.errors import UnknownTargetError
from workbench.proof.recording import coverage
from workbench.proof.recording.facts import rule_page
from workbench.proof.recording.record import Record
from workbench.proof.snippet import PLAIN_CASE, Result
from workbench.targets import EXACT, load


@pytest.mark.parametrize(("spec", "both"), [("paddle", True), ("jax", False)])
def test_pages_have_the_columns_of_the_styles_that_a_target_has(
    spec: str, both: bool, tmp_path: Path
) -> None:
    record = Record({"torch": "2", spec: "3"})
    record.add(Result("torch.add", PLAIN_CASE, "", "equal", written=("x + y",)))
    coverage.write(load(spec), record, tmp_path)
    page = (tmp_path / "torch.md").read_text(encoding="utf-8")
    row = next(line for line in page.splitlines() if line.startswith("| `torch.add` |"))
    assert "| `x + y` | all its cases |" in row
    assert ("| exact style | status | proof |" in page) is both
    index = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert ("| convert | refused | cases | samples |" in index) is both
    assert ("the rules' own cases" in index) is False
    assert ((tmp_path / "torch.fx.md").exists()) is both


def test_a_target_without_the_exact_style_says_so() -> None:
    with pytest.raises(UnknownTargetError, match=r"JAX is written in the plain style only.*remove"):
        load("jax", EXACT)


def test_the_page_of_a_rule_shows_the_exact_style_where_there_is_one() -> None:
    assert "## In the exact style" in rule_page("torch.angle", load("paddle"))
    assert "exact style" not in rule_page("torch.angle", load("jax"))
