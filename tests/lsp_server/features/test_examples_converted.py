"""Code in Markdown and in docstrings, converted on request by a real client."""

from __future__ import annotations

import pytest
from lsp_session import Session
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


def test_the_code_in_markdown_is_converted(session: Session) -> None:
    summary = session.command("convertExamples", "file:///README.md", 7, DOCUMENT)
    assert summary == (
        "Converted 2 uses of torch in the code of this document;"
        " 1 not converted: torch.no_such_thing (no rule yet)."
    )
    after = session.edited(DOCUMENT)
    assert "```python\nimport paddle\nimport torch\nx = paddle.zeros(3)\n```" in after
    assert "  y = torch.no_such_thing(paddle.abs(x))\n  ```\n" in after
    assert "pip install torch" in after
    [change] = session.edits[-1].document_changes or ()
    assert isinstance(change, types.TextDocumentEdit) and change.text_document.version == 7

    session.applies = False
    with pytest.raises(JsonRpcException, match="changed in the meantime"):
        session.command("convertExamples", "file:///README.md", 7, DOCUMENT)


@pytest.mark.parametrize(
    ("text", "summary"),
    [
        ("# Nothing\n", "This document has no Python code."),
        ("```py\nprint(1)\n```\n", "Converted no uses of torch in the code of this document."),
        (
            "```py\nimport torch\ntorch.linalg.svd(x)\n```\n",
            "Nothing is converted: the code needs helper functions, which do not belong in an"
            " example.",
        ),
    ],
)
def test_a_run_with_nothing_to_do_says_so(session: Session, text: str, summary: str) -> None:
    assert session.command("convertExamples", "file:///README.md", 1, text) == summary
    assert session.edits == []


def test_docstrings_are_converted_with_their_file(session: Session) -> None:
    session.open("file:///double.py", FILE)
    summary = session.command("convertExamples", "file:///double.py", 1, FILE)
    assert summary == "Converted 2 uses of torch in this file, and 1 in its docstrings."
    after = session.edited(FILE)
    assert after == FILE.replace("torch.", "paddle.").replace("import torch", "import paddle")


def test_a_target_that_there_is_not_is_named(session: Session) -> None:
    session.configure(target="paddle==0")
    with pytest.raises(JsonRpcException, match="paddle 0 is not supported; write one of"):
        session.command("convertExamples", "file:///README.md", 1, DOCUMENT)
