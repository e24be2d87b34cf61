"""Hazards of capture: shown once the typing pauses, mended, and moved along with the text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from lsp_session import Session, apply, edits_of, span

from lsp_server.checking import Checker
from lsp_server.presentation.hazards import Hazards
from lsp_server.workspace.documents import Document, Program
from workbench.convert.configuration.settings import Settings
from workbench.targets import load

if TYPE_CHECKING:
    from lsprotocol import types

URI = "file:///w/a.py"
TEXT = """\
import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x: torch.Tensor):
        if x.sum() > 0:
            return x
        return -x
"""


def hazards(session: Session, version: int) -> list[types.Diagnostic]:
    found = session.await_published(
        URI,
        lambda params: (
            params.version == version
            and any(str(each.code) == "TF401" for each in params.diagnostics)
        ),
    )
    return [each for each in found.diagnostics if str(each.code) == "TF401"]


def test_a_hazard_follows_its_line_and_is_rewritten(session: Session) -> None:
    session.open(URI, TEXT)
    [found] = hazards(session, 1)
    assert found.range.start.line == 6
    session.change(URI, 2, ((0, 0, 0, 0), "# first\n"))
    [found] = hazards(session, 2)
    assert found.range.start.line == 7
    session.change(URI, 3, ((0, 0, 1, 0), ""))
    hazards(session, 3)
    shown = session.hover(URI, 6, 12)
    assert shown
    offered = session.actions(URI, span(6, 12, 6, 12), only=["quickfix"])
    [rewrite] = [action for action in offered if "torch.where" in action.title]
    changed = apply(TEXT, edits_of(session.resolve(rewrite)))
    assert "        return torch.where(x.sum() > 0, x, -x)\n" in changed


def test_a_size_that_is_rounded_is_divided_as_whole_numbers(session: Session) -> None:
    text = TEXT.replace("return -x", "return x.view(int(x.shape[0] / 2), -1)")
    session.open(URI, text)
    hazards(session, 1)
    offered = session.actions(URI, span(8, 23, 8, 23), only=["quickfix"])
    [rewrite] = [
        action for action in offered if action.title.startswith("Divide in integer arithmetic")
    ]
    assert "x.view(x.shape[0] // 2, -1)" in apply(text, edits_of(session.resolve(rewrite)))


def test_they_can_be_switched_off(session: Session) -> None:
    session.open(URI, TEXT)
    hazards(session, 1)
    session.configure(hazards=False)
    assert not [each for each in session.diagnostics(URI) if str(each.code) == "TF401"]


def test_one_that_is_ignored_is_not_shown(session: Session) -> None:
    session.open(URI, TEXT)
    hazards(session, 1)
    offered = session.actions(URI, span(6, 12, 6, 12), only=["quickfix"])
    [ignore] = [action for action in offered if action.title == "Ignore TF401 in this statement"]
    changed = apply(TEXT, edits_of(session.resolve(ignore)))
    assert "        if x.sum() > 0:  # torchferry: ignore[TF401]\n" in changed
    session.published.clear()
    session.change(URI, 2, changed)
    assert session.await_published(
        URI, lambda params: not any(str(each.code) == "TF401" for each in params.diagnostics)
    )


def test_a_search_that_an_edit_ends_leaves_what_was_known() -> None:
    second = TEXT.partition("class")[2].replace("Net", "Other")
    program = Program(URI, [Document(URI, "python", 1, f"{TEXT}\n\nclass{second}")])
    checked = Checker(pytest.fail).check(program, Settings(), lambda uri: load("paddle"))
    hazards = Hazards()
    steps = hazards.look(program, checked)
    next(steps)  # the first model's
    assert hazards.known(program) == []
    assert len(list(steps)) == 1
    assert [each.code for each in hazards.known(program)] == ["TF401", "TF401"]
