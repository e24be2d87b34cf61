"""Findings reach the client, on opening and as the text changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from lsp_server.presentation.diagnostics import Extras, diagnostics
from lsp_server.wire.encoding import Encoding
from lsp_server.workspace.documents import Document
from lsp_server.workspace.notebooks import NotebookProgram
from workbench import check

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lsp_session import Session

    from workbench.findings import Finding

URI = "file:///w/a.py"
TEXT = "import torch\n\nx = torch.relu(torch.zeros(2, 3))\n"


def names(session: Session, uri: str, version: int, text: str) -> list[str]:
    """Return the source text under each diagnostic, for text in the Basic Multilingual Plane."""
    lines = text.split("\n")
    found = []
    for each in session.diagnostics(uri, version):
        start, end = each.range.start, each.range.end
        assert start.line == end.line
        found.append(lines[start.line][start.character : end.character])
    return sorted(found)


def test_on_open(session: Session) -> None:
    session.open(URI, TEXT)
    found = session.diagnostics(URI)
    assert found
    assert any("relu" in each.message or "relu" in str(each.code) for each in found)
    for each in found:
        assert each.source == "torchferry"
        assert isinstance(each.code, str) and each.code.startswith("TF")
        assert each.severity in (1, 2, 3, 4)
    assert any("torch.relu" in text for text in names(session, URI, 1, TEXT))


def test_ranged_edits_add_up(session: Session) -> None:
    session.open(URI, "import torch\n")
    session.change(URI, 2, ((1, 0, 1, 0), "y = torch.abs(z)\n"), ((1, 4, 1, 13), "torch.exp"))
    session.change(URI, 3, ((0, 12, 0, 12), "\n# remark\n"))
    found = session.diagnostics(URI, 3)
    assert any(each.range.start.line == 3 for each in found)
    fresh = "file:///w/fresh.py"
    session.open(fresh, "import torch\n# remark\n\ny = torch.exp(z)\n")
    assert session.diagnostics(fresh) == found


def test_a_whole_text_replaces_the_document(session: Session) -> None:
    session.open(URI, TEXT)
    session.diagnostics(URI)
    session.change(URI, 2, "print('nothing of torch here')\n")
    assert session.diagnostics(URI, 2) == []


def test_half_typed_code_keeps_the_other_findings(session: Session) -> None:
    session.open(URI, TEXT)
    before = session.diagnostics(URI)
    session.change(URI, 2, ((3, 0, 3, 0), "y = torch.relu("))
    after = session.diagnostics(URI, 2)
    on_the_old_line = [each for each in after if each.range.start.line == 2]
    assert on_the_old_line == [each for each in before if each.range.start.line == 2]


def test_lines_are_counted_as_python_does(session: Session) -> None:
    # A form feed and a line separator end a line for str.splitlines, but not for an editor.
    session.open(URI, "import torch\n\x0c\nname = '\u2028'\nx = 0\n")
    session.change(URI, 2, ((3, 4, 3, 5), "torch.abs(y)"))
    assert {each.range.start.line for each in session.diagnostics(URI, 2)} >= {3}


def test_superseded_versions_are_not_published(session: Session) -> None:
    text = "import torch\n" + "x = torch.relu(torch.zeros(2, 3))\n" * 400
    session.open(URI, text)
    for version in range(2, 42):
        session.change(URI, version, ((0, 0, 0, 0), "#\n"))
    last = session.diagnostics(URI, 41)
    assert min(each.range.start.line for each in last) >= 40
    versions = [params.version for params in session.published[URI]]
    assert versions[-1] == 41
    assert len(versions) < 30


def test_closing_clears(session: Session) -> None:
    session.open(URI, TEXT)
    assert session.diagnostics(URI)
    session.close_document(URI)
    cleared = session.await_published(URI, lambda params: not params.diagnostics)
    assert cleared.version is None


def test_other_languages_are_left_alone(session: Session) -> None:
    session.open("file:///w/a.md", TEXT, language="markdown")
    session.open(URI, TEXT)
    session.diagnostics(URI)
    assert "file:///w/a.md" not in session.published


def test_it_can_be_switched_off_and_on(session: Session) -> None:
    session.open(URI, TEXT)
    assert session.diagnostics(URI)

    def configure(enable: bool) -> None:
        session.published[URI].clear()
        session.client.workspace_did_change_configuration(
            types.DidChangeConfigurationParams({"torchferry": {"enable": enable}})
        )

    configure(False)
    assert session.diagnostics(URI) == []
    configure(True)
    assert session.diagnostics(URI)


def test_an_unknown_target_is_reported_once(bare: Session) -> None:
    bare.initialize(["utf-16"], options={"target": "nonesuch"})
    bare.open(URI, TEXT)
    assert bare.diagnostics(URI) == []
    bare.change(URI, 2, TEXT + "\n")
    assert bare.diagnostics(URI, 2) == []
    [message] = bare.log
    assert "nonesuch" in message and "paddle" in message
    bare.client.workspace_did_change_configuration(
        types.DidChangeConfigurationParams({"torchferry": {"target": "paddle"}})
    )
    assert bare.await_published(URI, lambda params: bool(params.diagnostics))


def test_cells_that_change_while_they_are_reported() -> None:
    first, second = (Document(f"file:///w/n.ipynb#{n}", "python", 1, TEXT) for n in "12")
    program = NotebookProgram("file:///w/n.ipynb", [first])

    def found() -> Iterator[Finding]:
        program.documents = [second]
        program.touch()
        yield from check(TEXT)

    extras = Extras(links=False, tags=False, related=False)
    assert diagnostics(program, found(), Encoding(), extras, None) == [(first, [])]


def test_errors_and_warnings_come_first_where_an_editor_shows_but_some(session: Session) -> None:
    uri = "file:///w/many.py"
    text = "import torch\n" + "x = torch.abs(y)\n" * 600 + "torch.lobpcg(x)\n"
    session.open(uri, text)
    found = session.diagnostics(uri)
    assert len(found) > 600 and found[0].range.start.line == 601
    lines = [one.range.start.line for one in found[1:]]
    assert lines == sorted(lines)
