"""Public models are captured, lowered and equal; the committed table says which."""

from __future__ import annotations

from pathlib import Path

import pytest
from model_bench import run
from model_zoo import entries

TABLE = Path(__file__).parent / "RESULTS.md"
# One of each kind here; `python tests/models/model_bench.py` runs them all and writes the table.
QUICK = ("timm/resnet10t", "transformers/Bert", "transformers/Llama", "transformers/ViT")


@pytest.mark.parametrize("name", QUICK)
def test_a_public_model_arrives_equal(name: str) -> None:
    pytest.importorskip(name.partition("/")[0])
    entry = next(entry for entry in entries() if entry.id == name)
    outcome = run(entry)
    assert outcome.verdict == "equal", f"{outcome.difference} {outcome.note}"


def test_the_committed_table_is_of_these_models() -> None:
    rows = [line.split(" | ") for line in TABLE.read_text().splitlines() if line.startswith("| ")]
    verdicts = {row[0].removeprefix("| "): row[1] for row in rows if "/" in row[0]}
    assert set(verdicts) == {entry.id for entry in entries()}
    assert sum(verdict == "equal" for verdict in verdicts.values()) >= 100
