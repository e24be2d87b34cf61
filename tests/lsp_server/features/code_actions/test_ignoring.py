"""Comments that ignore: what the server writes, and what it offers while one is typed."""

from __future__ import annotations

import pytest
from lsp_session import Session
from lsprotocol import types

import workbench
from lsp_server.features.code_actions.ignoring import ignore_here, ignore_in_file
from workbench.findings import apply_edits
from workbench.positions import Lines

URI = "file:///w/a.py"


MARK = "  # torchferry: ignore[TF201]"


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("x = torch.foo(y)", "x = torch.foo(y){}"),
        ("x = torch.foo(y)  # kept", "x = torch.foo(y)  # kept{}"),
        ("x = torch.foo(\n    y,\n)", "x = torch.foo(\n    y,\n){}"),
        ("x = torch.foo(y) + \\\n    1", "x = torch.foo(y) + \\\n    1{}"),
        ("x = torch.foo('''\n# no\n''')", "x = torch.foo('''\n# no\n'''){}"),
        ("if torch.foo(y):\n    pass", "if torch.foo(y):{}\n    pass"),
        (
            "x = torch.foo(y)  # torchferry: ignore[TF102]",
            "x = torch.foo(y)  # torchferry: ignore[TF102, TF201]",
        ),
    ],
)
def test_in_a_statement(statement: str, expected: str) -> None:
    text = f"import torch\n{statement}\n"
    edit = ignore_here(Lines(text), 1, "TF201")
    assert edit
    changed = apply_edits(text, [edit])
    assert changed == f"import torch\n{expected.format(MARK)}\n"
    assert not [each for each in workbench.check(changed) if each.code in ("TF201", "TF902")]


def test_in_a_file() -> None:
    text = "#!/usr/bin/env python\n# coding: utf-8\nimport torch\ntorch.foo(1)\n"
    once = apply_edits(text, [ignore_in_file(Lines(text), "TF201")])
    assert once.split("\n")[:3] == [*text.split("\n")[:2], "# torchferry: ignore-file[TF201]"]
    assert not workbench.check(once)
    twice = apply_edits(once, [ignore_in_file(Lines(once), "TF102")])
    assert "# torchferry: ignore-file[TF102, TF201]\n" in twice


def labels(session: Session, text: str) -> list[str]:
    """Return the labels of the completions at the end of a text."""
    session.open(URI, text)
    last = text.split("\n")
    where = types.Position(len(last) - 1, len(last[-1]))
    params = types.CompletionParams(types.TextDocumentIdentifier(URI), where)
    answer = session.run(session.client.text_document_completion_async(params))
    assert answer is None or not isinstance(answer, types.CompletionList)
    found = sorted(answer or [], key=lambda item: item.sort_text or "")
    return [item.label for item in found]


def test_completion_only_in_a_comment(session: Session) -> None:
    use = "import torch\nx = torch.foo(y)  "
    assert labels(session, use + "# torchferry: ") == ["ignore", "ignore-file"]
    assert labels(session, use + "# torchferry: ignore[")[0] == "TF201"
    assert "TF201" not in labels(session, use + "# torchferry: ignore[TF201, ")
    assert labels(session, use + "# torch") == ["torchferry: ignore"]
    assert labels(session, use + "# hello") == []
    assert labels(session, use + "+ '# torchferry: ") == []
    assert labels(session, use + "+ torch.") == []
    assert labels(session, "import json\nx = 1  #") == []
