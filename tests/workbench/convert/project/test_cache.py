"""Results of earlier checks, taken up again where nothing that they follow from has changed."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from workbench.convert.configuration.code_selection import CodeSelection
from workbench.convert.configuration.settings import Settings
from workbench.convert.project import cache as caching
from workbench.convert.project import check_run
from workbench.convert.project.cache import Cache, cache_folder
from workbench.convert.project.check_run import check_path
from workbench.convert.project.file_job import Job, Order

OPS = "import torch.nn.functional as F\n"
MAIN = "from ops import F\nF.relu(x)\n"
PAPER = (
    "import torch\nlayer = torch.nn.BatchNorm1d(3)\nif __name__ == '__main__':\n    print(layer)\n"
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    for name, text in (("ops", OPS), ("main", MAIN), ("alone", PAPER)):
        (folder / f"{name}.py").write_text(text)
    return folder


@pytest.fixture
def looked_at(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files that are checked, and not found in the cache."""
    names: list[str] = []
    usual = check_run.results

    def results(jobs: list[Job], order: Order, workers: int | None = None) -> object:
        names.extend(sorted(job.source.name for job in jobs))
        return usual(jobs, order, workers)

    monkeypatch.setattr(check_run, "results", results)
    return names


def rows(
    project: Path, cache: Cache | None, settings: Settings | None = None
) -> list[tuple[str, object]]:
    order = Order("paddle", settings or Settings())
    run = check_path(project, order, lambda path, message: pytest.fail(message), 1, cache)
    return [(file.path, file.rows) for file in run.found]


def test_unchanged_files_are_not_checked_again(
    project: Path, tmp_path: Path, looked_at: list[str]
) -> None:
    cache = Cache(tmp_path / "cache")
    first = rows(project, cache)
    assert looked_at == ["alone.py", "main.py", "ops.py"]
    assert rows(project, cache) == first == rows(project, None)
    looked_at.clear()
    (project / "ops.py").write_text("F = 1\n")  # read for main.py as well
    assert rows(project, cache) != first
    assert looked_at == ["main.py", "ops.py"]


@pytest.mark.parametrize(
    "main",
    [
        "import pkg\npkg.sub.F.relu(x)\n",
        "import pkg as p\np.sub.F.relu(x)\n",
        "import pkg.other\npkg.inner.deep.F.relu(x)\n",
        "from pkg import inner as i\ni.deep.F.relu(x)\n",
    ],
)
def test_a_module_reached_through_its_package_counts(tmp_path: Path, main: str) -> None:
    project, cache = tmp_path / "project", Cache(tmp_path / "cache")
    (project / "pkg" / "inner").mkdir(parents=True)
    for name in ("pkg/__init__", "pkg/other", "pkg/inner/__init__"):
        (project / f"{name}.py").write_text("")
    (project / "main.py").write_text(f"import torch\n{main}")
    for name in ("sub", "inner/deep"):
        (project / "pkg" / f"{name}.py").write_text(OPS)
    first = rows(project, cache)
    for name in ("sub", "inner/deep"):
        (project / "pkg" / f"{name}.py").write_text("F = 1\n")
    now = rows(project, cache)
    assert now == rows(project, None)
    assert now != first


def test_other_settings_are_another_result(
    project: Path, tmp_path: Path, looked_at: list[str]
) -> None:
    cache = Cache(tmp_path / "cache")
    rows(project, cache)
    looked_at.clear()
    for other in (
        replace(Settings(), style="exact"),
        replace(Settings(), codes=CodeSelection(("TF2",))),
    ):
        assert rows(project, cache, other) == rows(project, None, other)
    assert looked_at.count("alone.py") == 4


def test_another_state_of_the_engine_is_another_result(
    project: Path, tmp_path: Path, looked_at: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = Cache(tmp_path / "cache")
    rows(project, cache)
    monkeypatch.setattr(caching, "_engine", lambda: "newer")
    looked_at.clear()
    rows(project, cache)
    assert len(looked_at) == 3


@pytest.mark.parametrize("text", ["", "{", "3", "[3]", "[[]]", '[["TF100"]]'])
def test_a_spoilt_entry_is_none(project: Path, tmp_path: Path, text: str) -> None:
    cache = Cache(tmp_path / "cache")
    first = rows(project, cache)
    for entry in (tmp_path / "cache").glob("*/*.json"):
        entry.write_text(text)
    assert rows(project, cache) == first


def test_a_cache_that_cannot_be_written_to_is_none(project: Path, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file")
    assert rows(project, Cache(tmp_path / "cache")) == rows(project, None)


def test_the_entries_unused_for_longest_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caching, "_MOST_BYTES", 50)
    cache = Cache(tmp_path)
    for number, name in enumerate(("aa", "bb", "cc")):
        cache.put(name, "x" * 20)
        os.utime(tmp_path / name / f"{name}.json", (number, number))
    cache.trim()
    assert [cache.get(name) is not None for name in ("aa", "bb", "cc")] == [False, True, True]


def test_the_cache_is_where_the_user_has_theirs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TORCHFERRY_CACHE_HOME", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert cache_folder() == Path("/somewhere/torchferry")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert cache_folder() == Path.home() / ".cache" / "torchferry"
    monkeypatch.setenv("TORCHFERRY_CACHE_HOME", "/here")
    assert cache_folder() == Path("/here")
