"""Notebooks as people write them, cell by cell: every cell converts, runs and compares equal."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from IPython.core.interactiveshell import InteractiveShell

import jupyter_ext

NOTEBOOKS = sorted((Path(__file__).parent / "notebooks").glob("*.txt"))

# A difference of plain Paddle: the shape of a linear layer's weight.
SHOWN_OTHERWISE = {"attention"}
RUNS = [
    pytest.param(path, style, id=f"{path.stem}-{style}")
    for path in NOTEBOOKS
    for style in ("exact", "plain")
    if style == "exact" or path.stem not in SHOWN_OTHERWISE
]


@pytest.fixture
def shell(tmp_path: Path) -> Iterator[InteractiveShell]:
    shell = InteractiveShell.instance()
    shell.reset(new_session=False)
    shell.run_line_magic("load_ext", "jupyter_ext")
    shell.user_ns["folder"] = str(tmp_path)
    yield shell
    shell.run_line_magic("unload_ext", "jupyter_ext")
    InteractiveShell.clear_instance()


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("path", "style"), RUNS)
def test_every_cell_agrees(path: Path, style: str, shell: InteractiveShell) -> None:
    cells = [cell for cell in re.split(r"^# %%\n", path.read_text(), flags=re.M) if cell.strip()]
    for number, cell in enumerate(cells, 1):
        magic = f"%%convert --style {style} --show none"
        shell.run_cell(f"{magic}\n{cell}", store_history=True).raise_error()
        comparison = jupyter_ext.last_comparison()
        assert comparison.source.strip() == re.sub(r"^%.*\n", "", cell).strip()
        assert comparison.same, f"cell {number} of {path.stem}: {comparison}"
