"""Arguments of a class from the definitions in its file."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.commands.suggested_call import suggested_arguments
from workbench.subjects import run_file

FILE = """\
from __future__ import annotations
from dataclasses import dataclass


@dataclass
class TextConfig:
    width: int = 8


@dataclass
class Sizes:
    height: int


width = 16
made = Sizes(3)


class ByName:
    def __init__(self, width, depth=2): ...


class ByAnnotation:
    def __init__(self, sizes: Sizes, *more, width, **others): ...


class ByItsName:
    def __init__(self, config): ...


class Unknown:
    def __init__(self, width, path): ...


class Free: ...
"""


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("ByName", "width"),
        ("ByAnnotation", "made, width=width"),
        ("ByItsName", "TextConfig()"),
        ("Unknown", None),
        ("Free", ""),
    ],
)
def test_arguments_come_from_the_file(tmp_path: Path, name: str, arguments: str | None) -> None:
    file = tmp_path / "suggesting_model.py"
    file.write_text(FILE)
    module = run_file(file)
    assert suggested_arguments(getattr(module, name), module) == arguments
