"""The page of a port for a pull request."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command import torchferry
from tests.workbench.ports.project import FILES, FakeRuns, edit, git, head_of, made, planned, porter

BRANCH = "torchferry/paddle"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    files = dict(FILES)
    files["shop/odd.py"] = "import torch\n\n\ndef odd(a):\n    return torch.lobpcg(a)\n"
    folder = made(tmp_path / "work", files)
    planned(folder)
    edit(
        folder,
        head_of(folder, "shop/odd.py"),
        f"{head_of(folder, 'shop/odd.py')}\n   - accepted: un|used",
    )
    return folder


def run(folder: Path, steps: int | None = None) -> None:
    assert porter(folder, FakeRuns()).run(BRANCH, resume=False, steps=steps, workers=1) is None


def page(folder: Path) -> str:
    done = torchferry("report", "port", folder)
    assert done.returncode == 1, done.stderr
    return done.stdout


def test_the_page_has_commits_figures_differences_and_reasons(project: Path) -> None:
    run(project)
    text = page(project)
    assert text.startswith("# Port of work to Paddle\n")
    verdict = "every step is done; 3 of 3 models and files of tests agree with torch"
    assert f"**{verdict}; 1 use of torch left**" in text
    assert "torch ms | Paddle ms |" in text
    assert "| import | shop/odd.py | imported | no model of it was run |" in text
    assert "| pyproject.toml |  | changed |" in text
    commit = git(project, "log", "--format=%H", "--grep=port: shop/layers.py").strip()[:9]
    row = next(line for line in text.splitlines() if line.startswith("| shop/layers.py |"))
    assert commit in row and "1 of 1 verified" in row
    assert "| Block() | shop/layers.py |" in text and "| certified | 2.0e-07 |" in text
    assert "| tests of tests/test_net.py | tests/test_net.py | certified | 1 test |" in text
    assert "torch.lobpcg" in text and "shop/odd.py:5" in text
    assert "| shop/odd.py | un\\|used |" in text


def test_a_step_is_open_undone_or_edited(project: Path) -> None:
    run(project, 2)
    (project / "shop/layers.py").write_text("import paddle\n")
    git(project, "commit", "-q", "-a", "-m", "mine")
    text = page(project)
    assert "3 steps open" in text and "edited since" in text
    assert "| shop/net.py | 1 of 1 | open |  |" in text


def test_the_page_is_written_as_its_name_says(project: Path, tmp_path: Path) -> None:
    run(project)
    for name in ("port.md", "port.html"):
        assert torchferry("report", "port", project, "-o", tmp_path / name).returncode == 1
    assert "<h1>Port of work to Paddle</h1>" in (tmp_path / "port.html").read_text()
    assert "torch_median" not in (tmp_path / "port.md").read_text()
    refused = torchferry("report", "port", project, "-o", tmp_path / "port.txt")
    assert refused.returncode == 2 and "ends in one of .md, .html" in refused.stderr


def test_nothing_done_or_a_broken_certificate_is_an_error(project: Path) -> None:
    done = torchferry("report", "port", project)
    assert done.returncode == 2 and "no step is done" in done.stderr
    run(project)
    place = next((project / "torchferry-certificates").glob("*.json"))
    place.write_text(json.dumps({"checks": []}))
    done = torchferry("report", "port", project)
    assert done.returncode == 2 and "not a certificate" in done.stderr
