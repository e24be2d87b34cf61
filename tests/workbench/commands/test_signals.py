"""A signalled command ends at once, in one line, with all processes that it started.

`python -m bench.signals` does the same at random moments, as often as wanted.
"""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import pytest

from bench.signals import attempt, project

rare = pytest.mark.thorough
pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="reads /proc"),
    pytest.mark.one_in(2),
]


@pytest.mark.parametrize(
    ("arguments", "number", "seconds"),
    [
        pytest.param(["check", "{folder}/code", "--jobs", "1"], signal.SIGINT, 2.5, marks=rare),
        (["check", "{folder}/code", "--jobs", "2"], signal.SIGINT, 1.5),
        (["check", "{folder}/code", "--jobs", "2"], signal.SIGTERM, 3.0),
        pytest.param(["check", "{folder}/code", "--jobs", "2"], signal.SIGKILL, 3.0, marks=rare),
        (["convert", "{folder}/code", "-o", "{folder}/out", "--jobs", "2"], signal.SIGHUP, 2.5),
        pytest.param(
            ["trace", "{folder}/model.py:net", "--inputs", "2x8"], signal.SIGTERM, 1.5, marks=rare
        ),
        (["compare", "{folder}/model.py:net", "--inputs", "2x8"], signal.SIGINT, 2.5),
    ],
)
def test_a_signal_ends_a_command_and_all_that_it_started(
    tmp_path: Path, arguments: list[str], number: signal.Signals, seconds: float
) -> None:
    folder = project(tmp_path, files=600)
    found = attempt([one.format(folder=folder) for one in arguments], number, seconds)
    assert found.wrong == ""
    assert not found.late
    assert list(tmp_path.rglob(".torchferry-unfinished-*")) == []


@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGHUP, marks=rare)])
def test_signals_of_a_terminal_reach_the_workers_too(
    tmp_path: Path, number: signal.Signals
) -> None:
    """A key that is pressed, and the terminal that is closed."""
    command = ["check", str(project(tmp_path, files=600) / "code"), "--jobs", "2"]
    for seconds in (0.8, 1.6, 2.4):
        assert attempt(command, number, seconds, to_group=True).wrong == ""
