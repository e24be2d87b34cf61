"""Processes started from programs whose main module is not as Python made it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

IN_A_NOTEBOOK = """\
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.reset()
shell.run_cell('''
from pathlib import Path
from workbench.convert.one_file import Order
from workbench.convert.project import convert_path
from workbench.convert.settings import settings_for
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
