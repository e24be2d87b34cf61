"""The settings in the documentation, in a real Neovim."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SETTINGS = Path(__file__).resolve().parents[2] / "docs" / "editors" / "neovim.lua"

# Everything waits for what it needs, and ends the editor with an error where that does not come.
SCRIPT = """
local function await(what, ready)
  if not vim.wait(30000, ready, 20) then
    io.stderr:write('not in time: ' .. what .. '\\n')
    vim.cmd('cquit')
  end
end
local function lines() return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\\n') end

await('diagnostics', function() return #vim.diagnostic.get(0) > 0 end)
local found = vim.diagnostic.get(0)[1]
io.stdout:write(found.source .. ' ' .. found.lnum .. ':' .. found.col .. '\\n')

vim.ui.select = function(items, _, choose) choose(items[1], 1) end
vim.api.nvim_win_set_cursor(0, { found.lnum + 1, found.col })
vim.lsp.buf.code_action()
await('the fix', function() return lines():find('paddle.abs', 1, true) end)
vim.cmd('silent write')
vim.cmd('quitall')
"""


@pytest.mark.skipif(
    shutil.which("nvim") is None, reason="Neovim is not installed (Debian: apt-get install neovim)"
)
def test_diagnostics_and_a_fix(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("import torch\n\nname = 'é😀'; y = torch.abs(torch.zeros(2))  # kept\n")
    script = tmp_path / "drive.lua"
    script.write_text(SCRIPT)
    environment = {f"XDG_{name}_HOME": str(tmp_path / name) for name in ("CONFIG", "DATA", "STATE")}
    environment["TORCHFERRY_PYTHON"] = sys.executable
    environment["PYTHONPATH"] = str(SETTINGS.parents[2])
    run = subprocess.run(
        ["nvim", "--headless", "-u", SETTINGS, file, "-c", f"luafile {script}"],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=90,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith("torchferry 2:")
    changed = file.read_text()
    assert "name = 'é😀'; y = paddle.abs(" in changed and changed.endswith("  # kept\n")
    assert "import paddle\n" in changed
