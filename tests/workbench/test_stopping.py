"""The output of a command that a signal ends: one line, and its exit code."""

from __future__ import annotations

import subprocess
import sys

import pytest

# A thread that was to start when the signal came stands among the others, and cannot be joined.
UNBEGUN = """\
import threading
from workbench.stopping import leave

thread = threading.Thread(target=print)
threading._limbo[thread] = thread
leave(2)
"""
# A pool of processes that was to start a thread then raises as it is cleared up.
CLEARING = """\
import os, signal, threading
from workbench.stopping import listen, stoppable

listen()
with stoppable():
    try:
        os.kill(os.getpid(), signal.SIGINT)
        threading.Event().wait(60)  # until the signal arrives
    finally:
        raise RuntimeError("cannot join thread before it is started")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no signal is sent there")
@pytest.mark.parametrize("script", [UNBEGUN, CLEARING])
def test_a_thread_that_has_not_begun_is_no_obstacle(script: str) -> None:
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 130
    assert done.stderr == "torchferry: interrupted\n"
