"""The settings in the documentation, in a real Emacs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SETTINGS = Path(__file__).resolve().parents[2] / "docs" / "editors" / "eglot.el"

# Everything waits for what it needs, and ends the editor with an error where that does not come.
SCRIPT = """
(require 'package)
(package-initialize)
(require 'eglot)
(setq eglot-sync-connect 60 eglot-connect-timeout 60 eglot-confirm-server-initiated-edits nil)
(load (getenv "TORCHFERRY_SETTINGS"))
(defun await (what ready)
  (let ((end (+ (float-time) 60)))
    (while (not (funcall ready))
      (when (> (float-time) end) (message "not in time: %s" what) (kill-emacs 1))
      (accept-process-output nil 0.05))))
(find-file (getenv "TORCHFERRY_FILE"))
(python-mode)
(apply #'eglot (eglot--guess-contact))
(await "the server" #'eglot-current-server)
(flymake-start)
(await "diagnostics" #'flymake-diagnostics)
(message "found %s" (flymake-diagnostic-text (car (flymake-diagnostics))))
(goto-char (flymake-diagnostic-beg (car (flymake-diagnostics))))
(let* ((actions (jsonrpc-request (eglot--current-server-or-lose) :textDocument/codeAction
                 (list :textDocument (eglot--TextDocumentIdentifier)
                       :range (list :start (eglot--pos-to-lsp-position)
                                    :end (eglot--pos-to-lsp-position))
                       :context '(:diagnostics [] :only ["quickfix"]))))
       (first (aref actions 0))
       (whole (if (plist-get first :edit) first
                (jsonrpc-request (eglot--current-server-or-lose) :codeAction/resolve first))))
  (eglot--apply-workspace-edit (plist-get whole :edit)))
(await "the fix" (lambda ()
  (save-excursion (goto-char (point-min)) (search-forward "paddle.abs" nil t))))
(save-buffer)
(kill-emacs 0)
"""


@pytest.mark.skipif(
    shutil.which("emacs") is None, reason="Emacs is not installed (apt-get install elpa-eglot)"
)
def test_diagnostics_and_a_fix(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("import torch\n\nname = 'é😀'; y = torch.abs(z)  # kept\n")
    script = tmp_path / "drive.el"
    script.write_text(SCRIPT)
    command = tmp_path / "torchferry"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m workbench.cli "$@"\n')
    command.chmod(0o755)
    environment = {
        "HOME": str(tmp_path),
        "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(SETTINGS.parents[2]),
        "TORCHFERRY_FILE": str(file),
        "TORCHFERRY_SETTINGS": str(SETTINGS),
    }
    run = subprocess.run(
        ["emacs", "--batch", "-l", script],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert run.returncode == 0, run.stderr
    assert "[TF100]: torch.abs becomes paddle.abs" in run.stderr
    changed = file.read_text()
    assert "name = 'é😀'; y = paddle.abs(z)  # kept\n" in changed and "import paddle\n" in changed
