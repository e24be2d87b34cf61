"""The page of a port for a pull request."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.command import torchferry
from tests.workbench.ports.project import FILES, FakeRuns, edit, git, head_of, made, planned, porter
from workbench.commands.port_evidence import evidence_of
from workbench.ports.evidence import Difference, differences
from workbench.ports.folder import open_plan
from workbench.ports.plan import Done, Found, Plan, Step

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
    assert "| tests | tests/test_net.py | certified | 1 test |" in text
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


def test_a_difference_of_several_uses_is_one_row_with_their_names() -> None:
    third = "third derivatives through it raise an error in Paddle"
    messages = (
        f"torch.sqrt becomes paddle.sqrt: {third}",
        f"torch.sqrt becomes paddle.sqrt: {third} (this use and 1 more in this file)",
        f"torch.remainder becomes (x % y): {third}",
        f"torch.Tensor.std is written the same in Paddle: {third} (assuming that `f(x)` is one)",
        "if `a` is a tensor, torch also changes `b` here, and Paddle does not",
    )
    found = tuple(Found("TF119", line, text) for line, text in enumerate(messages, 1))
    done = Done("a", "b", (), "", 0, (), findings=found)
    plan = Plan("shop", "paddle", "plain", "torch", steps=[Step("a.py", done=done)])
    assert differences(plan) == [
        Difference("TF119", messages[4], (), ("a.py:5",)),
        Difference(
            "TF119",
            third,
            (
                "torch.sqrt becomes paddle.sqrt",
                "torch.remainder becomes (x % y)",
                "torch.Tensor.std",
            ),
            ("a.py:1", "a.py:2", "a.py:3", "a.py:4"),
        ),
    ]


def test_models_that_were_not_run_are_counted_and_have_their_reason(project: Path) -> None:
    run(project)
    plan = open_plan(project)[0]
    step = next(one for one in plan.steps if one.done and one.done.verified)
    assert step.done is not None
    first = replace(step.done.verified[0], outcome="not run", summary="gradients: an error")
    step.done = replace(step.done, verified=(first, *step.done.verified[1:]))
    sheet = evidence_of(project, plan, porter(project).repository)
    assert "1 was not run" in sheet.verdict
    reasons = next(one for one in sheet.tables if one.title.startswith("Tests"))
    assert (first.call, step.path, "not run", "gradients: an error") in reasons.rows
