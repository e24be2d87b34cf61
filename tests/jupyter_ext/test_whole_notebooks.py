"""Notebooks as people write them, cell by cell: every cell converts, runs and compares equal."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from IPython.core.interactiveshell import InteractiveShell

import jupyter_ext

NOTEBOOKS = sorted((Path(__file__).parent / "notebooks").glob("*.txt"))


@pytest.fixture
def shell(tmp_path: Path) -> Iterator[InteractiveShell]:
    shell = InteractiveShell.instance()
    shell.reset(new_session=False)
    shell.run_line_magic("load_ext", "jupyter_ext")
    shell.user_ns["folder"] = str(tmp_path)
    yield shell
    shell.run_line_magic("unload_ext", "jupyter_ext")
    InteractiveShell.clear_instance()


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_cell_agrees(path: Path, shell: InteractiveShell) -> None:
    cells = [cell for cell in re.split(r"^# %%\n", path.read_text(), flags=re.M) if cell.strip()]
    for number, cell in enumerate(cells, 1):
        shell.run_cell(f"%%convert --show none\n{cell}", store_history=True).raise_error()
        comparison = jupyter_ext.last_comparison()
        assert comparison.source.strip() == re.sub(r"^%.*\n", "", cell).strip()
        assert comparison.same, f"cell {number} of {path.stem}: {comparison}"
