"""Fixes: what is offered, for which selection, and that the edits do what the title says."""

from __future__ import annotations

import ast
import asyncio

import pytest
from lsp_session import Session, apply, edits_of, span
from lsprotocol import types
from pygls.exceptions import JsonRpcException

import workbench

URI = "file:///w/a.py"
TEXT = """\
import torch  # the framework


def f(x):
    y = torch.exp(x)   # kept as it is
    return torch.abs(y)
"""
FIX_ALL = "source.fixAll.torchferry"
WHOLE = "refactor.rewrite.torchferry"  # as the menu at the cursor has it
EVERYWHERE = span(0, 0, 6, 0)


def test_a_fix_for_the_use_at_the_cursor(session: Session) -> None:
    session.open(URI, TEXT)
    found = session.diagnostics(URI)
    [about] = [each for each in found if each.range.start.line == 4]
    action, *others = session.actions(URI, span(4, 12, 4, 12), only=["quickfix"], about=found)
    assert all(other.title.startswith("Ignore ") for other in others)
    assert action.title == "Convert torch.exp to paddle.exp"
    assert list(action.diagnostics or []) == [about]
    assert action.edit is None, "edits are worked out when the action is picked"
    changed = apply(TEXT, edits_of(session.resolve(action)))
    assert "    y = paddle.exp(x)   # kept as it is\n" in changed
    assert "    return torch.abs(y)\n" in changed
    assert "import paddle\n" in changed
    ast.parse(changed)


def test_a_name_everywhere(session: Session) -> None:
    text = TEXT + "\n\nz = torch.abs(torch.abs(w))\n"
    session.open(URI, text)
    offered = session.actions(URI, span(5, 12, 5, 12), only=["quickfix"])
    assert offered[1].title == "Convert all 3 uses of torch.abs in this file"
    changed = apply(text, edits_of(session.resolve(offered[1])))
    assert "torch.abs" not in changed and "y = torch.exp(x)   # kept as it is\n" in changed
    assert "z = paddle.abs(paddle.abs(w))\n" in changed


def test_the_enclosing_function_and_class(session: Session) -> None:
    text = TEXT + "\n\nclass A:\n    def g(self, x):\n        return torch.abs(torch.exp(x))\n"
    text += "    def h(self, x):\n        return torch.abs(x)\n"
    session.open(URI, text)
    offered = session.actions(URI, span(10, 20, 10, 20), only=["refactor.rewrite"])
    assert [action.title for action in offered] == [
        "Convert this statement (2 uses)",
        "Convert class A (3 uses)",
        "Convert everything in this file to paddle",
    ]
    assert {str(action.kind) for action in offered} == {"refactor.rewrite.torchferry"}
    changed = apply(text, edits_of(session.resolve(offered[1])))
    head, _, tail = changed.partition("class A:")
    assert "torch" not in tail and "paddle.abs(paddle.exp(x))" in tail
    assert "y = torch.exp(x)   # kept as it is\n" in head

    [of_f] = session.actions(URI, span(4, 0, 4, 0), only=["refactor"])  # away from a use
    assert of_f.title == "Convert function f (2 uses)"
    changed = apply(text, edits_of(session.resolve(of_f)))
    assert changed.endswith(text[text.index("class A:") :])
    assert "    return paddle.abs(y)\n" in changed


def test_the_title_says_what_is_assumed_and_accepting_it_applies_it(bare: Session) -> None:
    text = "import torch\n\n\ndef f(x):\n    return x.unsqueeze(0), x.mul_(2.5)\n"
    bare.initialize(["utf-16"], options={"style": "exact"})
    bare.open(URI, text)
    [assumed, *_] = bare.actions(URI, span(4, 27, 4, 33), only=["quickfix"])
    assert " (assuming that `x` is a tensor)" in assumed.title
    assert not assumed.is_preferred
    resolved = bare.resolve(assumed)
    assert resolved.edit and not resolved.edit.change_annotations
    assert "x.mul_" not in apply(text, edits_of(resolved))


def test_how_safe_a_fix_is(session: Session) -> None:
    text = "import torch\n\nlayer = torch.nn.Linear(2, 3)\nother = torch.nn.Linear(2, 3)\n"
    text += "x = torch.abs(layer(torch.ones(2)))\n"
    session.open(URI, text)
    changing, everywhere, *_ = session.actions(URI, span(2, 20, 2, 20), only=["quickfix"])
    assert (
        changing.title.endswith(" (can compute differently: TF110)") and not changing.is_preferred
    )
    assert everywhere.title.endswith(" in this file; 2 can compute differently (TF110)")
    [whole] = session.actions(URI, EVERYWHERE, only=[FIX_ALL])
    assert whole.title.endswith(" to paddle; 2 can compute differently (TF110)")
    safe, *_ = session.actions(URI, span(4, 10, 4, 10), only=["quickfix"])
    assert safe.title == "Convert torch.abs to paddle.abs" and safe.is_preferred
    for line, column, safety in ((2, 20, "Fix: can compute differently."), (4, 11, "Fix: safe.")):
        shown = session.hover(URI, line, column)
        assert shown and safety in shown


def test_a_fact_that_data_decides_has_an_exact_fix_next_to_the_plain_one(session: Session) -> None:
    text = "import torch.nn.functional as F\n\n\ndef f(s, y):\n    return F.cross_entropy(s, y)\n"
    session.open(URI, text)
    plain, exact, *_ = session.actions(URI, span(4, 13, 4, 13), only=["quickfix"])
    assert plain.title.endswith(" (can compute differently: TF119)")
    assert exact.title.endswith(" to torch_cross_entropy, which is exact")
    assert "F.cross_entropy(s, y, axis=1)" in apply(text, edits_of(session.resolve(plain)))
    assert "torch_cross_entropy(s, y)" in apply(text, edits_of(session.resolve(exact)))


def test_a_fix_is_as_safe_as_the_edits_with_it(bare: Session) -> None:
    text = "import torch\n\n\ndef f(x):\n    return torch.abs(x.mul_(2.5)), torch.exp(x)\n"
    bare.initialize(["utf-16"], options={"style": "exact"})
    bare.open(URI, text)
    outer, *_ = bare.actions(URI, span(4, 18, 4, 18), only=["quickfix"])
    assert outer.title == "Convert torch.abs to paddle.abs (assuming that `x` is a tensor)"
    assert not outer.is_preferred


def test_no_fix_away_from_a_use(session: Session) -> None:
    session.open(URI, TEXT)
    session.diagnostics(URI)
    assert session.actions(URI, span(1, 0, 2, 0), only=["quickfix"]) == []


def test_the_whole_file_is_what_the_engine_makes_of_it(session: Session) -> None:
    session.open(URI, TEXT)
    [action] = session.actions(URI, EVERYWHERE, only=[FIX_ALL])
    assert action.kind == FIX_ALL
    changed = apply(TEXT, edits_of(session.resolve(action)))
    assert changed == workbench.convert(TEXT).code
    assert "torch" not in changed
    assert "# kept as it is" in changed


def test_the_menu_on_an_import_of_torch_offers_the_whole_file(session: Session) -> None:
    session.open(URI, TEXT)
    [action] = session.actions(URI, span(0, 3, 0, 3))
    assert (action.kind, action.title) == (WHOLE, "Convert everything in this file to paddle")
    assert apply(TEXT, edits_of(session.resolve(action))) == workbench.convert(TEXT).code
    away = session.actions(URI, span(1, 0, 1, 0))
    assert {str(action.kind) for action in away} <= {FIX_ALL}


@pytest.mark.parametrize(
    ("only", "trigger", "kinds"),
    [
        (None, 1, {"quickfix", WHOLE}),
        (["quickfix"], 1, {"quickfix"}),
        (["source"], 1, {FIX_ALL}),
        (["source.fixAll"], 1, {FIX_ALL}),
        (["source.fixAll"], 2, set()),
        ([FIX_ALL], 2, {FIX_ALL}),
        (["refactor"], 1, {WHOLE}),
        (["source.organizeImports"], 1, set()),
    ],
)
def test_kinds(session: Session, only: list[str] | None, trigger: int, kinds: set[str]) -> None:
    """On save, an editor that runs every linter's `source.fixAll` must not convert a file."""
    session.open(URI, TEXT)
    offered = session.actions(
        URI, EVERYWHERE, only=only, trigger=types.CodeActionTriggerKind(trigger)
    )
    assert {str(getattr(action.kind, "value", action.kind)) for action in offered} == kinds


def test_uses_that_stay_the_same_offer_nothing(session: Session) -> None:
    session.open(URI, "import torch\n\n\ndef f(x: torch.Tensor):\n    return x.unsqueeze(0)\n")
    assert session.diagnostics(URI)
    offered = session.actions(URI, span(4, 13, 4, 13), only=["quickfix"])
    assert not [action for action in offered if not action.title.startswith("Ignore ")]


def test_a_long_text_has_fewer_fixes_of_single_uses(session: Session) -> None:
    text = "import torch\n" + "y = torch.abs(x)\n" * 20
    for behind, most in (("", 20), (f"# {'-' * 100_000}\n", 9)):
        uri = f"file:///w/long{most}.py"
        session.open(uri, text + behind)
        offered = session.actions(uri, span(0, 0, 21, 0), only=["quickfix"])
        assert sum(one.title == "Convert torch.abs to paddle.abs" for one in offered) == most


def test_nothing_to_convert_offers_nothing(session: Session) -> None:
    session.open(URI, "import numpy\n")
    assert session.actions(URI, span(0, 0, 1, 0)) == []


def test_an_action_offered_before_an_edit_is_declined(session: Session) -> None:
    session.open(URI, TEXT)
    action = session.actions(URI, span(4, 12, 4, 12), only=["quickfix"])[0]
    session.change(URI, 2, ((0, 0, 0, 0), "# new first line\n"))
    with pytest.raises(JsonRpcException, match="Ask for the actions again") as caught:
        session.resolve(action)
    assert caught.value.code != types.LSPErrorCodes.ContentModified, "editors hide this error"
    session.close_document(URI)
    session.open(URI, "\n" + TEXT)
    with pytest.raises(JsonRpcException):
        session.resolve(action)


def test_an_edit_while_everything_is_converted_is_an_error(session: Session) -> None:
    session.open(URI, TEXT + "z = torch.abs(w)\n" * 2_000)
    [action] = session.actions(URI, EVERYWHERE, only=[FIX_ALL])
    picked = session.client.protocol.send_request("codeAction/resolve", action, msg_id="picked")
    session.change(URI, 2, ((0, 0, 0, 0), "# new first line\n"))

    async def answer() -> object:
        return await asyncio.wrap_future(picked)

    with pytest.raises(JsonRpcException, match="Ask for the actions again") as caught:
        session.run(answer())
    assert caught.value.code != types.LSPErrorCodes.ContentModified, "editors hide this error"


def test_a_client_that_cannot_resolve_gets_edits_at_once(bare: Session) -> None:
    bare.initialize(["utf-16"], resolves=False)
    bare.open(URI, TEXT)
    offered = bare.actions(URI, span(4, 12, 4, 12))
    assert [action.title for action in offered] == [
        "Convert torch.exp to paddle.exp",
        "Convert function f (2 uses)",
        "Ignore TF100 in this statement",
        "Ignore TF100 in this file",
        "Convert everything in this file to paddle",
    ]
    assert all(edits_of(action) for action in offered)


def test_a_file_that_does_not_parse_is_declined_with_the_place(session: Session) -> None:
    session.open(URI, TEXT + "def broken(:\n")
    [action] = session.actions(URI, EVERYWHERE, only=[FIX_ALL])
    with pytest.raises(JsonRpcException, match="7"):
        session.resolve(action)
    on_save = types.CodeActionTriggerKind.Automatic
    assert session.actions(URI, EVERYWHERE, only=[FIX_ALL], trigger=on_save) == []
