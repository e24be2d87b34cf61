"""Imports of a user's files."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from workbench.importing import import_file

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_an_edit_of_the_same_second_and_size_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "pyproject.toml").touch()
    for package in ("port", "port/parts"):
        (tmp_path / package).mkdir()
        (tmp_path / package / "__init__.py").touch()
    neighbour, file = tmp_path / "port" / "parts" / "rate.py", tmp_path / "port" / "net.py"
    file.write_text("from port.parts.rate import RATE\n")
    for rate in (0.9, 0.1):
        neighbour.write_text(f"RATE = {rate}\n")
        os.utime(neighbour, (1_000_000, 1_000_000))
        for name in [name for name in sys.modules if name.partition(".")[0] == "port"]:
            monkeypatch.delitem(sys.modules, name)
        assert rate == import_file(file).RATE
    assert not list(tmp_path.rglob("__pycache__"))
    assert not sys.dont_write_bytecode
