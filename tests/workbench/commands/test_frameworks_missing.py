"""Commands that run both sides, in a Python that lacks a framework, or with a file that is not."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from workbench.cli import cli
from workbench.commands import watched
from workbench.errors import TorchferryError
from workbench.targets import installed

LACKS = (
    "does not have paddlepaddle, needed to run both sides; install it there"
    " (pip install paddlepaddle)"
)


def refused(*words: str) -> str:
    error = CliRunner().invoke(cli, words).exception
    assert isinstance(error, TorchferryError), error
    return str(error)


@pytest.mark.parametrize("command", ["trace", "compare"])
def test_a_missing_framework_is_named_before_anything_runs(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "model.py").write_text("import absent\n")
    monkeypatch.setattr(installed, "find_spec", lambda name: name != "paddle" or None)
    assert LACKS in refused(command, f"{tmp_path}/model.py:net")


def test_both_are_named_where_both_are_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installed, "find_spec", lambda name: None)
    with pytest.raises(TorchferryError, match="does not have torch and jax"):
        installed.check_installed("jax")


def test_a_framework_that_is_missed_on_the_way_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[tuple[str, str]] = []

    class Connection:
        send = sent.append

    def work(report: object) -> None:
        raise ModuleNotFoundError("No module named 'paddle'", name="paddle")

    watched._run(Connection(), work, ())  # type: ignore[arg-type]
    [(kind, message)] = sent
    assert kind == "failed" and LACKS in message


@pytest.mark.parametrize("command", ["trace", "compare", "verify"])
def test_a_file_that_is_not_there_is_named_before_torch_is_imported(command: str) -> None:
    places = ["none.py:net"] * (2 if command == "verify" else 1)
    assert refused(command, *places).startswith("none.py: no such file; write FILE:NAME")


def test_naming_such_a_file_imports_no_framework() -> None:
    code = (
        "import sys; from workbench.cli import cli; from workbench.errors import TorchferryError\n"
        "try: cli(['trace', 'none.py:net'], standalone_mode=False)\n"
        "except TorchferryError: print('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
