"""The text of ordinary programs in the plain style, held against golden files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from workbench import convert

PROGRAMS = sorted((Path(__file__).parents[2] / "programs" / "ordinary").glob("*.py"))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.stem)
def test_the_text_of_a_port_stays(program: Path, golden: Callable[[str, str], None]) -> None:
    found = convert(program.read_text(encoding="utf-8"), style="plain")
    golden(f"{program.stem}.txt", found.code)
