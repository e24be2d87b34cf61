"""What a command that a signal ends leaves of itself: one line, and its exit code."""

from __future__ import annotations

import subprocess
import sys

# A thread that was to start when the signal came stands among the others, and cannot be joined.
SCRIPT = """\
import threading
from workbench.stopping import leave

thread = threading.Thread(target=print)
threading._limbo[thread] = thread
leave(2)
"""


def test_a_thread_that_has_not_begun_is_not_waited_for() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True)
    assert done.returncode == 130
    assert done.stderr.startswith("torchferry: interrupted")
    assert done.stderr.count("\n") == 1
