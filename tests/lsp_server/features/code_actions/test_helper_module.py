"""Helpers that a fix needs, in the module next to the file, requested over the protocol."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from tests.lsp_server.lsp_session import Session, apply

MAX = "import torch\n\n\ndef f(x: torch.Tensor):\n    return x.max(0)\n"
MODULE = "torchferry_helpers.py"
FIX_ALL = "source.fixAll.torchferry"
EXACT = {"style": "exact"}


def convert_file(
    session: Session, file: Path, text: str, options: dict[str, Any] | None = None
) -> list[Any]:
    """Return the document changes of converting a whole file."""
    session.initialize(["utf-16"], creates=True, options=options)
    file.write_text(text)
    session.open(file.as_uri(), text)
    [action] = session.actions(file.as_uri(), _whole(text), only=[FIX_ALL])
    edit = session.resolve(action).edit
    assert edit and edit.document_changes
    return list(edit.document_changes)


def _whole(text: str) -> types.Range:
    return types.Range(types.Position(0, 0), types.Position(text.count("\n"), 0))


def test_a_fix_creates_the_module_in_the_same_edit(bare: Session, tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    created, filled, own = convert_file(bare, file, MAX, EXACT)
    assert isinstance(created, types.CreateFile)
    assert created.uri == filled.text_document.uri == (tmp_path / MODULE).as_uri()
    assert filled.text_document.version is None
    module = apply("", filled.edits)
    assert "import paddle\n" in module and "def torch_max(" in module
    changed = apply(MAX, own.edits)
    assert "from torchferry_helpers import torch_max\n" in changed
    assert "def torch_max" not in changed
    # The preview and the command show the text that the fix writes.
    assert bare.command("preview", file.as_uri())["code"] == changed
    place = tmp_path / "out" / "a.py"
    place.parent.mkdir()
    order = {"source": file.as_uri(), "destination": place.as_uri()}
    assert bare.command("convert", order)["exit_code"] == 0
    assert place.read_text() == changed
    assert (place.parent / MODULE).read_text() == module


def test_a_fix_extends_the_module_and_keeps_what_it_has(bare: Session, tmp_path: Path) -> None:
    first, filled, _ = convert_file(bare, tmp_path / "a.py", MAX, EXACT)
    assert isinstance(first, types.CreateFile)
    module = tmp_path / MODULE
    there = apply("", filled.edits) + "\n\ndef mine():\n    return 1\n"
    module.write_text(there)
    text = MAX.replace("max(0)", "sort(0)")
    other = tmp_path / "b.py"
    other.write_text(text)
    bare.open(other.as_uri(), text)
    [action] = bare.actions(other.as_uri(), _whole(text), only=[FIX_ALL])
    edit = bare.resolve(action).edit
    assert edit and edit.document_changes
    extended, own = edit.document_changes
    assert isinstance(extended, types.TextDocumentEdit)
    assert isinstance(own, types.TextDocumentEdit)
    new = apply(there, list(extended.edits))
    assert new.startswith(there.rstrip("\n")) and "def torch_sort(" in new
    assert new.count("import paddle\n") == 1
    assert "import torch_sort\n" in apply(text, list(own.edits))


@pytest.mark.parametrize("why", ["no files", "inline", "theirs", "half-typed"])
def test_helpers_are_in_the_file_if_it_cannot_have_a_module(
    bare: Session, tmp_path: Path, why: str
) -> None:
    file = tmp_path / "a.py"
    file.write_text(MAX)
    options = {**EXACT, "helpers": "inline" if why == "inline" else ""}
    if why == "theirs":
        (tmp_path / MODULE).write_text("mine = 1\n")
    elif why == "half-typed":
        head = "Functions that the converted code of this project relies on, made by Torchferry."
        (tmp_path / MODULE).write_text(f'"""{head}"""\ndef f(\n')
    bare.initialize(["utf-16"], creates=why != "no files", options=options)
    bare.open(file.as_uri(), MAX)
    [action] = bare.actions(file.as_uri(), _whole(MAX), only=[FIX_ALL])
    edit = bare.resolve(action).edit
    assert edit and edit.document_changes
    [own] = edit.document_changes
    assert isinstance(own, types.TextDocumentEdit)
    assert "def torch_max(" in apply(MAX, list(own.edits))


def test_one_fix_after_another_ends_where_the_whole_file_does(
    bare: Session, tmp_path: Path
) -> None:
    bare.initialize(["utf-16"], creates=True, options=EXACT)
    text = MAX + "\n\ndef g(x: torch.Tensor):\n    return x.sort(0)\n"
    file, module = tmp_path / "a.py", tmp_path / MODULE
    file.write_text(text)
    for member in ("x.sort", "x.max", "torch.Tensor", "torch.Tensor"):
        bare.open(file.as_uri(), text)
        before = text[: text.index(member) + len(member) - 1].split("\n")
        at = types.Position(len(before) - 1, len(before[-1]))
        where = types.Range(at, at)
        [action, *_] = bare.actions(file.as_uri(), where, only=["quickfix"])
        edit = bare.resolve(action).edit
        assert edit and edit.document_changes
        for change in edit.document_changes:
            if isinstance(change, types.TextDocumentEdit):
                if change.text_document.uri == file.as_uri():
                    text = apply(text, list(change.edits))
                else:
                    there = module.read_text() if module.exists() else ""
                    module.write_text(apply(there, list(change.edits)))
        compile(text, "a.py", "exec")
    assert "import torch\n" not in text and "def torch_" not in text
    assert "from torchferry_helpers import torch_max, torch_sort\n" in text
    assert "def torch_max(" in module.read_text() and "def torch_sort(" in module.read_text()


def test_the_style_is_a_setting_and_the_projects_where_the_editor_says_none(
    bare: Session, tmp_path: Path
) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.torchferry]\nstyle = "exact"\n')
    text = "import torch\nlayer = torch.nn.Linear(2, 3)\n"
    exact = convert_file(bare, tmp_path / "a.py", text)
    assert "TorchLinear" in apply(text, exact[-1].edits)


def test_the_editors_style_overrides_the_projects(bare: Session, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.torchferry]\nstyle = "exact"\n')
    text = "import torch\nlayer = torch.nn.Linear(2, 3)\n"
    [own] = convert_file(bare, tmp_path / "a.py", text, {"style": "plain"})
    assert "TorchLinear" not in apply(text, own.edits)


def test_titles_say_what_stays_and_why(bare: Session, tmp_path: Path) -> None:
    text = (
        "import torch\n\n\ndef f(x: torch.Tensor):\n"
        "    torch.stack(no=x)\n    return torch.abs(x), torch.exp(x)\n"
    )
    bare.initialize(["utf-16"], options=EXACT)
    bare.open("file:///t.py", text)
    [action] = bare.actions("file:///t.py", _whole(text), only=[FIX_ALL])
    assert action.title.endswith("; 1 not converted: torch.stack (no equivalent)")
    at = types.Range(types.Position(4, 0), types.Position(4, 0))
    [scope] = bare.actions("file:///t.py", at, only=["refactor"])
    assert scope.title.startswith("Convert function f (")
    assert scope.title.endswith("; 1 not converted: torch.stack (no equivalent)")
