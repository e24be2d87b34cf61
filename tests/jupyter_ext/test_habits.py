"""Notebooks of many habits: with the magic, each cell gives what it gives without it."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from IPython.core.interactiveshell import InteractiveShell

import jupyter_ext

if TYPE_CHECKING:
    from workbench.compare import Comparison

HERE = Path(__file__).parent
NOTEBOOKS = sorted((HERE / "habits").glob("*.txt"))
# Real differences: bfloat16 on a CPU, kinds of exceptions, the name of a helper.
APART = {"amp": {2}, "mistakes": {6, 7}, "stars": {3}}
STAND_INS = ("matplotlib", "pandas", "tqdm")
# Clocks and addresses, which no two runs share.
VOLATILE = re.compile(r"(0x[0-9a-f]+|(CPU times|Wall time): .*|/tmp/\w+)")


@dataclass(frozen=True)
class Shown:
    """The visible result of a cell that ran."""

    output: str
    errors: str
    raised: str


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch) -> Iterator[InteractiveShell]:
    pytest.importorskip("paddle")
    monkeypatch.syspath_prepend(str(HERE / "stand_ins" / "site-packages"))
    shell = InteractiveShell.instance()
    shell.colors = "nocolor"
    yield shell
    shell.run_line_magic("unload_ext", "jupyter_ext")
    InteractiveShell.clear_instance()
    _forget_stand_ins()


def _forget_stand_ins() -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] in STAND_INS]:
        del sys.modules[name]


def run(shell: InteractiveShell, cells: list[str], magic: str) -> Iterator[Shown]:
    """Run a notebook from its start, each cell under the magic unless it has its own."""
    _forget_stand_ins()
    shell.reset(new_session=True)
    for cell in cells:
        output, errors = io.StringIO(), io.StringIO()
        text = cell if cell.startswith("%%") or not magic else f"{magic}\n{cell}"
        with redirect_stdout(output), redirect_stderr(errors):
            result = shell.run_cell(text, store_history=True)
        raised = result.error_in_exec or result.error_before_exec
        exception = f"{type(raised).__name__}: {raised}" if raised else ""
        yield Shown(
            *(VOLATILE.sub("", each) for each in (_plain(output), _plain(errors), exception))
        )


def _plain(text: io.StringIO) -> str:
    return text.getvalue()


@pytest.mark.one_in(3)
@pytest.mark.parametrize("path", NOTEBOOKS, ids=[path.stem for path in NOTEBOOKS])
def test_the_magic_changes_nothing_that_is_seen(path: Path, shell: InteractiveShell) -> None:
    cells = [cell for cell in re.split(r"^# %%\n", path.read_text(), flags=re.M) if cell.strip()]
    plain = list(run(shell, cells, ""))
    shell.run_line_magic("load_ext", "jupyter_ext")
    different: list[Comparison] = []
    for number, (without, shown) in enumerate(
        zip(plain, run(shell, cells, "%%convert --show none --added"), strict=True), 1
    ):
        assert shown == without, f"cell {number}"
        comparison = jupyter_ext.last_comparison()
        apart = any(row.same is False for row in comparison.rows)
        if apart and number not in APART.get(path.stem, ()):
            different.append(comparison)
    assert not different, "\n".join(map(str, different))
