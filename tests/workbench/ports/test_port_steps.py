"""Steps of a port: one commit each, stops, kills, edits, and steps taken back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command import torchferry
from tests.workbench.ports.project import (
    FILES,
    ODD,
    FakeRuns,
    edit,
    git,
    head_of,
    made,
    planned,
    porter,
)
from workbench.errors import TorchferryError
from workbench.ports.folder import open_plan
from workbench.ports.plan import CERTIFICATES, PLAN
from workbench.ports.steps import Stop
from workbench.ports.undoing import undo

BRANCH = "torchferry/paddle"
STEPS = ["shop/layers.py", "shop/net.py", "tests/test_net.py", "pyproject.toml"]
HELPERS = "shop/torchferry_helpers.py"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = made(tmp_path / "work", FILES)
    planned(folder)
    return folder


def run(
    folder: Path, runs: FakeRuns | None = None, *, resume: bool = False, steps: int | None = None
) -> Stop | None:
    return porter(folder, runs).run(BRANCH, resume=resume, steps=steps, workers=1)


def subjects(folder: Path) -> list[str]:
    return git(folder, "log", "--reverse", "--format=%s").splitlines()


def odd(folder: Path) -> Path:
    """Add a file with a use that does not convert, which is the first step."""
    (folder / "shop/odd.py").write_text(ODD)
    git(folder, "add", "shop/odd.py")
    git(folder, "commit", "-q", "-m", "odd", "--", "shop/odd.py")
    planned(folder)
    edit(folder, head_of(folder, "shop/odd.py") + "\n", "")
    edit(folder, "## Steps\n", "## Steps\n\n1. [ ] `shop/odd.py`: first\n")
    return folder


def test_each_step_is_one_commit_on_a_branch(project: Path) -> None:
    runs = FakeRuns()
    assert run(project, runs) is None
    assert git(project, "branch", "--show-current") == BRANCH
    assert subjects(project) == ["original", *(f"port: {path} to Paddle" for path in STEPS)]
    assert git(project, "status", "--porcelain") == ""
    assert [call for call, _ in runs.seen] == ["Block()", "Net()", "tests/test_net.py"]
    layers = (project / "shop/layers.py").read_text()
    assert "from paddle import nn" in layers and "torch_median" in layers
    assert "def torch_median" in (project / HELPERS).read_text()
    assert "paddle" in (project / "pyproject.toml").read_text()
    assert git(project, "show", "main:shop/layers.py") == FILES["shop/layers.py"].strip()
    assert all("[x]" in head_of(project, path) for path in STEPS)


def test_a_commit_has_the_file_its_helpers_certificate_and_figures(project: Path) -> None:
    run(project, steps=1)
    names = git(project, "show", "--format=", "--name-only").splitlines()
    assert sorted(names) == sorted(
        [
            "shop/layers.py",
            HELPERS,
            PLAN,
            "torchferry-plan.json",
            "torchferry-certificates/shop.layers.Block.json",
        ]
    )
    message = git(project, "show", "-s", "--format=%B")
    assert "uses of torch converted." in message
    assert "- Block(): certified, 1 check, largest difference 2.0e-07" in message
    assert git(project, "show", "-s", "--format=%(trailers:key=Torchferry-Step,valueonly)") == (
        "shop/layers.py"
    )
    held = json.loads((project / "torchferry-certificates/shop.layers.Block.json").read_text())
    assert held["sides"]["port"]["place"] == "shop/layers.py:Block()"
    assert held["sides"]["original"]["revision"] == git(project, "rev-parse", "main")


def test_the_port_goes_on_where_it_ended(project: Path) -> None:
    run(project, steps=1)
    first = git(project, "rev-parse", "HEAD")
    runs = FakeRuns()
    assert run(project, runs) is None
    assert git(project, "rev-parse", "HEAD~3") == first
    assert [call for call, _ in runs.seen] == ["Net()", "tests/test_net.py"]
    assert run(project, runs) is None  # nothing is left
    assert len(subjects(project)) == 5


@pytest.mark.parametrize("path", ["shop/net.py", "shop/__init__.py"])
def test_changes_that_git_has_not_kept_are_refused(project: Path, path: str) -> None:
    (project / path).write_text("x = 1\n")
    with pytest.raises(TorchferryError, match=r"not committed; run git commit or git stash first"):
        run(project)
    assert (project / path).read_text() == "x = 1\n"
    assert git(project, "branch", "--show-current") == "main"


def test_a_file_that_git_does_not_have_stops_the_port(project: Path) -> None:
    (project / "shop/new.py").write_text("import torch\n\nx = torch.ones(2)\n")
    planned(project)
    stop = run(project)
    while stop is not None and stop.step.path != "shop/new.py":
        stop = run(project)
    assert stop is not None and stop.reason == "git does not have this file"
    assert "git add shop/new.py" in stop.ways[0]
    assert "torch" in (project / "shop/new.py").read_text()


def test_a_helper_module_that_git_does_not_have_is_not_overwritten(project: Path) -> None:
    (project / HELPERS).write_text("mine = 1\n")
    with pytest.raises(TorchferryError, match="no conversion wrote it"):
        run(project)
    assert (project / HELPERS).read_text() == "mine = 1\n"


# Stops ------------------------------------------------------------------------------------------


def test_a_use_that_stays_stops_its_step_with_the_reason(project: Path) -> None:
    stop = run(odd(project))
    assert stop is not None and stop.step.path == "shop/odd.py"
    assert stop.reason == "1 use of torch left" and "torch.lobpcg" in stop.details[0]
    line = int(stop.details[0].removeprefix("line ").partition(":")[0])
    assert "torch.lobpcg(" in (project / "shop/odd.py").read_text().splitlines()[line - 1]
    assert any("torchferry port --continue" in way for way in stop.ways)
    assert any("torchferry port --undo shop/odd.py" in way for way in stop.ways)
    assert git(project, "log", "-1", "--format=%s") == "odd"
    with pytest.raises(TorchferryError, match=r"this step has stopped \(1 use of torch left\)"):
        run(project)


def test_an_edited_step_goes_on_from_the_edit(project: Path) -> None:
    run(odd(project))
    port = "import paddle\n\n\ndef odd(a):\n    return paddle.linalg.eigh(a)\n"
    (project / "shop/odd.py").write_text(port)
    assert run(project, resume=True, steps=1) is None
    assert git(project, "show", "HEAD:shop/odd.py") == port.strip()
    assert "[x]" in head_of(project, "shop/odd.py")


def test_another_edited_file_is_committed_without_the_step_that_stopped(project: Path) -> None:
    run(odd(project))
    (project / "shop/layers.py").write_text("mine = 1\n")
    with pytest.raises(TorchferryError, match=r"run git commit shop/layers.py .* port --continue"):
        run(project, resume=True)


def test_an_edit_that_leaves_the_use_stops_again(project: Path) -> None:
    run(odd(project))
    stop = run(project, resume=True)
    assert stop is not None and stop.reason == "1 use of torch left"


def test_an_accepted_step_is_ported_with_the_reason(project: Path) -> None:
    odd(project)
    edit(project, head_of(project, "shop/odd.py"), "1. [ ] `shop/odd.py`:\n   - accepted: unused")
    assert run(project, steps=1) is None
    message = git(project, "show", "-s", "--format=%B")
    assert "Left in torch:\n- line 5:12: TF200 torch.lobpcg" in message
    assert "Accepted: unused" in message
    assert "1 use of torch left" in (project / PLAN).read_text()


def test_a_step_that_stopped_is_taken_back(project: Path) -> None:
    run(odd(project))
    assert "taken back" in undo(porter(project), ["shop/odd.py"])[0]
    assert (project / "shop/odd.py").read_text() == ODD
    edit(project, "1. [ ] `shop/odd.py`: first\n", "")
    assert run(project) is None
    assert (project / "shop/odd.py").read_text() == ODD


def test_taking_a_step_back_loses_no_edit(project: Path) -> None:
    run(odd(project))
    (project / "shop/odd.py").write_text("mine = 1\n")
    with pytest.raises(TorchferryError, match=r"git does not have the edit.*git restore"):
        undo(porter(project), ["shop/odd.py"])
    assert (project / "shop/odd.py").read_text() == "mine = 1\n"


def test_a_model_that_differs_stops_its_step(project: Path) -> None:
    stop = run(project, FakeRuns({"Net()"}))
    assert stop is not None and stop.step.path == "shop/net.py"
    assert stop.reason == "its port differs from the original"
    assert stop.details == ("Net(): shop/net.py:3: off by 3",)
    (certificate,) = (project / CERTIFICATES).glob("shop.net.Net*")
    places = json.loads(certificate.read_text())["places"]
    assert places == [{"port": "shop/net.py:3", "original": "shop/net.py:2"}]
    text = (project / "shop/net.py").read_text()
    (project / "shop/net.py").write_text(f"{text}\n# mine\n")
    runs = FakeRuns()
    assert run(project, runs, resume=True) is None
    assert runs.seen[0][0] == "Net()" and runs.seen[0][1].endswith("# mine\n")
    assert git(project, "show", "HEAD~2:shop/net.py").endswith("# mine")


def test_tests_that_fail_in_the_port_stop_it(project: Path) -> None:
    stop = run(project, FakeRuns({"tests/test_net.py"}))
    assert stop is not None and stop.step.path == "tests/test_net.py"


def test_a_port_that_does_not_compile_stops_its_step(project: Path) -> None:
    run(project, FakeRuns({"Block()"}))
    (project / "shop/layers.py").write_text("import paddle\ndef f(:\n")
    stop = run(project, resume=True)
    assert stop is not None
    assert "shop/layers.py" in stop.details[0]


# Ends of runs -----------------------------------------------------------------------------------


def killed() -> None:
    raise KeyboardInterrupt


def test_a_killed_run_is_resumed(project: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        run(project, FakeRuns(before=killed))
    assert git(project, "status", "--porcelain", "-uno") != ""
    assert run(project) is None
    assert subjects(project) == ["original", *(f"port: {path} to Paddle" for path in STEPS)]
    assert git(project, "status", "--porcelain") == ""


def test_a_run_whose_commit_fails_is_resumed(project: Path) -> None:
    hook = project / ".git/hooks/pre-commit"
    hook.write_text("#!/bin/sh\necho no such luck >&2\nexit 1\n")
    hook.chmod(0o755)
    with pytest.raises(TorchferryError, match="no such luck"):
        run(project)
    hook.unlink()
    assert run(project) is None
    assert git(project, "status", "--porcelain") == ""
    assert len(subjects(project)) == 5


def test_an_edit_after_a_kill_is_not_lost(project: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        run(project, FakeRuns(before=killed))
    (project / "shop/layers.py").write_text("mine = 1\n")
    with pytest.raises(TorchferryError, match="git does not have the edit"):
        run(project)
    assert (project / "shop/layers.py").read_text() == "mine = 1\n"


def test_the_port_needs_its_branch(project: Path) -> None:
    run(project, steps=1)
    git(project, "switch", "-q", "-c", "other")
    with pytest.raises(TorchferryError, match=f"git switch {BRANCH}"):
        run(project)


def test_a_branch_that_exists_is_not_taken(project: Path) -> None:
    git(project, "branch", BRANCH)
    with pytest.raises(TorchferryError, match="give another with --branch"):
        run(project)


def test_no_plan_is_made_of_a_file_that_is_half_ported(project: Path) -> None:
    page = (project / PLAN).read_text()
    with pytest.raises(KeyboardInterrupt):
        run(project, FakeRuns(before=killed))
    refused = torchferry("plan", project, "--jobs", 1)
    assert refused.returncode == 2 and "shop/layers.py: this step has begun" in refused.stderr
    assert (project / PLAN).read_text() == page
    run(project, steps=1)
    assert torchferry("plan", project, "--jobs", 1).returncode == 0
    assert "[x]" in head_of(project, "shop/layers.py")
    assert [step.path for step in open_plan(project)[0].chosen] == STEPS


# Surroundings -----------------------------------------------------------------------------------


def test_edits_of_ported_files_are_verified_with_the_next_steps(project: Path) -> None:
    run(project, steps=1)
    layers = project / "shop/layers.py"
    layers.write_text(f"{layers.read_text()}\n# mine\n")
    git(project, "commit", "-q", "-a", "-m", "mine")
    runs = FakeRuns()
    ported = porter(project, runs)
    ported.run(BRANCH, resume=False, steps=1, workers=1)
    tree = next((project / ".git/torchferry").rglob("ported/*/shop/layers.py"))
    assert tree.read_text() == layers.read_text() and tree.read_text().endswith("# mine\n")
    original = next((project / ".git/torchferry").rglob("original/*/shop/layers.py"))
    assert original.read_text() == FILES["shop/layers.py"]


def test_files_that_are_left_out_stay_in_torch(project: Path) -> None:
    head = head_of(project, "shop/layers.py")
    edit(project, head, "")
    edit(project, "## Left out\n", f"## Left out\n\n{head}\n")
    assert run(project) is None
    assert (project / "shop/layers.py").read_text() == FILES["shop/layers.py"]
    tree = next((project / ".git/torchferry").rglob("ported/*/shop/layers.py"))
    assert tree.read_text() == FILES["shop/layers.py"]


def test_a_project_in_a_subfolder_is_ported_alone(tmp_path: Path) -> None:
    top = made(
        tmp_path / "top", {f"py/{path}": text for path, text in FILES.items()} | {"a.py": ""}
    )
    planned(top / "py")
    (top / "a.py").write_text("x = 1\n")  # not the port's concern
    assert run(top / "py") is None
    assert "paddle" in (top / "py/shop/net.py").read_text()
    assert (top / "a.py").read_text() == "x = 1\n"
    assert git(top, "status", "--porcelain").split() == ["M", "a.py"]


def test_line_endings_stay(tmp_path: Path) -> None:
    text = FILES["shop/layers.py"].replace("\n", "\r\n")
    folder = made(tmp_path / "work", FILES)
    (folder / "shop/layers.py").write_bytes(text.encode())
    git(folder, "-c", "core.autocrlf=false", "commit", "-q", "-a", "-m", "endings")
    planned(folder)
    assert run(folder, steps=1) is None
    ported = (folder / "shop/layers.py").read_bytes()
    assert ported.count(b"\r\n") == ported.count(b"\n")
    undo(porter(folder), ["1"])
    assert (folder / "shop/layers.py").read_bytes() == text.encode()


@pytest.mark.parametrize("committed", [True, False])
def test_a_port_needs_a_repository_with_a_commit(tmp_path: Path, committed: bool) -> None:
    if committed:
        git(tmp_path, "init", "-q")
    (tmp_path / "a.py").write_text("import torch\nx = torch.ones(2)\n")
    planned(tmp_path)
    with pytest.raises(TorchferryError, match="no commit" if committed else "run git init"):
        run(tmp_path)


# Undoing ----------------------------------------------------------------------------------------


def test_a_step_is_undone_in_a_commit(project: Path) -> None:
    run(project)
    lines = undo(porter(project), ["tests/test_net.py"])
    assert lines[0].startswith("tests/test_net.py: undone in ")
    assert (project / "tests/test_net.py").read_text() == FILES["tests/test_net.py"]
    assert subjects(project)[-1] == "port: undo tests/test_net.py"
    assert git(project, "status", "--porcelain") == ""
    assert "[ ]" in head_of(project, "tests/test_net.py")
    assert run(project) is None
    assert subjects(project)[-1] == "port: tests/test_net.py to Paddle"


def test_a_step_that_others_import_is_undone_with_them(project: Path) -> None:
    run(project)
    with pytest.raises(TorchferryError) as refused:
        undo(porter(project), ["1"])
    command = str(refused.value).partition("torchferry port ")[2]
    assert command == "--undo shop/net.py --undo shop/layers.py"
    with pytest.raises(TorchferryError) as refused:
        undo(porter(project), ["shop/net.py", "shop/layers.py"])
    assert "tests/test_net.py" in str(refused.value)
    undo(porter(project), STEPS[:3])
    for path in STEPS[:3]:
        assert (project / path).read_text() == FILES[path]
    assert not (project / HELPERS).exists()
    assert not list((project / "torchferry-certificates").glob("*.json"))
    assert [step.path for step in open_plan(project)[0].chosen if step.done] == ["pyproject.toml"]


def test_a_plan_made_between_steps_remembers_who_imports_ported_files(project: Path) -> None:
    run(project, steps=1)
    assert torchferry("plan", project, "--jobs", 1).returncode == 0
    run(project)
    with pytest.raises(TorchferryError, match=r"imported by shop/net\.py"):
        undo(porter(project), ["shop/layers.py"])


def test_an_end_of_the_steps_names_the_next_command(project: Path) -> None:
    run(project)
    done = torchferry("port", "--dry-run", project)
    assert done.returncode == 0 and "No step is open. Next: torchferry report port" in done.stdout


def test_without_a_plan_the_message_names_the_branch(tmp_path: Path) -> None:
    done = torchferry("port", made(tmp_path / "other", FILES))
    assert done.returncode == 2 and "switch to its branch with git switch" in done.stderr


def test_helpers_that_a_person_changed_stay(project: Path) -> None:
    run(project, steps=1)
    helpers = project / HELPERS
    helpers.write_text(helpers.read_text() + "\n\nmine = 1\n")
    git(project, "commit", "-q", "-a", "-m", "mine")
    undo(porter(project), ["1"])
    assert helpers.read_text().endswith("mine = 1\n")


def test_undoing_names_the_commit_that_has_a_persons_edits(project: Path) -> None:
    run(project, steps=1)
    (project / "shop/layers.py").write_text("import paddle\nmine = 1\n")
    git(project, "commit", "-q", "-a", "-m", "mine")
    mine = git(project, "rev-parse", "HEAD")
    assert f"its edits are in git show {mine[:9]}:shop/layers.py" in undo(porter(project), ["1"])[0]


@pytest.mark.parametrize(
    ("name", "message"),
    [("9", "from 1 to 4"), ("none.py", "no such step"), ("2", "this step is not done")],
)
def test_only_a_step_that_is_done_is_undone(project: Path, name: str, message: str) -> None:
    run(project, steps=1)
    with pytest.raises(TorchferryError, match=message):
        undo(porter(project), [name])


def test_undoing_refuses_changes_that_git_has_not_kept(project: Path) -> None:
    run(project, steps=1)
    (project / "shop/net.py").write_text("x = 1\n")
    with pytest.raises(TorchferryError, match="not committed"):
        undo(porter(project), ["1"])
