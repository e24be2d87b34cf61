"""A port follows its original: edits are kept, and conflicts show both readings."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command import torchferry
from tests.workbench.ports.project import FILES, ODD, FakeRuns, edit, git, made, planned, porter
from workbench.errors import TorchferryError
from workbench.ports.folder import open_plan
from workbench.ports.syncing import Follower, Synced

BRANCH = "torchferry/paddle"
HELPERS = "shop/torchferry_helpers.py"
LAYERS = FILES["shop/layers.py"]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    files = {
        **FILES,
        "README.md": "# Shop\n\nOne.\n\nTwo.\n",
        "shop/old.py": ODD,
        "shop/plain.py": "",
    }
    folder = made(tmp_path / "work", files)
    planned(folder)
    page = folder / "torchferry-plan.md"
    lines = [line for line in page.read_text().splitlines() if "] `shop/old.py`" not in line]
    page.write_text("\n".join(lines))  # left out
    assert porter(folder).run(BRANCH, resume=False, steps=None, workers=1) is None
    return folder


def upstream(folder: Path, changes: dict[str, str | None]) -> str:
    """Commit a change of the original on main."""
    git(folder, "switch", "-q", "main")
    for name, text in changes.items():
        if text is None:
            (folder / name).unlink()
        else:
            (folder / name).write_text(text)
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "upstream")
    git(folder, "switch", "-q", BRANCH)
    return "main"


def edited(folder: Path, path: str, old: str, new: str) -> None:
    """Edit the port and commit it."""
    text = (folder / path).read_text()
    assert old in text
    (folder / path).write_text(text.replace(old, new))
    git(folder, "commit", "-q", "-a", "-m", "mine")


def follow(folder: Path, original: str = "", runs: FakeRuns | None = None) -> Synced:
    follower = Follower(porter(folder, runs), lambda line: None)
    return follower.begin(original, 1) if original else follower.resume()


def test_a_change_of_the_original_is_converted_into_an_edited_port(project: Path) -> None:
    edited(project, "shop/layers.py", "class Block(", "LIMIT = 3  # mine\n\n\nclass Block(")
    text = LAYERS + "\n\ndef best(x):\n    return torch.std(x, unbiased=False)\n"
    runs = FakeRuns()
    found = follow(project, upstream(project, {"shop/layers.py": text}), runs)
    assert found.commit == git(project, "rev-parse", "HEAD")
    port = (project / "shop/layers.py").read_text()
    assert "LIMIT = 3  # mine" in port and "paddle.std(x" in port and "torch.std" not in port
    assert [call for call, _ in runs.seen] == ["Block()", "Net()", "tests/test_net.py"]
    message = git(project, "show", "-s", "--format=%B")
    assert "- shop/layers.py, Block(): certified" in message
    assert f"Torchferry-Original: {git(project, 'rev-parse', 'main')}" in message
    assert git(project, "status", "--porcelain") == ""


def test_the_next_change_is_merged_from_there(project: Path) -> None:
    first = LAYERS + "\n\na = torch.ones(2)\n"
    follow(project, upstream(project, {"shop/layers.py": first}))
    edited(project, "shop/layers.py", "a = paddle.ones(2)", "a = paddle.ones(2)  # mine")
    second = first.replace("self.width = width", "self.width = 2 * width")
    assert follow(project, upstream(project, {"shop/layers.py": second})).commit
    port = (project / "shop/layers.py").read_text()
    assert "# mine" in port and "self.width = 2 * width" in port
    with pytest.raises(TorchferryError, match="follows this revision already"):
        follow(project, "main")


def test_a_model_that_a_person_deleted_leaves_no_certificate(project: Path) -> None:
    certificate = project / "torchferry-certificates/shop.layers.Block.json"
    assert certificate.exists()
    original = upstream(project, {"shop/layers.py": LAYERS + "\n\na = torch.ones(2)\n"})
    trial = open_plan(project)[0].steps[0].trials[0]
    lines = (project / "torchferry-plan.md").read_text().splitlines()
    edit(project, next(line for line in lines if f"verify: `{trial.call}`" in line), "")
    assert follow(project, original).commit
    assert not certificate.exists() and not git(project, "status", "--porcelain")
    assert open_plan(project)[0].steps[0].dropped == [trial]


def test_a_conflict_shows_both_readings_until_it_is_resolved(project: Path) -> None:
    edited(project, "shop/net.py", "self.block = Block()", "self.block = Block(7)")
    text = FILES["shop/net.py"].replace("Block()", "Block(5)")
    head = git(project, "rev-parse", "HEAD")
    found = follow(project, upstream(project, {"shop/net.py": text}))
    assert found.reasons == ("shop/net.py:8: 1 conflict",) and not found.commit
    port = (project / "shop/net.py").read_text()
    assert "<<<<<<< the port\n" in port and ">>>>>>> the original now, converted\n" in port
    assert "self.block = Block(7)" in port and "self.block = Block(5)" in port
    assert follow(project).reasons == found.reasons
    assert git(project, "rev-parse", "HEAD") == head
    start, _, rest = port.partition("<<<<<<< ")
    end = rest.partition(">>>>>>> the original now, converted\n")[2]
    (project / "shop/net.py").write_text(f"{start}        self.block = Block(12)\n{end}")
    assert follow(project).commit
    assert "Block(12)" in git(project, "show", "HEAD:shop/net.py")
    assert "<<<<" not in git(project, "show", "HEAD:shop/net.py")


def test_a_sync_is_taken_back(project: Path) -> None:
    edited(project, "shop/net.py", "self.block = Block()", "self.block = Block(7)")
    head = git(project, "rev-parse", "HEAD")
    changes: dict[str, str | None] = {
        "shop/net.py": FILES["shop/net.py"].replace("Block()", "Block(5)"),
        "shop/new.py": "import torch\n",
        "shop/plain.py": None,
    }
    follow(project, upstream(project, changes))
    with pytest.raises(TorchferryError, match="a sync has begun"):
        follow(project, "main")
    Follower(porter(project), lambda line: None).abort()
    assert git(project, "rev-parse", "HEAD") == head
    assert git(project, "status", "--porcelain") == ""
    assert (project / "shop/plain.py").exists() and not (project / "shop/new.py").exists()


def test_files_that_are_not_ported_are_merged_in_torch(project: Path) -> None:
    edited(project, "README.md", "One.", "One, ported.")
    changes: dict[str, str | None] = {
        "README.md": "# Shop\n\nOne.\n\nTwo, new.\n",
        "shop/old.py": ODD + "\n\nx = torch.ones(2)\n",
        "shop/new.py": "import torch\n\ny = torch.ones(2)\n",
        "shop/plain.py": None,
    }
    found = follow(project, upstream(project, changes))
    assert found.commit and found.sync.fresh == ["shop/new.py"]
    assert (project / "README.md").read_text() == "# Shop\n\nOne, ported.\n\nTwo, new.\n"
    assert "torch.ones" in (project / "shop/old.py").read_text()
    assert "torch.ones" in (project / "shop/new.py").read_text()
    assert not (project / "shop/plain.py").exists()
    planned_again = torchferry("plan", project, "--jobs", 1)
    assert planned_again.returncode == 0, planned_again.stderr
    assert [step.path for step in open_plan(project)[0].chosen if not step.done] == ["shop/new.py"]


def test_a_removed_file_that_a_person_has_edited_is_kept_until_they_decide(project: Path) -> None:
    edited(project, "shop/net.py", "self.block = Block()", "self.block = Block(7)")
    found = follow(project, upstream(project, {"shop/net.py": None, "tests/test_net.py": None}))
    assert "removed in the original, and edited in the port" in found.reasons[0]
    assert "Block(7)" in (project / "shop/net.py").read_text()
    (project / "shop/net.py").unlink()
    assert follow(project).commit
    assert git(project, "status", "--porcelain") == ""
    left = [step.path for step in open_plan(project)[0].steps if step.done]
    assert left == ["shop/layers.py", "pyproject.toml"]
    assert [one.name for one in (project / "torchferry-certificates").iterdir()] == [
        "shop.layers.Block.json"
    ]


def test_helpers_that_the_change_needs_are_added(project: Path) -> None:
    (project / HELPERS).write_text((project / HELPERS).read_text() + "\n\nmine = 1\n")
    git(project, "commit", "-q", "-a", "-m", "mine")
    text = (
        FILES["shop/net.py"]
        + "\n\ndef low(x):\n    return x.mode(dim=1), nn.functional.relu(x).median()\n"
    )
    text = text.replace("from torch import nn", "import torch\nfrom torch import nn")
    found = follow(
        project, upstream(project, {"shop/net.py": text.replace("low(x)", "low(x: torch.Tensor)")})
    )
    assert found.commit, found.reasons
    helpers = (project / HELPERS).read_text()
    assert "mine = 1" in helpers and "def torch_median" in helpers
    for name in git(project, "show", "HEAD:shop/net.py").split():
        assert "torch." not in name


def test_a_port_that_differs_after_the_merge_is_not_committed(project: Path) -> None:
    text = LAYERS.replace("self.width = width", "self.width = 2 * width")
    head = git(project, "rev-parse", "HEAD")
    found = follow(project, upstream(project, {"shop/layers.py": text}), FakeRuns({"Net()"}))
    assert found.reasons == ("shop/net.py: Net(): shop/net.py:3: off by 3",)
    assert git(project, "rev-parse", "HEAD") == head
    assert follow(project).commit


def test_a_folder_with_a_newer_release_is_followed(project: Path, tmp_path: Path) -> None:
    release = tmp_path / "shop-2.0"
    for name, text in FILES.items():
        if name.startswith("shop/"):
            (release / name).parent.mkdir(parents=True, exist_ok=True)
            (release / name).write_text(text.replace("self.width = width", "self.width = 3"))
    edited(project, "shop/layers.py", "class Block(", "LIMIT = 3  # mine\n\n\nclass Block(")
    found = follow(project, str(release))
    assert found.commit
    port = (project / "shop/layers.py").read_text()
    assert "LIMIT = 3  # mine" in port and "self.width = 3" in port
    assert not (project / "shop/old.py").exists()  # the release has it no more
    assert (project / "tests/test_net.py").exists()  # the release has no tests
    git(project, "gc", "-q", "--prune=now")
    with pytest.raises(TorchferryError, match="follows this revision already"):
        follow(project, found.sync.commit)


def test_twenty_edits_survive_a_change_of_the_same_file(tmp_path: Path) -> None:
    lines = [
        f"def f{n}(x: torch.Tensor):\n    y = torch.relu(x)\n    return y + {n}\n\n\n"
        for n in range(40)
    ]
    folder = made(tmp_path / "work", {"a.py": "import torch\n\n\n" + "".join(lines)})
    planned(folder)
    porter(folder).run(BRANCH, resume=False, steps=None, workers=1)
    for n in range(0, 40, 2):
        edited(folder, "a.py", f"    return y + {n}\n", f"    return y + {n}  # mine {n}\n")
    new = [one.replace("relu", "tanh") if n % 2 else one for n, one in enumerate(lines)]
    found = follow(folder, upstream(folder, {"a.py": "import torch\n\n\n" + "".join(new)}))
    assert found.commit
    port = (folder / "a.py").read_text()
    assert port.count("# mine") == 20 and port.count("paddle.tanh") == 20


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "give one of these"),
        (("main", "--abort"), "give one of these"),
        (("nowhere",), "git has no such commit, and it is no folder"),
        (("--continue",), "no sync has begun"),
        (("main",), "follows this revision already"),
    ],
)
def test_a_wrong_request_is_one_message(
    project: Path, arguments: tuple[str, ...], message: str
) -> None:
    done = torchferry("sync", "--folder", project, *arguments)
    assert done.returncode == 2 and message in done.stderr


def test_uncommitted_changes_are_refused(project: Path) -> None:
    upstream(project, {"shop/plain.py": "x = 1\n"})
    (project / "shop/net.py").write_text("mine = 1\n")
    with pytest.raises(TorchferryError, match="not committed"):
        follow(project, "main")
    git(project, "checkout", "-q", "shop/net.py")
    upstream(project, {"shop/b.py": "x = 1\n"})
    (project / "shop/b.py").write_text("mine = 1\n")
    with pytest.raises(TorchferryError, match="git does not have yours"):
        follow(project, "main")
    assert (project / "shop/b.py").read_text() == "mine = 1\n"
