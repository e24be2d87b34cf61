"""Where JupyterLab starts."""

from __future__ import annotations

from pathlib import Path

import pytest

from jupyter_ext.launch import EXAMPLES, lay_out, main


def test_examples_are_copied_once_and_what_a_person_changed_stays(tmp_path: Path) -> None:
    lay_out(EXAMPLES, tmp_path)
    tour = tmp_path / "tour.ipynb"
    assert (tmp_path / "own_rules" / "model.py").is_file()
    tour.write_text("mine")
    lay_out(EXAMPLES, tmp_path)
    assert tour.read_text() == "mine"


def test_root_gets_a_hint_how_to_start(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("jupyterlab")
    monkeypatch.setattr("os.geteuid", lambda: 0, raising=False)
    assert main([]) == 2
    assert "make lab ARGS=--allow-root" in capsys.readouterr().err
