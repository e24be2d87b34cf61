"""Small whole programs, run as they are and converted, whose output is compared."""

from __future__ import annotations

import contextlib
import io
import re
import sys
import types
from typing import Any

import pytest

import workbench
from workbench.targets import load

TARGET = load("paddle", "plain")
_NUMBER = re.compile(r"-?\d+\.\d+(?:e[-+]?\d+)?")


def converted(text: str) -> str:
    """Convert a program in the plain style; nothing may stay unconverted."""
    result = workbench.convert(text, target=TARGET)
    assert not result.unconverted
    return result.code


def printed(code: str) -> str:
    """Run a program as a module and return its output."""
    module = types.ModuleType("program_under_test")
    sys.modules[module.__name__] = module
    out = io.StringIO()
    try:
        with contextlib.redirect_stdout(out):
            exec(compile(code, "program.py", "exec"), module.__dict__)
    finally:
        del sys.modules[module.__name__]
    return out.getvalue()


def assert_prints_the_same(text: str) -> str:
    """Run both sides, compare their output within rounding; return the converted code."""
    code = converted(text)
    ours, theirs = printed(text), printed(code)
    assert _NUMBER.sub("#", theirs) == _NUMBER.sub("#", ours)
    assert _numbers(theirs) == pytest.approx(_numbers(ours), rel=2e-4, abs=2e-5)
    return code


def _numbers(text: str) -> list[Any]:
    return [float(one) for one in _NUMBER.findall(text)]
