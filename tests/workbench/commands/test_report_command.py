"""Shares of a check on several machines, and their reports put together."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from workbench.commands.check import check
from workbench.commands.report import report
from workbench.errors import TorchferryError


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of twenty files, every second with a use that stays, as the working folder."""
    (tmp_path / "src").mkdir()
    for number in range(20):
        use = "torch.stack(no=x)" if number % 2 else "torch.stack([x])"
        (tmp_path / "src" / f"m{number}.py").write_text(f"import torch\n{use}\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(check, [*arguments, "--jobs", "1"])


def merged(*arguments: str) -> Result:
    return CliRunner().invoke(report, ["merge", *arguments])


@pytest.mark.parametrize("form", ["json", "github", "gitlab", "sarif"])
def test_shards_together_are_the_whole(project: Path, form: str) -> None:
    names = []
    for number in (1, 2, 3):
        names.append(f"{number}.json")
        shard = run("src", "--shard", f"{number}/3", "--output-format", "json")
        (project / names[-1]).write_text(shard.stdout)
        assert 0 < len(json.loads(shard.stdout)) < 20
    whole = run("src", "--output-format", form)
    together = merged(*names, "--output-format", form)
    assert together.exit_code == whole.exit_code == 1
    assert sorted(together.stdout.splitlines()) == sorted(whole.stdout.splitlines())


def test_a_finding_of_two_reports_counts_once(project: Path) -> None:
    (project / "a.json").write_text(run("src", "--output-format", "json").stdout)
    done = merged("a.json", "a.json", "--statistics")
    assert done.stdout.splitlines() == [
        "10  TF100  converts exactly",
        "10  TF200  has no equivalent in this form and is not converted",
        "20 findings in 20 files: 10 errors, 10 hints.",
    ]


def test_a_shard_stays_the_same_where_files_come(project: Path) -> None:
    def files() -> set[object]:
        found = json.loads(run("src", "--shard", "2/3", "--output-format", "json").stdout)
        return {row["file"] for row in found}

    before = files()
    (project / "src" / "a.py").write_text("import torch\ntorch.stack([])\n")
    assert files() - {"src/a.py"} == before


@pytest.mark.parametrize("shard", ["0/3", "4/3", "1", "a/b", "1/0"])
def test_a_shard_that_there_is_not_is_refused(project: Path, shard: str) -> None:
    error = run("src", "--shard", shard).exception
    assert isinstance(error, TorchferryError) and "such as 2/5" in str(error)


@pytest.mark.parametrize(
    "text", ["", "{}", "[1]", "[{}]", '[{"file": "a", "text": "", "code": "x"}]']
)
def test_other_files_than_reports_are_refused(project: Path, text: str) -> None:
    (project / "a.json").write_text(text)
    error = merged("a.json").exception
    assert isinstance(error, TorchferryError) and str(error).startswith("a.json: not a report")
