"""Programs that mix dtypes: converted, run on both sides, their printed values are torch's."""

from __future__ import annotations

import contextlib
import io
import re
import sys
import types
from pathlib import Path

import pytest

import workbench
from workbench.targets import STYLES

PROGRAMS = sorted((Path(__file__).parents[4] / "programs" / "dtypes").glob("*.py"))
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*(?:e[-+]?\d+)?|inf|nan)")


def printed(code: str, name: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the words that a program prints, without the names of the frameworks."""
    module = types.ModuleType(name)
    monkeypatch.setitem(sys.modules, name, module)  # pickled classes are looked up there
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        exec(compile(code, name, "exec"), module.__dict__)
    return re.sub(r"[\[\](),]|\b(torch|paddle)\.", " ", text.getvalue()).split()


def alike(word: str, other: str) -> bool:
    if not (NUMBER.fullmatch(word) and NUMBER.fullmatch(other)):
        return word == other
    return float(other) == pytest.approx(float(word), rel=1e-4, abs=1e-5, nan_ok=True)


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_program_prints_what_it_prints_in_torch(
    path: Path, style: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = path.read_text()
    result = workbench.convert(text, style=style)
    assert not result.unconverted
    expected = printed(text, "torch_side", monkeypatch)
    got = printed(result.code, "paddle_side", monkeypatch)
    assert len(got) == len(expected)
    assert [(a, b) for a, b in zip(expected, got, strict=True) if not alike(a, b)] == []
