"""`%convert_notebook`: the converted notebook, its report, and the cells run on both sides."""

from __future__ import annotations

from pathlib import Path

import pytest

from jupyter_ext.errors import ConvertError
from jupyter_ext.notebook_command import convert_notebook, read_notebook_line, this_notebook
from jupyter_ext.notebook_run import as_lines, run_notebook
from tests.jupyter_ext.notebook_files import read, stream, titled, write


@pytest.fixture
def notebook(tmp_path: Path) -> Path:
    sources = ["import torch", "x = torch.ones(2, 3)", "%%bash\ntrue", "y = x.sum(dim=1)\nprint(y)"]
    path = tmp_path / "sums.ipynb"
    write(titled("# Sums", *sources), path)
    return path


def test_the_converted_notebook_and_its_report_stand_beside_it(notebook: Path) -> None:
    before = notebook.read_bytes()
    written = convert_notebook(notebook)
    assert written.notebook == notebook.with_name("sums.paddle.ipynb")
    cells = read(written.notebook).cells
    assert cells[0].source == "# Sums"
    assert cells[2].source == "x = paddle.ones(2, 3)"
    assert "<html" in written.page.read_text()
    assert "2 of 2" in written.summary() or "3 of 3" in written.summary()
    assert notebook.read_bytes() == before


def test_a_diff_shows_what_was_converted_and_nothing_else(notebook: Path) -> None:
    before = read(notebook)
    before.metadata["authors"] = [{"name": "Ada"}]
    cell = before.cells[4]
    cell.metadata["tags"] = ["sums"]
    cell.execution_count = 3
    cell.outputs = [stream("tensor([3., 3.])\n")]
    write(before, notebook)
    written = convert_notebook(notebook)
    # Line by line, as a plain diff has it.
    texts = (path.read_text().splitlines() for path in (notebook, written.notebook))
    lines = zip(*texts, strict=True)
    assert [(ours.strip(), theirs.strip()) for ours, theirs in lines if ours != theirs] == [
        ('"import torch"', '"import paddle"'),
        ('"x = torch.ones(2, 3)"', '"x = paddle.ones(2, 3)"'),
    ]


def test_a_module_beside_that_uses_torch_is_named(tmp_path: Path) -> None:
    (tmp_path / "mylib.py").write_text("import torch\n")
    (tmp_path / "plain.py").write_text("x = 1\n")
    path = tmp_path / "uses.ipynb"
    write(titled("# Uses", "import torch\nimport plain\nfrom mylib import Head"), path)
    said = convert_notebook(path).summary()
    assert "the notebook imports mylib.py, which stays as it is" in said
    assert "plain.py" not in said


def test_nothing_is_written_over_unasked(notebook: Path) -> None:
    written = convert_notebook(notebook)
    written.notebook.write_text("mine")
    with pytest.raises(ConvertError, match=r"sums\.paddle"):
        convert_notebook(notebook)
    assert written.notebook.read_text() == "mine"
    convert_notebook(notebook, force=True)
    assert "paddle.ones" in written.notebook.read_text()


def test_what_cannot_be_read_is_one_message(tmp_path: Path) -> None:
    with pytest.raises(ConvertError, match="no such file"):
        convert_notebook(tmp_path / "missing.ipynb")
    with pytest.raises(ConvertError, match="--colour"):
        read_notebook_line("a.ipynb --colour red")


def test_the_frontend_may_tell_which_notebook_it_is(
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
