"""Commands that take a while, in workers of their own: conversion, proofs; and what to read."""

from __future__ import annotations

import asyncio
import json
import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

import workbench
from lsp_server import workers

if TYPE_CHECKING:
    from pathlib import Path

    from lsp_session import Session

TEXT = "import torch\n\nx = torch.abs(torch.zeros(2, 3))\n"

# The server's worker imports them; this process does not.
needs_frameworks = pytest.mark.skipif(
    find_spec("torch") is None or find_spec("paddle") is None, reason="a framework is missing"
)


def plain(answer: Any) -> dict[str, Any]:
    return answer if isinstance(answer, dict) else answer._asdict()


def test_a_folder_to_another_place(bare: Session, tmp_path: Path) -> None:
    bare.initialize(["utf-16"], extras=True)
    (tmp_path / "src" / "deep").mkdir(parents=True)
    (tmp_path / "src" / "one.py").write_text(TEXT)
    (tmp_path / "src" / "deep" / "two.py").write_text(TEXT + "torch.no_such_thing(x)\n")
    order = {
        "source": (tmp_path / "src").as_uri(),
        "destination": (tmp_path / "out").as_uri(),
        "report": (tmp_path / "report.html").as_uri(),
    }
    done = plain(bare.command("convert", order))
    assert done["exit_code"] == 1 and done["uses"] == 5 and done["converted_uses"] == 4
    assert (tmp_path / "out" / "one.py").read_text() == workbench.convert(TEXT).code
    assert "no_such_thing" in (tmp_path / "report.html").read_text()
    assert (tmp_path / "src" / "one.py").read_text() == TEXT
    kinds = [plain(value)["kind"] for value in bare.progress]
    assert kinds[0] == "begin" and kinds[-1] == "end" and len(bare.tokens) == 1

    with pytest.raises(JsonRpcException, match="no such file"):
        bare.command("convert", {**order, "source": (tmp_path / "gone").as_uri()})
    with pytest.raises(JsonRpcException, match="source and the destination"):
        bare.command("convert", {"source": 5})
    with pytest.raises(JsonRpcException, match="disk"):
        bare.command("convert", {**order, "destination": "untitled:x"})


def test_the_plan_of_a_folder(bare: Session, tmp_path: Path) -> None:
    bare.initialize(["utf-16"], extras=True)
    folder = tmp_path / "mein Projekt é"
    folder.mkdir()
    (folder / "net.py").write_text(TEXT + "torch.no_such_thing(x)\n")
    done = plain(bare.command("plan", folder.as_uri()))
    assert (done["files"], done["uses"], done["converted"], done["steps"]) == (1, 3, 2, 1)
    assert done["plan"] == (folder / "torchferry-plan.md").as_uri()
    assert "`net.py`" in (folder / "torchferry-plan.md").read_text(encoding="utf-8")
    kinds = [plain(value)["kind"] for value in bare.progress]
    assert kinds[0] == "begin" and kinds[-1] == "end"

    with pytest.raises(JsonRpcException, match="disk"):
        bare.command("plan", "untitled:x")


def test_facts_about_a_use(session: Session) -> None:
    session.open("file:///w/a.py", TEXT)
    found = plain(session.command("explain", "file:///w/a.py", 2, 0))
    assert found["name"] == "torch.abs"
    assert "paddle" in found["text"] and "What was run on both sides" in found["text"]
    with pytest.raises(JsonRpcException, match="There is no finding"):
        session.command("explain", "file:///w/a.py", 1, 0)


def test_the_rules_that_a_file_uses(session: Session) -> None:
    session.open("file:///w/a.py", TEXT + "y = torch.abs(x)\ntorch.no_such_thing(x)\n")
    found = [plain(rule) for rule in session.command("rules", "file:///w/a.py")]
    assert found == [{"name": "torch.abs", "line": 2}, {"name": "torch.zeros", "line": 2}]
    with pytest.raises(JsonRpcException, match="is not an open Python file"):
        session.command("rules", "file:///w/b.py")


def test_the_target_of_a_file(session: Session) -> None:
    found = plain(session.command("aim", ""))
    assert (found["title"], found["style"]) == ("Paddle", "plain")
    assert found["styles"] == ["plain", "exact"] and "paddle" in found["targets"]
    other = next(spec for spec in reversed(found["targets"]) if spec.startswith("paddle=="))
    session.configure(target=other, style="exact")
    found = plain(session.command("aim", "file:///w/a.py"))
    assert (f"paddle=={found['version']}", found["style"]) == (other, "exact")
    session.configure(target="caffe")
    with pytest.raises(JsonRpcException, match="caffe"):
        session.command("aim", "")


@needs_frameworks
def test_a_proof_now(session: Session) -> None:
    session.configure(interpreter=sys.executable)
    found = plain(session.command("prove", "torch.relu"))
    cases = [plain(case) for case in found["cases"]]
    assert found["style"] == "plain"
    assert cases and all(case["problem"] is None for case in cases)
    # Paddle's relu makes 0 of NaN, and a finding says that such corners may differ.
    assert any(str(case["reported"]).startswith("differs as reported") for case in cases)
    assert "torch" in json.dumps(plain(found["versions"]))


@needs_frameworks
def test_a_proof_is_in_the_style_that_the_user_chose(session: Session) -> None:
    session.configure(interpreter=sys.executable, style="exact")
    found = plain(session.command("prove", "torch.relu"))
    cases = [plain(case) for case in found["cases"]]
    assert found["style"] == "exact"
    assert all(case["problem"] is None and case["reported"] is None for case in cases)


def test_a_proof_that_cannot_be_made_says_why(session: Session) -> None:
    with pytest.raises(JsonRpcException, match="has no rule"):
        session.command("prove", "torch.no_such_thing")
    session.configure(interpreter="/no/such/python")
    with pytest.raises(JsonRpcException, match="does not start"):
        session.command("prove", "torch.relu")


@pytest.mark.parametrize(
    ("body", "message", "patience"),
    [
        ("raise SystemExit(7)", "code 7", 60),
        ("raise ValueError('what is wrong')", "what is wrong", 60),
        ("print('noise'); import os; os._exit(3)", "code 3", 60),
        ("import time; print('noise', flush=True); time.sleep(60)", "did not answer within", 2),
    ],
)
def test_a_worker_that_fails_is_a_message(
    body: str, message: str, patience: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "failing_worker.py").write_text(body)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(JsonRpcException, match=message):
        asyncio.run(workers.run("failing_worker", [], patience=patience))


def test_a_bug_report_holds_the_log_and_none_of_the_code(session: Session) -> None:
    session.open("file:///w/secret_name.py", TEXT)
    session.client.text_document_did_change(
        types.DidChangeTextDocumentParams(
            types.VersionedTextDocumentIdentifier(2, "file:///w/not-open.py"), []
        )
    )
    # Every answer and every list of findings has passed through the protocol's own log.
    session.diagnostics("file:///w/secret_name.py")
    session.command("preview", "file:///w/secret_name.py")
    text = str(session.command("bugReport"))
    assert "python" in text and "were dropped" in text
    assert "zeros" not in text and "secret_name" not in text
