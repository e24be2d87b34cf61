"""Mistakes in the settings: each of them is found, at its place; and the schema of the settings."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.settings_schema import FILE, written
from workbench.convert.configuration.keys import KEYS
from workbench.convert.configuration.mistakes import mistakes
from workbench.positions import Lines

PLACE = Path("/nowhere/pyproject.toml")
TEXT = """\
[project]
name = "x"

[tool.torchferry]
target = "mxnet"
styl = "plain"
ignore = ["TF999"]
rules = "absent.py"
per-file-ignores = { "tests/**" = ["TF9999"] }

[tool.torchferry.severities]
TF300 = "offf"
TF100 = "off"
TF200 = "none"

[tool.torchferry.models]
"model.py:Net" = { imputs = ["a"] }
"""


def found(text: str) -> list[tuple[str, str]]:
    lines = Lines(text)
    return [
        (text[lines.offset(one.range.start) : lines.offset(one.range.end)], one.message)
        for one in mistakes(text, PLACE)
    ]


def test_each_mistake_is_found_at_its_key() -> None:
    assert [key for key, _ in found(TEXT)] == [
        *("target", "styl", "ignore", "rules", "tests/**", "TF300", "TF200", "imputs"),
    ]
    assert found(TEXT)[1][1] == "styl: there is no such setting; did you mean style?"


@pytest.mark.parametrize(
    ("text", "key", "words"),
    [
        ("[tool.torch-ferry]\n", "tool.torch-ferry", "did you mean [tool.torchferry]?"),
        ("[tool]\ntorchferry = 1\n", "torchferry", "write [tool.torchferry]"),
        ("[tool]\ntorchferry.styl = 'a'\n", "torchferry.styl", "did you mean style?"),
        ("[tool.torchferry]\nstyle = \n", "", "not valid TOML"),
        ("[tool.torchferry]\nversion = '99'\n", "version", "paddle==3.3"),
    ],
)
def test_other_mistakes(text: str, key: str, words: str) -> None:
    [(place, message)] = found(text)
    assert place == key and words in message


def test_right_settings_and_other_peoples_mistakes_are_left_alone() -> None:
    examples = "".join(f"{name} = {key.example}\n" for name, key in KEYS.items() if name != "rules")
    assert found(f"[tool.torchferry]\n{examples}") == []
    assert found("[tool.ruff]\nselect = \n") == []


def test_the_published_schema_is_that_of_the_settings() -> None:
    assert FILE.read_text() == written(), "run: python scripts/settings_schema.py"
