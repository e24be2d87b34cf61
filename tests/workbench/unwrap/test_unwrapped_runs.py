"""Unwrapped programs compute what their originals did.

Each original has the output that it printed with its package: Lightning 2.6.6, accelerate 1.15.0,
transformers 5.24.0, and torch 2.13.0.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from workbench.convert.configuration.settings import Settings
from workbench.convert.project.file_job import convert_bytes
from workbench.findings import Severity
from workbench.unwrap.unwrapping import Unwrapped, unwrap

ORIGINALS = Path(__file__).parent / "originals"
_NUMBER = re.compile(r"-?\d+\.\d+")


def unwrapped(folder: Path, *names: str) -> dict[str, Unwrapped]:
    return unwrap({f"{name}.py": (folder / f"{name}.txt").read_text() for name in names})


def printed(folder: Path, program: str) -> str:
    done = subprocess.run(
        [sys.executable, program], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def assert_same(text: str, expected: str) -> None:
    assert _NUMBER.sub("#", text) == _NUMBER.sub("#", expected)
    numbers = [float(one) for one in _NUMBER.findall(text)]
    assert numbers == pytest.approx([float(one) for one in _NUMBER.findall(expected)], rel=1e-4)


NAMES = [
    "accelerated",
    "callbacks",
    "closures",
    "hooks",
    "lightning",
    "manual",
    "mixed",
    "transformers",
]


@pytest.mark.parametrize("name", NAMES)
def test_a_program_prints_what_its_original_did(name: str, tmp_path: Path) -> None:
    found = unwrapped(ORIGINALS, name)[f"{name}.py"]
    assert not found.refusals and found.changed
    assert not re.search(r"accelerate|lightning|transformers", found.text)
    (tmp_path / "program.py").write_text(found.text)
    expected = (ORIGINALS / f"{name}.out").read_text()
    assert_same(printed(tmp_path, "program.py"), expected)


def test_the_files_of_a_project_are_rewritten_together(tmp_path: Path) -> None:
    folder = ORIGINALS / "project"
    for name, found in unwrapped(folder, "base", "model", "train").items():
        assert not found.refusals
        (tmp_path / name).write_text(found.text)
    assert_same(printed(tmp_path, "train.py"), (folder / "train.out").read_text())


@pytest.mark.parametrize("name", [name for name in NAMES if name != "transformers"])
def test_an_unwrapped_program_converts_like_any_other(name: str) -> None:
    found = unwrapped(ORIGINALS, name)[f"{name}.py"]
    _, result = convert_bytes(found.text.encode(), Path("program.py"), Settings(), None)
    assert [row.message for row in result.rows if row.severity == Severity.ERROR] == []
