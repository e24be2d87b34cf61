"""Code in Markdown and in docstrings, converted on request by a real client."""

from __future__ import annotations

import pytest
from lsp_session import Session, apply, edits_of
from lsprotocol import types
from pygls.exceptions import JsonRpcException

DOCUMENT = """\
# Use

```python
import torch
x = torch.zeros(3)
```

```sh
pip install torch
```

- then

  ```py
  y = torch.no_such_thing(torch.abs(x))
  ```
"""
FILE = '''\
import torch


def double(x: torch.Tensor):
    """Twice.

    >>> double(torch.ones(2))
    tensor([2., 2.])
    """
    return torch.add(x, x)
'''


class Client:
    """Takes the edits that the server asks for."""

    def __init__(self, session: Session) -> None:
        self.asked: list[types.WorkspaceEdit] = []
        self.applies = True

        @session.client.feature(types.WORKSPACE_APPLY_EDIT)
        def apply_edit(params: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
            self.asked.append(params.edit)
            return types.ApplyWorkspaceEditResult(applied=self.applies)

    def after(self, text: str) -> str:
        """A text with the latest edit."""
        return apply(text, edits_of(types.CodeAction("", edit=self.asked[-1])))


@pytest.fixture(scope="module")
def clients() -> dict[Session, Client]:
    """Those of the servers that the tests here share."""
    return {}


@pytest.fixture
def client(session: Session, clients: dict[Session, Client]) -> Client:
    found = clients.setdefault(session, clients.get(session) or Client(session))
    found.asked.clear()
    return found


def test_the_code_in_markdown_is_converted(session: Session, client: Client) -> None:
    told = session.command("convertExamples", "file:///README.md", 7, DOCUMENT)
    assert told == (
        "Converted 2 uses of torch in the code of this document;"
        " 1 stays: torch.no_such_thing (no rule yet)."
    )
    after = client.after(DOCUMENT)
    assert "```python\nimport paddle\nimport torch\nx = paddle.zeros(3)\n```" in after
    assert "  y = torch.no_such_thing(paddle.abs(x))\n  ```\n" in after
    assert "pip install torch" in after
    [change] = client.asked[-1].document_changes or ()
    assert isinstance(change, types.TextDocumentEdit) and change.text_document.version == 7

    client.applies = False
    with pytest.raises(JsonRpcException, match="changed meanwhile"):
        session.command("convertExamples", "file:///README.md", 7, DOCUMENT)
    client.applies = True


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("# Nothing\n", "This document has no code of Python."),
        ("```py\nprint(1)\n```\n", "Converted no uses of torch in the code of this document."),
        (
            "```py\nimport torch\ntorch.linalg.svd(x)\n```\n",
            "Nothing is converted: the code needs helper functions, which are no example.",
        ),
    ],
)
def test_where_there_is_nothing_to_do_it_is_told(
    session: Session, client: Client, text: str, told: str
) -> None:
    assert session.command("convertExamples", "file:///README.md", 1, text) == told
    assert client.asked == []


def test_docstrings_are_converted_with_their_file(session: Session, client: Client) -> None:
    session.open("file:///double.py", FILE)
    told = session.command("convertExamples", "file:///double.py", 1, FILE)
    assert told == "Converted 2 uses of torch in this file, and 1 in its docstrings."
    after = client.after(FILE)
    assert after == FILE.replace("torch.", "paddle.").replace("import torch", "import paddle")
