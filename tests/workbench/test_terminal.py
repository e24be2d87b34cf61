"""Control characters in names are shown in the terminal, and never executed by it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command import torchferry
from workbench.commands.shown import Rows, Sheet, as_json
from workbench.terminal import visible

# It would turn the text after it red, start a new line, and reverse its direction.
NAME = "a\x1b[31m\x9b\n\u202eb[bold].py"
SHOWN = r"a\x1b[31m\x9b\n\u202eb[bold].py"


def printed_by(*arguments: object) -> tuple[int, str]:
    """Return the exit code of a command, and all that it says."""
    done = torchferry(*arguments)
    return done.returncode, done.stdout + done.stderr


def test_readable_text_stays_as_it_is() -> None:
    assert visible("naïve 模型 😀.py") == "naïve 模型 😀.py"
    assert visible("a\udc80\x00b\tc\n", keep="\n") == "a\\udc80\\x00b\\tc\n"


@pytest.mark.parametrize("text", ["import torch\ntorch.nothing_such\n", "import torch\nx = (\n"])
@pytest.mark.parametrize("command", ["check", "convert"])
def test_names_of_files(command: str, text: str, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for name in (NAME, "other.py"):
        (tmp_path / "in" / name).write_text(text)
    more = [] if command == "check" else ["-o", tmp_path / "out"]
    code, printed = printed_by(command, tmp_path / "in", *more)
    assert code in (1, 2)
    assert SHOWN in printed
    assert not {"\x1b", "\x9b", "\u202e"} & set(printed)


def test_names_that_are_no_text(tmp_path: Path) -> None:
    file = tmp_path / "a\udc80.py"
    file.write_text("import torch\ntorch.nothing_such\n")
    code, printed = printed_by("check", file)
    assert code == 1
    assert r"a\udc80.py:2" in printed


def test_options_that_nobody_knows() -> None:
    code, printed = printed_by("check", "--\x1b[31m")
    assert code == 2
    assert r"--\x1b[31m" in printed
    assert "\x1b" not in printed


def test_tables_of_names(capsys: pytest.CaptureFixture[str]) -> None:
    from rich.console import Console

    from workbench.commands.shown import show

    name = f"{NAME}[/red]"  # the end of a style that nothing began
    rows = Rows(name, ("name",), ((name,),))
    sheet = Sheet(name, name, (("file", name),), (name,), (rows,), {"name": name})
    show(Console(width=200), sheet)
    shown = capsys.readouterr().out
    assert shown.count(r"a\x1b[31m\x9b") == 6
    assert not {"\x1b", "\x9b", "\u202e"} & set(shown)
    assert as_json(sheet).isascii()
    assert json.loads(as_json(sheet))["name"] == name
