"""Lenses, hints, and the commands behind them."""

from __future__ import annotations

import pytest
from lsp_session import Session, span
from lsprotocol import types
from pygls.exceptions import JsonRpcException

import workbench

URI = "file:///w/a.py"
TEXT = """\
import torch


def f(x):
    return torch.exp(torch.abs(x))


class Net(torch.nn.Module):
    pass


def plain(z):
    return torch.abs(z)
"""


def command(session: Session, name: str, *arguments: object) -> object:
    return session.run(
        session.client.workspace_execute_command_async(
            types.ExecuteCommandParams(f"torchferry.server.{name}", list(arguments))
        )
    )


def lenses(session: Session) -> list[types.CodeLens]:
    answer = session.run(
        session.client.text_document_code_lens_async(
            types.CodeLensParams(types.TextDocumentIdentifier(URI))
        )
    )
    return list(answer or [])


def test_a_lens_over_what_converts(session: Session) -> None:
    session.open(URI, TEXT)
    found = {lens.range.start.line: lens.command.title for lens in lenses(session) if lens.command}
    assert found[3] == "Convert to paddle (2 uses)"
    assert found[11] == "Convert to paddle (1 use)"


def test_a_lens_does_what_it_says(session: Session) -> None:
    session.open(URI, TEXT)
    wanted = lenses(session)[0].command
    assert wanted and wanted.arguments
    session.run(
        session.client.workspace_execute_command_async(
            types.ExecuteCommandParams(wanted.command, list(wanted.arguments))
        )
    )
    changed = session.edited(TEXT)
    assert "    return paddle.exp(paddle.abs(x))\n" in changed
    assert changed.endswith(TEXT[TEXT.index("def plain") :])

    session.change(URI, 2, ((0, 0, 0, 0), "#\n"))
    with pytest.raises(JsonRpcException, match="changed"):
        command(session, wanted.command.rpartition(".")[2], *wanted.arguments)


def hints(session: Session, where: types.Range) -> list[tuple[int, int, str]]:
    answer = session.run(
        session.client.text_document_inlay_hint_async(
            types.InlayHintParams(types.TextDocumentIdentifier(URI), where)
        )
    )
    return [(hint.position.line, hint.position.character, str(hint.label)) for hint in answer or []]


def test_hints_are_off_until_asked_for(session: Session) -> None:
    session.open(URI, TEXT)
    assert hints(session, span(0, 0, 99, 0)) == []
    session.configure(inlayHints=True)
    other = TEXT.replace("torch.abs(x)", "torch.conj_physical(x.view(3))")
    session.change(URI, 2, other)
    place = len("    return torch.exp(torch.conj_physical")
    expected = [(4, place, "→ torch_conj")]
    assert hints(session, span(3, 0, 5, 0)) == expected, "only other names, only in view"


def test_preview(session: Session) -> None:
    session.open(URI, TEXT)
    answer = command(session, "preview", URI)
    assert getattr(answer, "code", None) or isinstance(answer, dict)
    fields = answer if isinstance(answer, dict) else vars(answer)
    converted = workbench.convert(TEXT)
    assert (fields["code"], fields["lines"]) == (converted.code, converted.line_map)
    with pytest.raises(JsonRpcException, match="not an open Python file"):
        command(session, "preview", "file:///w/other.py")


@pytest.mark.parametrize("arguments", [(), (5,), (URI, "x", None, {}), (URI, 1, 2, 3, 4)])
def test_arguments_that_make_no_sense_are_declined(session: Session, arguments: tuple) -> None:
    session.open(URI, TEXT)
    with pytest.raises(JsonRpcException):
        command(session, "convertLines", *arguments)
    assert session.diagnostics(URI)


def test_the_environment(session: Session) -> None:
    answer = command(session, "environment")
    found = answer if isinstance(answer, dict) else answer._asdict()  # type: ignore[attr-defined]
    assert found["python"].startswith("3.") and "torch" in found
