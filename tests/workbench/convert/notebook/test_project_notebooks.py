"""Notebooks: one program in cells."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.workbench.convert.project.project_tree import converted, result
from workbench.cli import cli
from workbench.convert.report.report import Report

KERNEL = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}

_EXACT = '[tool.torchferry]\nstyle = "exact"\n'  # with helpers, which stand below magics


def code(source: str | list[str], **more: Any) -> dict[str, Any]:
    output = {"output_type": "stream", "name": "stdout", "text": ["torch"]}
    cell = {"cell_type": "code", "execution_count": 7, "metadata": {}, "outputs": [output]}
    return {**cell, "source": source, **more}


def notebook(folder: Path, cells: Sequence[dict[str, Any]], **more: Any) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    data = {"cells": cells, "metadata": KERNEL, "nbformat": 4, "nbformat_minor": 5, **more}
    text = json.dumps(data, indent=1, ensure_ascii=False) + "\n"
    (folder / "n.ipynb").write_text(text, encoding="utf-8")
    return folder


def convert(source: Path, out: Path) -> tuple[Report, list[str]]:
    """The report, and the text of each cell afterwards."""
    report = converted(source, out)
    cells = json.loads((out / "n.ipynb").read_text(encoding="utf-8"))["cells"]
    return report, ["".join(cell["source"]) for cell in cells]


def test_cells_are_converted_as_one_program(tmp_path: Path) -> None:
    source = notebook(
        tmp_path / "in",
        [
            code("import torch"),
            {"cell_type": "markdown", "metadata": {}, "source": "# import torch"},
            code(["def f(x: torch.Tensor):\n", "    return x.view(2, 3)\n"]),
            code("y = f(torch.stack([]))\ny.unsqueeze(0)"),
        ],
    )
    report, cells = convert(source, tmp_path / "out")
    assert cells[0] == "import paddle"
    assert cells[1] == "# import torch"
    assert cells[2].startswith("def f(x: paddle.Tensor):\n    return x.")
    assert "paddle.stack([])" in cells[3]
    assert "torch" not in cells[3]
    assert report.exit_code == 0


def test_nothing_but_sources_changes(tmp_path: Path) -> None:
    cell = code("import torch", metadata={"tags": ["é"]}, id="abc")
    source = notebook(tmp_path / "in", [cell], metadata={**KERNEL, "mine": [1, 2.50]})
    before = json.loads((source / "n.ipynb").read_text())
    convert(source, tmp_path / "out")
    text = (tmp_path / "out" / "n.ipynb").read_text(encoding="utf-8")
    after = json.loads(text)
    before["cells"][0] |= {"source": "import paddle", "outputs": [], "execution_count": None}
    assert after == before
    assert list(after) == list(before)
    assert text == json.dumps(before, indent=1, ensure_ascii=False) + "\n"


def test_outputs_of_converted_cells_are_removed_and_reported(tmp_path: Path) -> None:
    sources = ["import torch", "rows = [1]\nrows", "y = torch.ones(2)\ny"]
    source = notebook(tmp_path / "in", [code(one) for one in sources])
    done = CliRunner().invoke(cli, ["convert", str(source), "-o", str(tmp_path / "out")])
    written = json.loads((tmp_path / "out" / "n.ipynb").read_text())["cells"]
    assert [bool(cell["outputs"]) for cell in written] == [False, True, False]
    assert [cell["execution_count"] for cell in written] == [None, 7, None]
    assert "removed from 2 converted cells" in done.output


def test_a_notebook_without_torch_stays_byte_for_byte(tmp_path: Path) -> None:
    source = notebook(tmp_path / "in", [code("x = 1  # torch is not imported")])
    before = (source / "n.ipynb").read_bytes()
    convert(source, tmp_path / "out")
    assert (tmp_path / "out" / "n.ipynb").read_bytes() == before


def test_magics_stay_and_come_first(tmp_path: Path) -> None:
    source = notebook(
        tmp_path / "in",
        [
            code("%matplotlib inline\nimport torch"),
            code("%%time\nx: torch.Tensor = torch.ones(2)\n%timeit x.max(0)\n!ls\nx?"),
            code("%%bash\nimport torch"),
        ],
    )
    (source / "pyproject.toml").write_text(_EXACT)
    _, cells = convert(source, tmp_path / "out")
    assert cells[0].startswith(("%matplotlib inline\nimport", "%matplotlib inline\nfrom"))
    assert "from torchferry_helpers import torch_max" in cells[0]
    assert "def torch_max" in (tmp_path / "out" / "torchferry_helpers.py").read_text()
    lines = cells[1].splitlines()
    assert lines[0] == "%%time"
    assert lines[2:] == ["%timeit torch_max(x, 0)", "!ls", "x?"]
    assert cells[2] == "%%bash\nimport torch"


def test_imports_never_precede_a_cell_magic(tmp_path: Path) -> None:
    source = notebook(
        tmp_path / "in",
        [
            code("%%bash\nls"),
            code(
                "%%capture\ndef f():\n    import torch\n    x: torch.Tensor = torch.ones(2)\n"
                "    return x.max(0)"
            ),
        ],
    )
    (source / "pyproject.toml").write_text(_EXACT)
    _, cells = convert(source, tmp_path / "out")
    assert cells[0] == "%%bash\nls"
    assert cells[1].startswith("%%capture\n")
    assert "    from torchferry_helpers import torch_max\n" in cells[1]


def test_remaining_uses_are_reported_by_cell(tmp_path: Path) -> None:
    source = notebook(
        tmp_path / "in",
        [
            code("import torch"),
            {"cell_type": "raw", "metadata": {}, "source": ""},
            code("x = 1\ntorch.stack(no=y)"),
        ],
    )
    report, cells = convert(source, tmp_path / "out")
    assert report.exit_code == 1
    [row] = result(report, "n.ipynb").rows
    assert (row.cell, row.line, row.before, row.code) == (3, 2, "torch.stack(no=y)", "TF200")
    assert cells[0] == "import torch"
    assert cells[2].splitlines()[1].startswith("# torchferry TF200")


def test_a_cell_that_does_not_parse_is_named(tmp_path: Path) -> None:
    source = notebook(tmp_path / "in", [code("import torch"), code("x = 1\ny = (")])
    report = converted(source, tmp_path / "out")
    failure = result(report, "n.ipynb").failure or ""
    assert "n.ipynb: cell 2, line 2:" in failure
    assert "fix the syntax there" in failure
    assert not (tmp_path / "out" / "n.ipynb").exists()


def test_other_languages_are_copied(tmp_path: Path) -> None:
    metadata = {"kernelspec": {"language": "R", "name": "ir", "display_name": "R"}}
    source = notebook(tmp_path / "in", [code("library(torch)\nx <- 1")], metadata=metadata)
    before = (source / "n.ipynb").read_bytes()
    report = converted(source, tmp_path / "out")
    assert report.exit_code == 0
    assert (tmp_path / "out" / "n.ipynb").read_bytes() == before


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"cells": [torch', "invalid JSON at line 1"),
        ('["torch"]', "its JSON is not an object"),
        ('{"torch": 1}', "it has no list of cells"),
        ('{"cells": ["torch"]}', "it has no list of cells"),
        ('{"worksheets": [], "x": "torch"}', "a format before 4"),
        ('{"cells": [{"cell_type": "code", "source": 1, "x": "torch"}]}', "cell 1 has no text"),
        ("[" * 100_000 + '"torch"', "nested too deeply"),
    ],
)
def test_broken_notebooks_get_one_message(tmp_path: Path, text: str, message: str) -> None:
    source = tmp_path / "in"
    source.mkdir()
    (source / "n.ipynb").write_text(text)
    (source / "a.py").write_text("import torch\n")
    report = converted(source, tmp_path / "out")
    [failed] = report.failures()
    assert "n.ipynb" in (failed.failure or "")
    assert message in (failed.failure or "")
    assert (tmp_path / "out" / "a.py").read_text() == "import paddle\n"
    assert report.exit_code == 2
