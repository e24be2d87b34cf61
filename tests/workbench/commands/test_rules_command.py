"""A project's own rules are code: they run only where a person said that they may."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from tests.command import torchferry
from workbench import convert_project
from workbench.commands.check import check
from workbench.commands.convert import convert
from workbench.commands.rules import rules

EVIL = "from pathlib import Path\nPath(__file__).with_name('ran').touch()\n"
RULES = EVIL + (
    "from workbench.rules.own import OwnRules\nrules = OwnRules()\n"
    "rules.row('mylib.f', 'paddle.abs({x})', signature='(x)')\n"
)
CODE = "import torch\nfrom mylib import f\nprint(f(torch.ones(2)))\n"


@pytest.fixture(autouse=True)
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORCHFERRY_CONFIG_HOME", str(tmp_path / "config"))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project under version control with a file two folders down."""
    folder = tmp_path / "project"
    (folder / "src" / "inner").mkdir(parents=True)
    (folder / ".git").mkdir()
    (folder / "pyproject.toml").write_text('[tool.torchferry]\nrules = "evil.py"\n')
    (folder / "evil.py").write_text(RULES)
    (folder / "src" / "inner" / "a.py").write_text(CODE)
    return folder


COMMANDS = [
    ("src", ["check", "inner/a.py"]),
    ("src/inner", ["check", "../.."]),
    ("src/inner", ["convert", "a.py", "--diff"]),
    ("src/inner", ["convert", "a.py", "-o", "{out}/b.py"]),
    ("src/inner", ["convert", "-"]),
    (".", ["convert", ".", "-o", "{out}/all"]),
]


@pytest.mark.parametrize(("cwd", "arguments"), COMMANDS)
def test_rules_of_a_project_run_only_when_asked(
    project: Path, tmp_path: Path, cwd: str, arguments: list[str]
) -> None:
    command = [argument.format(out=tmp_path / "out") for argument in arguments]
    done = torchferry(*command, cwd=project / cwd, stdin=CODE)
    assert not (project / "ran").exists()
    assert done.returncode in (0, 1), done.stderr
    left_out = [line for line in done.stderr.splitlines() if "are not used" in line]
    assert len(left_out) == 1
    assert str(project / "evil.py") in left_out[0]
    assert f"torchferry rules trust {project}" in left_out[0]

    command = [argument.format(out=tmp_path / "out2") for argument in arguments]
    done = torchferry(*command, "--trust-rules", cwd=project / cwd, stdin=CODE)
    assert (project / "ran").exists()
    assert "1 own rules" in done.stderr and "are not used" not in done.stderr


def test_an_answer_is_remembered_only_for_the_project_and_taken_back(
    project: Path, tmp_path: Path
) -> None:
    assert torchferry("rules", "trust", "src", cwd=project).returncode == 0
    assert torchferry("rules", "list").stdout == f"{project.resolve()}\n"
    assert "1 own rules" in torchferry("check", "src", cwd=project).stderr
    other = tmp_path / "other"
    project.rename(other)
    assert "are not used" in torchferry("check", "src", cwd=other).stderr
    other.rename(project)
    assert torchferry("rules", "revoke", "src", cwd=project).returncode == 0
    assert torchferry("rules", "list").stdout == ""
    assert "are not used" in torchferry("check", "src", cwd=project).stderr


def test_there_is_nothing_to_trust_or_to_take_back(tmp_path: Path) -> None:
    for command in ("trust", "revoke"):
        done = torchferry("rules", command, tmp_path)
        assert done.returncode == 2
        assert done.stderr.startswith(f"torchferry: {tmp_path}: ")


def test_an_empty_list_says_so() -> None:
    assert torchferry("rules", "list").stderr == "No project's rules may run.\n"


def test_rules_above_the_project_are_not_even_seen(project: Path) -> None:
    (project / ".git").rmdir()
    for place in ("src/inner/a.py", "src", "src/inner"):
        done = torchferry("check", "--trust-rules", project / place)
        assert not (project / "ran").exists()
        assert done.stderr == ""


def test_an_unreadable_answer_is_reported_and_trusts_nothing(project: Path, tmp_path: Path) -> None:
    torchferry("rules", "trust", project)
    (tmp_path / "config" / "trusted_rules.json").write_text("{")
    done = torchferry("check", project)
    assert "trusted_rules.json: not in Torchferry's format" in done.stderr
    assert "are not used" in done.stderr
    assert not (project / "ran").exists()


def test_the_python_function_asks_too(
    project: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    convert_project(project, tmp_path / "one")
    assert not (project / "ran").exists()
    assert "evil.py" in caplog.text
    convert_project(project, tmp_path / "two", trust_rules=True)
    assert (project / "ran").exists()


@pytest.mark.parametrize("command", [check, convert, rules])
def test_the_help_says_that_rules_are_code(command: click.Command) -> None:
    help_text = command.get_help(click.Context(command))
    assert "Python code" in " ".join(help_text.split())
