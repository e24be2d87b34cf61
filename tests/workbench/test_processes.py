"""Processes started from programs whose main module is not as Python made it."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

IN_A_NOTEBOOK = """\
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.reset()
shell.run_cell('''
from pathlib import Path
from workbench.convert.project.file_job import Order
from workbench.convert.project.runner import convert_path
from workbench.convert.configuration.settings import settings_for
report = convert_path(Path("in"), Path("out"), Order("paddle", settings_for(Path("in"))), workers=2)
assert [file.failure for file in report.files] == [None, None], report.files
''').raise_error()
"""


def test_a_project_converts_after_a_notebook_was_reset(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for name in ("one.py", "two.py"):
        (tmp_path / "in" / name).write_text("import torch\nx = torch.ones(3)\n")
    command = [sys.executable, "-c", IN_A_NOTEBOOK]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "paddle.ones" in (tmp_path / "out" / "two.py").read_text()


BUSY = """\
import ctypes, os
from workbench import processes

def work():
    os.write(1, b"at work")
    ctypes.PyDLL(None).sleep(300)  # no other thread runs meanwhile

if __name__ == "__main__":
    context = processes.{kind}()
    each = [context.Process(target=work) for _ in range(2)]
    for process in each:
        process.start()
    for process in each:
        process.join()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere it ends when the call does")
@pytest.mark.parametrize("kind", ["fresh_processes", "worker_processes"])
def test_workers_in_a_long_call_end_with_their_parent(tmp_path: Path, kind: str) -> None:
    script = tmp_path / "busy.py"
    script.write_text(BUSY.format(kind=kind))
    process = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.read(14) == 2 * b"at work"
    process.send_signal(signal.SIGKILL)
    # The pipe ends once nobody holds its other end any more.
    assert process.stdout.read() == b""
    assert process.wait() == -signal.SIGKILL


LEFT = """\
import os
from workbench.processes import fresh_processes

def work():
    pass

if __name__ == "__main__":
    processes = fresh_processes()
    process = processes.Process(target=work)
    process.start()
    process.join()
    lock = processes.Lock()
    os._exit(0)
"""


def test_leftovers_of_a_process_are_removed_silently(tmp_path: Path) -> None:
    script = tmp_path / "left.py"
    script.write_text(LEFT)
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
