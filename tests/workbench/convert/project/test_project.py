"""Whole projects: what is written where, and what is never written over."""

from __future__ import annotations

import errno
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.workbench.convert.project.project_tree import converted, result, tree, write
from workbench import files
from workbench.convert.conversion import Conversion
from workbench.errors import TorchferryError
from workbench.files import DiskFullError
from workbench.importing import RECORD
from workbench.source.analysis import Analysis

ONE = "import torch\nx = torch.stack([y])\n"
ONE_CONVERTED = b"import paddle\nx = paddle.stack([y])\n"


def test_a_project_is_converted_and_the_rest_is_copied(tmp_path: Path) -> None:
    source = write(
        tmp_path / "in",
        {"a.py": ONE, "pkg/b.py": ONE, "plain.py": "x = 1\r\n", "data/c.bin": b"\x00\xff"},
    )
    before = tree(source)
    report = converted(source, tmp_path / "out")
    assert report.exit_code == 0
    assert tree(source) == before
    assert tree(tmp_path / "out") == {
        "a.py": ONE_CONVERTED,
        "data/c.bin": b"\x00\xff",
        "pkg/b.py": ONE_CONVERTED,
        "plain.py": b"x = 1\r\n",
    }
    assert (report.total("uses"), report.total("converted_uses"), report.share) == (2, 2, 1.0)


def test_access_rights_go_along(tmp_path: Path) -> None:
    source = write(tmp_path / "in", {"run.py": ONE, "run.sh": "#!/bin/sh\n"})
    for name in ("run.py", "run.sh"):
        (source / name).chmod(0o755)
    converted(source, tmp_path / "out")
    assert [(tmp_path / "out" / n).stat().st_mode & 0o777 for n in ("run.py", "run.sh")] == [
        0o755
    ] * 2


def test_excluded_files_are_copied_as_they_are(tmp_path: Path) -> None:
    source = write(
        tmp_path / "in",
        {"a.py": ONE, "old/b.py": ONE, "pyproject.toml": '[tool.torchferry]\nexclude = ["old"]\n'},
    )
    report = converted(source, tmp_path / "out")
    assert (tmp_path / "out" / "old" / "b.py").read_text() == ONE
    assert result(report, "old/b.py").excluded
    assert (tmp_path / "out" / "a.py").read_bytes() == ONE_CONVERTED


def test_all_cores_give_what_one_gives(tmp_path: Path) -> None:
    names = {f"m{number}.py": ONE * (number + 1) for number in range(12)}
    source = write(tmp_path / "in", {**names, "bad.py": "import torch\nx = (\n"})
    alone = converted(source, tmp_path / "alone", workers=1)
    together = converted(source, tmp_path / "together", workers=2)
    assert tree(tmp_path / "alone") == tree(tmp_path / "together")
    assert [file.path for file in alone.files] == [file.path for file in together.files]
    assert alone.total("uses") == together.total("uses") == 78
    assert together.exit_code == 2


def test_a_worker_that_dies_takes_one_file_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The worker imports this module in the place of Python's own, and it ends the process.
    killer = write(tmp_path / "lib", {"sitecustomize.py": KILLER})
    monkeypatch.setenv("PYTHONPATH", str(killer))
    source = write(tmp_path / "in", {f"m{n}.py": ONE for n in range(6)} | {"die.py": ONE})
    report = converted(source, tmp_path / "out", workers=2)
    assert [file.path for file in report.failures()] == ["die.py"]
    assert "the process that converted it died" in (result(report, "die.py").failure or "")
    assert len(tree(tmp_path / "out")) == 6


KILLER = """
    import os, pathlib
    usual = pathlib.Path.replace
    def replace(self, target):
        if target.name == "die.py":
            os._exit(9)
        return usual(self, target)
    pathlib.Path.replace = replace
"""


def test_a_diff_is_what_a_conversion_does(tmp_path: Path) -> None:
    source = write(
        tmp_path / "in",
        {
            "a.py": "import torch\r\nx = torch.stack([y])",
            "b.py": "import torch\nx: torch.Tensor\nx.max(1)\n",
            "requirements.txt": "torch==2.0\n",
            "c.py": "x = 1\n",
        },
    )
    report = converted(source, None, write=False, diff=True)
    patch = "".join(file.diff for file in report.files)
    assert tree(source)["a.py"] == b"import torch\r\nx = torch.stack([y])"
    subprocess.run(["git", "init", "-q"], cwd=source, check=True)
    subprocess.run(["git", "apply", "-"], input=patch.encode(), cwd=source, check=True)
    shutil.rmtree(source / ".git")
    fresh = write(tmp_path / "fresh", {})
    write(fresh, {"b.py": "import torch\nx: torch.Tensor\nx.max(1)\n", "c.py": "x = 1\n"})
    write(
        fresh, {"a.py": b"import torch\r\nx = torch.stack([y])", "requirements.txt": "torch==2.0\n"}
    )
    converted(fresh, tmp_path / "out")
    assert tree(source) == tree(tmp_path / "out")


def test_a_second_run_changes_nothing(tmp_path: Path) -> None:
    source = write(
        tmp_path / "in", {"a.py": ONE, "b.py": "import torch\nx: torch.Tensor\nx.max(1)\n"}
    )
    converted(source, tmp_path / "out")
    stamps = {file: file.stat().st_mtime_ns for file in (tmp_path / "out").glob("*.py")}
    report = converted(source, tmp_path / "out")
    assert report.exit_code == 0
    assert {file: file.stat().st_mtime_ns for file in stamps} == stamps
    again = converted(tmp_path / "out", tmp_path / "again")
    assert again.total("uses") == 0
    assert tree(tmp_path / "again") == tree(tmp_path / "out")


def test_files_changed_since_are_not_overwritten(tmp_path: Path) -> None:
    source = write(tmp_path / "in", {"a.py": ONE, "b.py": ONE, "c.txt": "one\n"})
    out = tmp_path / "out"
    converted(source, out)
    write(out, {"a.py": "mine = 1\n", "c.txt": "mine\n"})
    write(source, {"a.py": ONE * 2, "b.py": ONE * 2, "c.txt": "two\n"})
    report = converted(source, out)
    assert sorted(file.path for file in report.failures()) == ["a.py", "c.txt"]
    assert "--force" in (result(report, "a.py").failure or "")
    assert (out / "a.py").read_text() == "mine = 1\n"
    assert (out / "c.txt").read_text() == "mine\n"
    assert (out / "b.py").read_bytes().count(b"paddle.stack") == 2
    assert converted(source, out, force=True).exit_code == 0
    assert (out / "c.txt").read_text() == "two\n"


def test_files_of_others_in_the_output_are_not_written_over(tmp_path: Path) -> None:
    source = write(tmp_path / "in", {"a.py": ONE})
    out = write(tmp_path / "out", {"a.py": "mine = 1\n", "other.py": "mine = 2\n"})
    assert converted(source, out).exit_code == 2
    assert tree(out) == {"a.py": b"mine = 1\n", "other.py": b"mine = 2\n"}


def test_an_interrupted_run_is_taken_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = write(tmp_path / "in", {f"m{n}.py": ONE for n in range(4)})
    out = tmp_path / "out"
    real, calls = files.write, []

    def interrupted(place: Path, data: bytes, *, like: Path | None = None) -> None:
        calls.append(place.name)
        if len(calls) == 3:
            raise KeyboardInterrupt
        real(place, data, like=like)

    monkeypatch.setattr(files, "write", interrupted)
    with pytest.raises(KeyboardInterrupt):
        converted(source, out)
    assert sorted(tree(out)) == ["m0.py", "m1.py"]
    # As a run that was killed leaves it: a file in the making, and half a line in its notes.
    (out / f"{files.UNFINISHED}x").write_bytes(b"import pad")
    with (out / ".torchferry.jsonl").open("a") as stream:
        stream.write('\n{"path": "m2.p')
    worked_on: list[str] = []
    monkeypatch.setattr(files, "write", real)
    from workbench.convert.project import file_job

    convert = file_job.convert_analysis

    def noted(analysis: Analysis, *rest: Any, **named: Any) -> Conversion:
        worked_on.append(analysis.text)
        return convert(analysis, *rest, **named)

    monkeypatch.setattr(file_job, "convert_analysis", noted)
    report = converted(source, out)
    assert len(worked_on) == 2
    assert report.exit_code == 0
    assert report.total("uses") == 4
    assert tree(out) == {f"m{n}.py": ONE_CONVERTED for n in range(4)}
    assert not list(out.glob(f"{files.UNFINISHED}*"))


def test_a_full_disk_stops_the_run_with_one_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = write(tmp_path / "in", {f"m{n}.py": ONE for n in range(4)})
    real = Path.write_bytes

    def full(self: Path, data: bytes) -> int:
        real(self, data[: len(data) // 2])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(DiskFullError, match=r"m0\.py: No space left on device; make room"):
        converted(source, tmp_path / "out")
    monkeypatch.undo()
    assert tree(tmp_path / "out") == {}
    assert converted(source, tmp_path / "out").exit_code == 0
    assert len(tree(tmp_path / "out")) == 4


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limits of this kind")
def test_a_file_larger_than_allowed_leaves_nothing_half_written(tmp_path: Path) -> None:
    source = write(tmp_path / "in", {"big.py": ONE * 3000, "small.py": ONE})
    code = (
        "import resource, signal, sys; from workbench.cli import main;"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000)); main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "convert", str(source), "-o", str(tmp_path / "out")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "big.py: File too large" in done.stderr
    assert tree(tmp_path / "out") == {"small.py": ONE_CONVERTED}
    assert not list((tmp_path / "out").glob(f"{files.UNFINISHED}*"))


@pytest.mark.parametrize("where", ["in/out", "in", "."])
def test_output_and_source_apart(tmp_path: Path, where: str) -> None:
    source = write(tmp_path / "in", {"a.py": ONE})
    with pytest.raises(TorchferryError, match="with -o"):
        converted(source, tmp_path / where)
    assert tree(source) == {"a.py": ONE.encode()}


def test_links_inside_the_project_stay_links(tmp_path: Path) -> None:
    source = write(tmp_path / "in", {"real/a.py": ONE})
    (source / "link.py").symlink_to("real/a.py")
    (source / "folder").symlink_to("real")
    assert converted(source, tmp_path / "out").exit_code == 0
    out = tmp_path / "out"
    assert (out / "link.py").readlink() == Path("real/a.py")
    assert (out / "folder").readlink() == Path("real")
    assert (out / "folder" / "a.py").read_bytes() == ONE_CONVERTED


def test_links_out_of_the_project_are_not_followed(tmp_path: Path) -> None:
    other = write(tmp_path / "other", {"b.py": ONE, "key": "secret"})
    source = write(tmp_path / "in", {"a.py": ONE})
    for name, aim in (("folder", other), ("b.py", other / "b.py"), ("key", Path("../other/key"))):
        (source / name).symlink_to(aim)
    report = converted(source, tmp_path / "out")
    assert [file.path for file in report.failures()] == ["b.py", "folder", "key"]
    for file in report.failures():
        assert "outside the project, which is not followed; replace" in (file.failure or "")
    assert tree(tmp_path / "out") == {"a.py": ONE_CONVERTED}
    assert (other / "b.py").read_text() == ONE


def test_a_link_out_of_the_project_that_is_excluded_is_left_out(tmp_path: Path) -> None:
    write(tmp_path / "other", {"key": "secret"})
    settings = '[tool.torchferry]\nexclude = ["key"]\n'
    source = write(tmp_path / "in", {"a.py": ONE, "pyproject.toml": settings})
    (source / "key").symlink_to("../other/key")
    assert converted(source, tmp_path / "out").exit_code == 0
    assert sorted(tree(tmp_path / "out")) == ["a.py", "pyproject.toml"]


@pytest.mark.parametrize("where", ["", "pkg", "pkg/deep"])
def test_nothing_is_written_through_a_link(tmp_path: Path, where: str) -> None:
    other = write(tmp_path / "other", {"kept": "as it was"})
    source = write(tmp_path / "in", {"pkg/deep/a.py": ONE})
    link = tmp_path / "out" / where
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(other)
    with pytest.raises(TorchferryError, match=re.escape(f"{link} is a link to {other}; remove")):
        converted(source, tmp_path / "out", force=True)
    assert tree(other) == {"kept": b"as it was"}


def test_the_record_of_a_run_is_not_written_through_a_link(tmp_path: Path) -> None:
    other = write(tmp_path / "other", {"kept": ""})
    source = write(tmp_path / "in", {"a.py": ONE})
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / RECORD).symlink_to(other / "kept")
    with pytest.raises(TorchferryError, match=r"is a link to .*; remove it"):
        converted(source, tmp_path / "out")
    assert tree(other) == {"kept": b""}


def test_a_conversion_in_place_leaves_read_only_files(tmp_path: Path) -> None:
    source = write(tmp_path / "in", {"a.py": ONE, "b.py": ONE})
    (source / "b.py").chmod(0o444)
    for place in (source, source / "b.py"):
        [failed] = converted(place, None, in_place=True).failures()
        assert "b.py: it is read-only; make it writable" in (failed.failure or "")
        assert (source / "b.py").read_bytes() == ONE.encode()
    assert (source / "a.py").read_bytes() == ONE_CONVERTED


def test_the_name_of_a_conversion_fits_its_kind(tmp_path: Path) -> None:
    source = write(tmp_path, {"a.py": ONE, "n.ipynb": '{"cells": []}'})
    for name, output in (("a.py", "b.ipynb"), ("n.ipynb", "n.py"), ("n.ipynb", "new")):
        with pytest.raises(TorchferryError, match="give a name that ends in"):
            converted(source / name, source / output)
        assert not (source / output).exists()


def test_a_conversion_in_place(tmp_path: Path) -> None:
    source = write(
        tmp_path / "in",
        {"a.py": ONE, "b.py": "import torch\nx: torch.Tensor\nx.max(1)\n", "c.txt": "x\n"},
    )
    report = converted(source, None, in_place=True, style="exact")
    assert report.exit_code == 0
    assert "from torchferry_helpers import torch_max" in (source / "b.py").read_text()
    assert "def torch_max" in (source / "torchferry_helpers.py").read_text()
    after = tree(source)
    assert converted(source, None, in_place=True, style="exact").total("uses") == 0
    assert tree(source) == after


def test_a_call_of_one_of_several_objects_of_other_files(tmp_path: Path) -> None:
    """Each object of the loop has a class of another file."""
    model = "from torch import nn\n\n\nclass {name}(nn.Module):\n    def forward(self, x):\n"
    model += "        return x.clamp(min=0)\n"
    run = (
        "import torch\nfrom a import A\nfrom b import B\n\n\ndef run(model, x):\n"
        "    return model(x).sum().item()\n\n\nfor model in (A(), B()):\n"
        "    print(run(model, torch.zeros(2)))\n"
    )
    files = {"a.py": model.format(name="A"), "b.py": model.format(name="B"), "run.py": run}
    report = converted(write(tmp_path / "in", files), tmp_path / "out")
    assert report.exit_code == 0
    assert sorted(tree(tmp_path / "out")) == ["a.py", "b.py", "run.py"]
