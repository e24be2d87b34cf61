"""`%convert_notebook`: a notebook's port, its report, and the cells run on both sides."""

from __future__ import annotations

from pathlib import Path

import pytest

from jupyter_ext.errors import ConvertError
from jupyter_ext.notebook_command import read_notebook_line, run_line, this_notebook
from jupyter_ext.notebook_run import as_lines, run_notebook
from tests.jupyter_ext.notebook_files import read, titled, write


@pytest.fixture
def notebook(tmp_path: Path) -> Path:
    sources = ["import torch", "x = torch.ones(2, 3)", "%%bash\ntrue", "y = x.sum(dim=1)\nprint(y)"]
    path = tmp_path / "sums.ipynb"
    write(titled("# Sums", *sources), path)
    return path


def printed_by(line: str) -> str:
    return "\n".join(run_line(read_notebook_line(line), {}))


def test_a_port_and_a_report_are_next_to_the_notebook(notebook: Path) -> None:
    before = notebook.read_bytes()
    text = printed_by(str(notebook))
    port = notebook.with_name("sums_paddle.ipynb")
    assert str(port) in text
    assert read(port).cells[2].source == "x = paddle.ones(2, 3)"
    assert "<html" in notebook.with_name("sums_paddle.report.html").read_text()
    assert notebook.read_bytes() == before


def test_an_edited_port_is_verified_as_it_is(notebook: Path) -> None:
    printed_by(str(notebook))
    port = notebook.with_name("sums_paddle.ipynb")
    edited = read(port)
    edited.cells[2].source = "x = paddle.ones([2, 3])"
    write(edited, port)
    with pytest.raises(ConvertError, match=r"sums_paddle\.ipynb was edited"):
        printed_by(str(notebook))
    text = printed_by(f"{notebook} --verify")
    assert "the existing port is verified" in text
    assert "must be checked again: cell 3: changed in the port" in text
    assert read(port).cells[2].source == "x = paddle.ones([2, 3])"


def test_unreadable_files_are_one_message(tmp_path: Path) -> None:
    with pytest.raises(ConvertError, match="check the path"):
        printed_by(str(tmp_path / "missing.ipynb"))
    with pytest.raises(ConvertError, match="--colour"):
        read_notebook_line("a.ipynb --colour red")
    with pytest.raises(ConvertError, match="unknown target 'jacks'"):
        read_notebook_line("a.ipynb --to jacks")


def test_the_frontend_may_name_the_notebook(
    notebook: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    assert this_notebook({"__vsc_ipynb_file__": str(notebook)}) == notebook
    with pytest.raises(ConvertError, match=r"write %convert_notebook NAME\.ipynb"):
        this_notebook({})
    monkeypatch.setenv("JPY_SESSION_NAME", str(notebook))
    assert this_notebook({}) == notebook


def test_every_cell_is_run_on_both_sides(notebook: Path) -> None:
    outcomes = run_notebook(notebook, "paddle")
    assert [(o.number, o.same) for o in outcomes] == [(2, True), (3, True), (4, None), (5, True)]
    assert as_lines(outcomes).endswith("3 of 3 cells agree on both sides")
