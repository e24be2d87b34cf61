"""The tests' own house."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

TESTS = Path(__file__).parents[1]


def test_files_of_tests_have_names_of_their_own() -> None:
    # pytest imports files by their bare names, so a second file of a name is not collected.
    places = defaultdict(list)
    for path in TESTS.rglob("test_*.py"):
        places[path.name].append(str(path.relative_to(TESTS)))
    assert [found for found in places.values() if len(found) > 1] == []
