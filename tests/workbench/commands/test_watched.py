"""A watched process: its result comes back; a hang, a crash and an error say what was going on."""

from __future__ import annotations

import os
import time
from typing import Any

import pytest

from workbench.commands.watched import watched
from workbench.errors import TorchferryError
from workbench.watching import Report


def add(a: int, b: int, report: Report) -> int:
    report("adding")
    return a + b


def hang(report: Report) -> None:
    report("line 7, paddle.pow(i, -1)")
    time.sleep(600)


def crash(report: Report) -> None:
    report("line 9")
    os.abort()


def refuse(report: Report) -> None:
    raise TorchferryError("no such model; name another")


def test_the_result_comes_back() -> None:
    assert watched(add, 1, 2, patience=60) == 3


@pytest.mark.parametrize(
    ("work", "patience", "message"),
    [
        (hang, 5, r"no answer for 5 s while line 7, paddle.pow\(i, -1\), so it was stopped"),
        (crash, 60, r"ended \(signal 6\) while line 9"),
        (refuse, 60, "^no such model; name another$"),
    ],
)
def test_an_error_is_reported(work: Any, patience: float, message: str) -> None:
    with pytest.raises(TorchferryError, match=message):
        watched(work, patience=patience)
