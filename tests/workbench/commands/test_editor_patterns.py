"""Messages of the command line that the extension for VS Code recognises by their text."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from workbench import TorchferryError
from workbench.commands.models import open_subject
from workbench.targets.installed import lacking

_CLIENT = Path(__file__).parents[3] / "vscode-client" / "src"
_FILE = """\
import torch

width = 3

class Sized(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
"""


def _pattern(file: str, name: str) -> re.Pattern[str]:
    """Return a regular expression of the client's source, with Python's named groups."""
    found = re.search(rf"const {name} = /(.*)/s?;", (_CLIENT / file).read_text(encoding="utf-8"))
    assert found is not None
    return re.compile(found[1].replace("(?<", "(?P<"), re.DOTALL)


def test_a_missing_package_gets_a_button_that_installs_it() -> None:
    found = _pattern("remedies.ts", "LACKS").search(lacking(["torch", "jax"]))
    assert found is not None
    assert found["packages"] == "torch jax"
    assert found["command"].endswith(("python", "python3", "python.exe"))


def test_a_class_that_needs_arguments_gets_a_proposed_call(tmp_path: Path) -> None:
    file = tmp_path / "nets.py"
    file.write_text(_FILE)
    with pytest.raises(TorchferryError) as needed:
        open_subject(f"{file}:Sized", ["2x3"], train=False)
    assert _pattern("models.ts", "WANTS_CALL").search(str(needed.value))
    suggested = _pattern("models.ts", "SUGGESTED").search(str(needed.value))
    assert suggested is not None
    assert suggested[1] == "Sized(width)"
    with pytest.raises(TorchferryError) as failed:
        open_subject(f"{file}:Sized(nothing)", ["2x3"], train=False)
    assert _pattern("models.ts", "WANTS_CALL").search(str(failed.value))
