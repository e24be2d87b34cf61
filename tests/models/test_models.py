"""Public models are captured, lowered and equal; the committed table says which."""

from __future__ import annotations

from pathlib import Path

import pytest
from zoo import Entry, entries

from bench import run

TABLE = Path(__file__).parent / "RESULTS.md"
# One of each kind for every run; `make models` runs the rest.
QUICK = {"timm/resnet10t", "transformers/Bert", "transformers/Llama", "transformers/ViT"}
LIBRARIES = {"timm": "timm", "torchvision": "torchvision", "transformers": "transformers"}


def cases() -> list[object]:
    return [
        pytest.param(entry, id=entry.id, marks=[] if entry.id in QUICK else [pytest.mark.slow])
        for entry in entries()
    ]


@pytest.mark.parametrize("entry", cases())
def test_a_public_model_arrives_equal(entry: Entry) -> None:
    pytest.importorskip(LIBRARIES[entry.library])
    outcome = run(entry)
    assert outcome.verdict == "equal", f"{outcome.difference} {outcome.note}"


def test_the_committed_table_is_of_these_models() -> None:
    rows = [line.split(" | ") for line in TABLE.read_text().splitlines() if line.startswith("| ")]
    verdicts = {row[0].removeprefix("| "): row[1] for row in rows if "/" in row[0]}
    assert set(verdicts) == {entry.id for entry in entries()}
    assert sum(verdict == "equal" for verdict in verdicts.values()) >= 100
