"""The findings of a workspace for a tree, and fixes of its rows."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

import workbench

if TYPE_CHECKING:
    from pathlib import Path

    from lsp_session import Session

TEXT = """\
import torch

x = torch.relu(torch.zeros(2, 3))
y = "𝒙", torch.relu(x)
torch.no_such_thing(x)
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "deep").mkdir()
    for name in ("one.py", "deep/two.py", "left_out.py"):
        (tmp_path / name).write_text(TEXT)
    (tmp_path / "plain.py").write_text("import json\n")
    (tmp_path / "pyproject.toml").write_text('[tool.torchferry]\nexclude = ["left_out.py"]\n')
    return tmp_path


def overview(session: Session, *uris: str) -> dict[str, list[Any]]:
    answer = plain(session.command("overview", list(uris) or None))
    return {file["uri"].rpartition("/")[2]: file["rows"] for file in answer["files"]}


def plain(answer: Any) -> Any:
    """Return the plain values of objects that the client made."""
    if hasattr(answer, "_asdict"):
        answer = answer._asdict()
    if isinstance(answer, dict):
        return {name: plain(value) for name, value in answer.items()}
    return [plain(each) for each in answer] if isinstance(answer, list | tuple) else answer


def test_files_open_and_not(bare: Session, root: Path) -> None:
    bare.initialize(["utf-16"], folder=root)
    one = (root / "one.py").as_uri()
    bare.open(one, TEXT.replace("torch.zeros", "torch.ones"))
    found = overview(bare)
    assert sorted(found) == ["one.py", "two.py"], "neither excluded ones nor those without torch"
    assert [row["name"] for row in found["one.py"]][1] == "torch.ones", "as it is in the editor"
    assert [row["isUse"] for row in found["two.py"]] == [True] * 4
    assert [row["name"] for row in found["two.py"] if row["stays"]] == ["torch.no_such_thing"]
    assert {row["safety"] for row in found["two.py"]} == {"safe", "can compute differently", None}

    (root / "one.py").unlink()
    bare.close_document(one)
    assert overview(bare, one) == {"one.py": []}


def test_rows_are_converted_and_no_others(bare: Session, root: Path) -> None:
    bare.initialize(["utf-16"], folder=root)
    uri = (root / "one.py").as_uri()
    bare.open(uri, TEXT)

    def converted(places: list[list[int]] | None) -> str:
        bare.edits.clear()
        bare.command("convertRows", uri, places)
        return bare.edited(TEXT)

    rows = [row for row in overview(bare)["one.py"] if row["name"] == "torch.relu"]
    last = rows[-1]["range"]["start"]
    assert last["character"] == TEXT.split("\n")[3].index("torch") + 1, "𝒙 is two units of UTF-16"
    changed = converted([[last["line"], last["character"]]])
    assert '= "𝒙", paddle.nn.functional.relu(x)' in changed and "torch.relu(torch.z" in changed
    assert converted(None) == workbench.convert(TEXT).code
    with pytest.raises(JsonRpcException, match="Nothing is left to convert"):
        bare.command("convertRows", uri, [[0, 3]])
    with pytest.raises(JsonRpcException, match="pair of a line"):
        bare.command("convertRows", uri, [5])
    bare.applies = False
    with pytest.raises(JsonRpcException, match="changed in the meantime; convert it again"):
        bare.command("convertRows", uri, None)


def test_findings_are_kept_while_nothing_changes(
    unstarted: Session,
    root: Path,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("TORCHFERRY_CACHE_HOME", str(home))

    def kept() -> int:
        return len(list(home.glob("*/*.json")))

    unstarted.start()
    unstarted.initialize(["utf-16"], folder=root)
    first = overview(unstarted)
    assert overview(unstarted) == first and kept() == 2

    two = root / "deep" / "two.py"
    two.write_text(TEXT.replace("torch.zeros", "torch.ones"))
    assert [row["name"] for row in overview(unstarted)["two.py"]][1] == "torch.ones"
    assert kept() == 3
    two.write_text(TEXT)
    assert overview(unstarted) == first and kept() == 3

    unstarted.configure(severities={"TF201": "off"})
    names = [row["name"] for row in overview(unstarted)["two.py"]]
    assert names and "torch.no_such_thing" not in names and kept() == 5

    for file in home.glob("*/*.json"):
        file.write_text('["no row"]')
    unstarted.configure()
    assert overview(unstarted) == first, "what is damaged is looked at anew"


def test_notebooks_are_recognized_by_their_cells(bare: Session, root: Path) -> None:
    sources = ["import torch\n", "# Words", "x = torch.zeros(3)\ny = 1, torch.abs(x)"]
    kinds = ["code", "markdown", "code"]
    cells: list[dict[str, Any]] = [
        {"cell_type": kind, "metadata": {}, "source": source}
        | ({"outputs": [], "execution_count": None} if kind == "code" else {})
        for kind, source in zip(kinds, sources, strict=True)
    ]
    book = root / "book.ipynb"
    text = json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    book.write_text(text)
    (root / "broken.ipynb").write_text("torch")
    bare.initialize(["utf-16"], folder=root)
    closed = overview(bare)
    assert sorted(closed) == ["book.ipynb", "one.py", "two.py"]
    rows = closed["book.ipynb"]
    assert [row["name"] for row in rows] == ["torch.zeros", "torch.abs"]
    assert [row["cell"] for row in rows] == [3, 3]
    assert rows[1]["range"]["start"] == {"line": 1, "character": 7}
    assert rows[1]["at"] == [2, 7], "where it is in all cells as one text"

    book_cells = [
        types.NotebookCell(types.NotebookCellKind.Code, f"cell:{number}") for number in (1, 3)
    ]
    documents = [
        types.TextDocumentItem(f"cell:{number}", "python", 1, sources[number - 1])
        for number in (1, 3)
    ]
    notebook = types.NotebookDocument(book.as_uri(), "jupyter-notebook", 1, book_cells)
    bare.client.notebook_document_did_open(types.DidOpenNotebookDocumentParams(notebook, documents))
    opened = overview(bare, book.as_uri())["book.ipynb"]
    assert [row["cell"] for row in opened] == [2, 2], "as it is in the editor"
