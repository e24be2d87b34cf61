"""Code in Markdown and in docstrings: found where it stands, and converted there."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from workbench.convert.configuration.settings import Settings
from workbench.convert.project.check_run import CheckRun, check_path
from workbench.convert.project.file_job import Order

MARKDOWN = """\
# Torch

- first

  ```python
  import torch

  x = torch.zeros(2)
  ```

```py
y = torch.stack([x, x], dim=1)
```

> ```pycon
> >>> z = torch.cat([x,
> ...                x])
> tensor([0., 0.])
> ```

```python
torch.stack(  # not finished
```

```sh
torch.stack()
```
"""


def checked(file: Path, text: str, *, examples: bool = True) -> CheckRun:
    file.write_bytes(textwrap.dedent(text).encode())
    order = Order("paddle", Settings(), fix=True, examples=examples)
    return check_path(file, order, lambda path, message: pytest.fail(message))


def places(run: CheckRun) -> list[tuple[int, int, str | None]]:
    [file] = run.found
    return [(row.line, row.column, row.name) for row in file.rows]


def fixed(run: CheckRun) -> str:
    [(_, done)] = run.done
    assert done.code is not None
    return done.code.decode()


def test_blocks_of_markdown_are_one_program_in_order(tmp_path: Path) -> None:
    order = Order("paddle", Settings())
    (tmp_path / "a.md").write_text(MARKDOWN)
    run = check_path(tmp_path / "a.md", order, lambda path, message: pytest.fail(message))
    assert places(run) == [
        (8, 7, "torch.zeros"),
        (12, 5, "torch.stack"),
        (16, 11, "torch.cat"),
    ]


def test_blocks_are_converted_in_place(tmp_path: Path) -> None:
    before, after = MARKDOWN.split("```python\ntorch.stack(  # not")
    expected = before.replace("torch.", "paddle.").replace("import torch", "import paddle")
    expected = f"{expected}```python\ntorch.stack(  # not{after}"
    assert fixed(checked(tmp_path / "a.md", MARKDOWN)) == expected
    windows = fixed(checked(tmp_path / "a.md", MARKDOWN.replace("\n", "\r\n")))
    assert windows == expected.replace("\n", "\r\n")


DOCUMENTED = '''\
    import torch


    def f(x: torch.Tensor):
        """Says no more.

        >>> f(torch.stack([torch.ones(2),
        ...                torch.ones(2)], dim=0))
        tensor(1)

        ```python
        y = torch.stack([x], dim=1)
        ```
        """
        return torch.stack([x], dim=0)
'''


def test_examples_in_docstrings_go_by_the_imports_of_their_file(tmp_path: Path) -> None:
    run = checked(tmp_path / "a.py", DOCUMENTED)
    assert fixed(run) == textwrap.dedent(DOCUMENTED).replace("torch", "paddle")
    assert "torch.ones" in fixed(checked(tmp_path / "a.py", DOCUMENTED, examples=False))


UNCONVERTED = '''\
    import torch


    def f(x):
        """Says no more.

        >>> f(torch.stack([x]))
        """
        return torch.no_such_name(x)
'''


def test_an_example_stays_where_its_file_would_not_import_what_it_names(tmp_path: Path) -> None:
    run = checked(tmp_path / "a.py", UNCONVERTED)
    assert [done.code for _, done in run.done] == [None]
    assert (7, 11, "torch.stack") in places(run)


def test_markdown_in_a_folder_is_read_where_that_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(MARKDOWN)

    def paths(order: Order) -> list[str]:
        run = check_path(tmp_path, order, lambda path, message: pytest.fail(message))
        return [file.path for file in run.found]

    assert paths(Order("paddle", Settings())) == []
    assert paths(Order("paddle", Settings(), examples=True)) == [str(tmp_path / "a.md")]


def test_an_example_that_imports_torch_imports_the_target(tmp_path: Path) -> None:
    text = 'import torch\n\n\ndef f(x):\n    """Says.\n\n    >>> import torch\n'
    text += '    >>> f(torch.ones(2))\n    """\n    return torch.stack([x])\n'
    assert fixed(checked(tmp_path / "a.py", text)) == text.replace("torch", "paddle")


def test_a_document_whose_code_needs_a_helper_stays(tmp_path: Path) -> None:
    order = Order("paddle", Settings(style="exact"), fix=True)
    file = tmp_path / "a.md"
    file.write_text("```python\nimport torch\no = torch.optim.SGD(w, 0.1)\n```\n")
    run = check_path(file, order, lambda path, message: pytest.fail(message))
    assert [done.code for _, done in run.done] == [None]
    assert len(places(run)) == 1
