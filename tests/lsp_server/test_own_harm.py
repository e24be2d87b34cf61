"""A failure in one file is reported there, and the others are still checked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import workbench
from lsp_server.checking import Checker
from lsp_server.workspace.documents import Document, Program
from workbench.convert.configuration.settings import Settings
from workbench.targets import load

if TYPE_CHECKING:
    from pathlib import Path

    from lsp_session import Session

URI = "file:///w/a.py"
TEXT = "import torch\n\nx = torch.relu(torch.zeros(2, 3))\n"


@pytest.mark.parametrize(
    "uri",
    [
        "file:///%00/x.py",
        "file://[::1/x.py",
        "file:",
        "file:///w/%ff%fe.py",
        "file:///" + "d/" * 3_000 + "x.py",
        "file:///w/" + "n" * 5_000 + ".py",
        "untitled:%00",
        "",
    ],
)
def test_an_address_that_is_none(session: Session, uri: str) -> None:
    session.open(uri, TEXT)
    session.open(URI, TEXT)
    assert session.diagnostics(URI)
    assert session.diagnostics(uri)
    session.change(URI, 2, TEXT * 2)
    assert len(session.diagnostics(URI, 2)) > 2


@pytest.mark.parametrize(
    "content",
    [
        "[tool.torchferry]\nx = " + "[" * 5_000,
        "[tool.torchferry]\nx = " + "9" * 5_000,
        "[tool.torchferry]\nseverities = { TF100 = [] }\n",
        "[tool.torchferry]\nexclude = 5\n",
        "# torchferry \0\n",
        "[tool]\ntorchferry = 5\n",
    ],
)
def test_a_hostile_project(session: Session, tmp_path: Path, content: str) -> None:
    (tmp_path / "pyproject.toml").write_text(content)
    session.configure()  # an earlier message may be repeated
    uris = [(tmp_path / name).as_uri() for name in ("a.py", "b.py")]
    for uri in [*uris, URI]:
        session.open(uri, TEXT)
    for uri in [*uris, URI]:
        assert session.diagnostics(uri)
    [message] = session.log
    assert str(tmp_path) in message


def test_settings_of_wrong_types(session: Session) -> None:
    session.open(URI, TEXT)
    session.configure(severities={"TF100": [], "": None}, target=5, interpreter="\0")
    assert session.await_published(URI, lambda params: bool(params.diagnostics))


def test_the_engine_fails_on_one_text(monkeypatch: pytest.MonkeyPatch) -> None:
    analyse = workbench.analyse

    def failing(text: str, *args: object, **kwargs: object) -> object:
        if "bad" in text:
            raise ZeroDivisionError("of the test")
        return analyse(text, *args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(workbench, "analyse", failing)
    checker = Checker(lambda message: pytest.fail(message))
    good, bad = (
        Program(f"file:///{name}.py", [Document(f"file:///{name}.py", "python", 1, text)])
        for name, text in (("good", TEXT), ("bad", f"bad = 1\n{TEXT}"))
    )
    [finding] = checker.check(bad, Settings(), lambda uri: load("paddle")).findings
    assert finding.code == "TF001" and finding.range.start.line == 0
    assert "ZeroDivisionError" in finding.message and "report" in finding.message
    assert len(checker.check(good, Settings(), lambda uri: load("paddle")).findings) == 2
