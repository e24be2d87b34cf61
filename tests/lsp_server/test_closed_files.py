"""Files that are not open are checked too, where the user wants it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from lsprotocol import types

if TYPE_CHECKING:
    from pathlib import Path

    from lsp_session import Session

TEXT = "import torch\n\nx = torch.relu(torch.zeros(2, 3))\n"
WANTED = {"diagnosticMode": "workspace"}


def folder(tmp_path: Path) -> Path:
    (tmp_path / "deep").mkdir()
    for name in ("one.py", "two.py", "deep/three.py", "left_out.py"):
        (tmp_path / name).write_text(TEXT)
    (tmp_path / "plain.py").write_text("import json\n")
    (tmp_path / "notes.txt").write_text(TEXT)
    (tmp_path / "pyproject.toml").write_text('[tool.torchferry]\nexclude = ["left_out.py"]\n')
    return tmp_path


def ask(session: Session, known: dict[str, str]) -> dict[str, Any]:
    previous = [types.PreviousResultId(uri, value) for uri, value in known.items()]
    answer = session.run(
        session.client.workspace_diagnostic_async(types.WorkspaceDiagnosticParams(previous))
    )
    return {item.uri.rpartition("/")[2]: item for item in answer.items}


def test_pulled(bare: Session, tmp_path: Path) -> None:
    root = folder(tmp_path)
    able = bare.initialize(["utf-16"], pulls=True, folder=root, options=WANTED).capabilities
    assert able.diagnostic_provider and able.diagnostic_provider.workspace_diagnostics
    bare.open((root / "one.py").as_uri(), TEXT)
    found = ask(bare, {})
    assert set(found) == {"two.py", "three.py", "plain.py"}, "neither open nor excluded ones"
    assert len(found["two.py"].items) == 2 and not found["plain.py"].items

    (root / "two.py").unlink()
    known = {item.uri: item.result_id for item in found.values()}
    again = ask(bare, known)
    assert again["three.py"].kind == "unchanged"
    assert again["two.py"].items in ((), []), "what was said of a file that is gone is taken back"


def test_pushed(bare: Session, tmp_path: Path) -> None:
    root = folder(tmp_path)
    bare.initialize(["utf-16"], folder=root, extras=True, options=WANTED)
    three = (root / "deep" / "three.py").as_uri()
    assert len(bare.await_published(three, lambda params: True).diagnostics) == 2
    (root / "deep" / "three.py").unlink()
    gone = types.FileEvent(three, types.FileChangeType.Deleted)
    bare.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([gone]))
    assert bare.await_published(three, lambda params: not params.diagnostics)


def test_only_what_is_open_otherwise(bare: Session, tmp_path: Path) -> None:
    able = bare.initialize(["utf-16"], pulls=True, folder=folder(tmp_path)).capabilities
    assert able.diagnostic_provider
    assert not able.diagnostic_provider.workspace_diagnostics, "else closed tabs keep theirs"


def test_a_file_that_is_closed_is_reported_as_it_is_on_disk(bare: Session, tmp_path: Path) -> None:
    root = folder(tmp_path)
    bare.initialize(["utf-16"], pulls=True, folder=root, options=WANTED)
    one = (root / "one.py").as_uri()
    known = {item.uri: item.result_id for item in ask(bare, {}).values()}
    bare.open(one, TEXT.replace("relu", "no_such_thing"))
    hover = types.HoverParams(types.TextDocumentIdentifier(one), types.Position(0, 0))

    async def closed_while_the_client_waits() -> types.WorkspaceDiagnosticReport:
        previous = [types.PreviousResultId(uri, value) for uri, value in known.items()]
        params = types.WorkspaceDiagnosticParams(previous)
        answer = asyncio.ensure_future(bare.client.workspace_diagnostic_async(params))
        await bare.client.text_document_hover_async(hover)
        bare.close_document(one)
        return await answer

    found = {item.uri: item for item in bare.run(closed_while_the_client_waits()).items}
    assert isinstance(found[one], types.WorkspaceFullDocumentDiagnosticReport)
    assert len(found[one].items) == 2 and found[one].kind == "full"


def test_a_file_that_is_closed_is_reported_again(bare: Session, tmp_path: Path) -> None:
    root = folder(tmp_path)
    bare.initialize(["utf-16"], folder=root, extras=True, options=WANTED)
    one = (root / "one.py").as_uri()
    bare.open(one, "import torch\n\ntorch.no_such_thing(1)\n")
    bare.await_published(
        one, lambda params: [each.code for each in params.diagnostics] == ["TF201"]
    )
    bare.close_document(one)
    bare.await_published(one, lambda params: len(params.diagnostics) == 2)
