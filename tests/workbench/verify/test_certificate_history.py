"""`torchferry verify --history`: the commits that changed a certificate's outcome."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command import Done, torchferry
from tests.workbench.ports.project import git, made


def certificate(forward: str = "agrees", port: str = "1", paddle: str = "3.3.1") -> str:
    held = {
        "certified": forward == "agrees",
        "asked": {},
        "checks": [{"name": "forward", "outcome": forward}],
        "sides": {
            "original": {"place": "a.py:A", "sha256": "0"},
            "port": {"place": "b.py:B", "sha256": port},
        },
        "versions": {"paddle": paddle},
    }
    return json.dumps(held)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return made(tmp_path / "work", {"sub/net.json": certificate()})


def commit(folder: Path, text: str, subject: str) -> str:
    (folder / "sub/net.json").write_text(text)
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", subject)
    return git(folder, "rev-parse", "HEAD")[:9]


def history(folder: Path) -> Done:
    return torchferry("verify", "--history", folder / "sub/net.json")


def test_the_commits_that_changed_the_outcome_are_named(project: Path) -> None:
    commit(project, certificate(port="2"), "words")
    broke = commit(project, certificate("differs", port="3"), "faster pooling")
    mended = commit(project, certificate(port="3", paddle="3.4.0"), "newer Paddle")
    done = history(project)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].endswith("original: certified")
    assert lines[1].startswith(broke) and lines[1].endswith("faster pooling: differs")
    assert lines[2:4] == [
        "    the port has changed: b.py:B",
        "    forward: agrees before, differs now",
    ]
    assert lines[4].startswith(mended) and "    paddle was 3.3.1 and is 3.4.0" in lines
    assert lines[-1] == "1 other version with the outcome of the version before"


def test_a_renamed_certificate_is_followed(project: Path) -> None:
    broke = commit(project, certificate("differs"), "faster")
    git(project, "mv", "sub/net.json", "net.json")
    git(project, "commit", "-q", "-m", "moved")
    done = torchferry("verify", "--history", project / "net.json")
    assert done.returncode == 1 and f"{broke} " in done.stdout and "original: cert" in done.stdout


def test_removed_unreadable_and_uncommitted_versions_are_shown(project: Path) -> None:
    git(project, "rm", "-q", "sub/net.json")
    git(project, "commit", "-q", "-m", "undo")
    assert not (project / "sub").exists()
    done = history(project)
    assert done.returncode == 1 and "undo: removed" in done.stdout
    (project / "sub").mkdir()
    commit(project, "<<<<<<< conflict", "merge")
    (project / "sub/net.json").write_text(certificate("differs"))
    done = history(project)
    assert done.returncode == 1
    for words in ("undo: removed", "merge: not a certificate", "not committed: differs"):
        assert words in done.stdout


def test_a_file_that_git_does_not_have_is_one_message(project: Path, tmp_path: Path) -> None:
    (project / "sub/new.json").write_text(certificate())
    done = torchferry("verify", "--history", project / "sub/new.json")
    assert done.returncode == 2 and "commit the certificate first" in done.stderr
    (tmp_path / "net.json").write_text(certificate())
    done = torchferry("verify", "--history", tmp_path / "net.json")
    assert done.returncode == 2 and "its history is in git" in done.stderr
    done = torchferry("verify", "a.py:A", "b.py:B", "--history", project / "sub/net.json")
    assert done.returncode == 2 and "give nothing else" in done.stderr
