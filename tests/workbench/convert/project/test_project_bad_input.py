"""Bad input: one message that names the file and the next step, and the rest is converted."""

from __future__ import annotations

import os
import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.workbench.convert.project.project_tree import converted, result, tree, write
from workbench.convert.conversion import Conversion
from workbench.convert.project import file_job
from workbench.convert.report.report import FileResult

GOOD = "import torch\nx = torch.stack([y])\n"


def bad(folder: Path, content: bytes | str, name: str = "bad.py") -> FileResult:
    """Return the result of one bad file; a good one next to it is converted."""
    source = write(folder / "in", {"good.py": GOOD})
    data = content.encode() if isinstance(content, str) else content
    (source / name).write_bytes(data)
    report = converted(source, folder / "out")
    assert report.exit_code == 2
    assert sorted(tree(folder / "out")) == ["good.py"]
    [failed] = report.failures()
    message = failed.failure or ""
    assert str(source / name) in message
    assert "\n" not in message
    return failed


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("import torch\n".encode("utf-16"), "this is UTF-16.*save it as UTF-8"),
        (b"# coding: utf-8\nimport torch\nx = '\xe9'\n", r"bad\.py:3: not utf-8 text; save"),
        (b"import torch\r\ny = 1\nx = '\xe9'\n", r"bad\.py:3: not utf-8 text; save"),
        (b"x = '\xe9'\nimport torch\n", "missing encoding declaration; save it as UTF-8"),
        (b"# coding: no-such-thing\nimport torch\n", "unknown encoding.*; save it as UTF-8"),
        (b"\xef\xbb\xbf# coding: latin-1\nimport torch\n", "encoding.*; save it as UTF-8"),
        (b"import torch\nx = 1\0\n", r"bad\.py:2:6: .*fix"),
        ("import torch\nx = (\n", r"bad\.py:2:5: .*fix the syntax there"),
        ("import torch\nprint 'x'\n", r"bad\.py:2:.*Python 2; convert it to Python 3"),
        ("import torch\nx = " + "(" * 2000 + ")" * 2000, "too many nested parentheses.*fix"),
    ],
)
def test_files_that_cannot_be_read(tmp_path: Path, content: bytes | str, message: str) -> None:
    assert re.search(message, bad(tmp_path, content).failure or "")


def test_uses_of_a_file_that_could_not_be_written_count_as_remaining(tmp_path: Path) -> None:
    source = write(tmp_path / "in", {"good.py": GOOD, "bad.py": "import torch\nx = torch.cos(y)\n"})
    (tmp_path / "out" / "bad.py").mkdir(parents=True)
    report = converted(source, tmp_path / "out")
    [failed] = report.failures()
    assert (failed.uses, failed.converted_uses, failed.changed, failed.rows) == (1, 0, False, [])
    assert (report.total("uses"), report.total("converted_uses")) == (2, 1)


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="this Python knows the syntax")
def test_syntax_that_is_newer_than_this_python(tmp_path: Path) -> None:
    failed = bad(tmp_path, "import torch\ndef f[T](x: T) -> T: ...\n")
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    assert f"if it is newer than Python {version}" in (failed.failure or "")


def converted_bytes(folder: Path, content: bytes) -> bytes:
    source = write(folder / "in", {"a.py": content})
    assert converted(source, folder / "out").exit_code == 0
    return (folder / "out" / "a.py").read_bytes()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            b"# -*- coding: latin-1 -*-\nimport torch\nx = torch.stack(['\xe9'])\n",
            b"# -*- coding: latin-1 -*-\nimport paddle\nx = paddle.stack(['\xe9'])\n",
        ),
        (
            b"#!/usr/bin/python\n# vim: set fileencoding=cp1252 :\nimport torch\n# \x80\n",
            b"#!/usr/bin/python\n# vim: set fileencoding=cp1252 :\nimport paddle\n# \x80\n",
        ),
        (b"\xef\xbb\xbfimport torch\r\n", b"\xef\xbb\xbfimport paddle\r\n"),
        (
            b"import torch\r\nx = 1\ny = torch.stack([x])\rz = 2\r\n",
            b"import paddle\r\nx = 1\ny = paddle.stack([x])\rz = 2\r\n",
        ),
        (
            b"import torch\n\x0c\ndef f():\n    return torch.stack([])\n",
            b"import paddle\n\x0c\ndef f():\n    return paddle.stack([])\n",
        ),
        (b"import torch", b"import paddle"),
        (b"", b""),
        (
            "import torch\nx = '\u2028\x85', torch.stack(['😀'])\n".encode(),
            "import paddle\nx = '\u2028\x85', paddle.stack(['😀'])\n".encode(),
        ),
    ],
)
def test_texts_of_every_kind_stay_as_they_are(tmp_path: Path, before: bytes, after: bytes) -> None:
    assert converted_bytes(tmp_path, before) == after


def test_characters_that_an_encoding_lacks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    convert = file_job.convert_analysis

    def with_arrow(*arguments: Any, **named: Any) -> Conversion:
        conversion = convert(*arguments, **named)
        return replace(conversion, code=f"{conversion.code}# \u2192\n")

    monkeypatch.setattr(file_job, "convert_analysis", with_arrow)
    source = write(tmp_path / "in", {"a.py": "# coding: latin-1\nimport torch\n", "b.py": GOOD})
    report = converted(source, tmp_path / "out")
    [failed] = report.failures()
    assert "a.py: its conversion has characters that iso-8859-1 does not have" in (
        failed.failure or ""
    )
    assert sorted(tree(tmp_path / "out")) == ["b.py"]


@pytest.mark.parametrize("depth", [400, pytest.param(2000, marks=pytest.mark.thorough)])
def test_expressions_nested_beyond_the_stack(depth: int, tmp_path: Path) -> None:
    deep = "import torch\nx = " + "torch.stack([a]) + " * depth + "1\n"
    after = converted_bytes(tmp_path, deep.encode())
    assert after == deep.replace("torch", "paddle").encode()


@pytest.mark.parametrize("count", [20_000, pytest.param(100_000, marks=pytest.mark.thorough)])
def test_many_lines(count: int, tmp_path: Path) -> None:
    lines = "value = function(argument, other)\n" * (count - 2)
    after = converted_bytes(tmp_path, f"import torch\n{lines}x = torch.stack([y])\n".encode())
    assert after == f"import paddle\n{lines}x = paddle.stack([y])\n".encode()


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs access rights as Unix has them")
def test_folders_and_files_that_may_not_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = write(
        tmp_path / "in", {"good.py": GOOD, "shut/a.py": GOOD, "b.py": GOOD, "c.bin": "x"}
    )
    refuse_reading(monkeypatch, source / "shut", source / "b.py", source / "c.bin")
    report = converted(source, tmp_path / "out")
    assert sorted(file.path for file in report.failures()) == ["b.py", "c.bin", "shut"]
    for file in report.failures():
        assert f"{source / file.path}: Permission denied; " in (file.failure or "")
    assert "make this folder readable" in (result(report, "shut").failure or "")
    assert sorted(tree(tmp_path / "out")) == ["good.py"]


def refuse_reading(monkeypatch: pytest.MonkeyPatch, *places: Path) -> None:
    """Take the right to read away; from root, who may read all, by other means."""
    if os.geteuid():
        for place in places:
            place.chmod(0)
        return
    names = {str(place) for place in places}

    def guarded(real):  # type: ignore[no-untyped-def]
        def call(path, *rest, **more):  # type: ignore[no-untyped-def]
            if not isinstance(path, int) and os.fspath(path) in names:
                raise PermissionError(13, "Permission denied", os.fspath(path))
            return real(path, *rest, **more)

        return call

    monkeypatch.setattr(os, "scandir", guarded(os.scandir))
    monkeypatch.setattr("io.open", guarded(open))
    monkeypatch.setattr("builtins.open", guarded(open))


def test_link_loops(tmp_path: Path) -> None:
    source = write(tmp_path / "in", {"good.py": GOOD, "pkg/a.py": GOOD})
    (source / "loop.py").symlink_to("loop.py")
    (source / "pkg" / "up").symlink_to("..")
    (source / "gone.py").symlink_to("/no/such/file.py")
    report = converted(source, tmp_path / "out")
    assert sorted(file.path for file in report.failures()) == ["gone.py", "loop.py"]
    assert "a link that leads to itself; remove it" in (result(report, "loop.py").failure or "")
    assert "which does not exist; remove or fix it" in (result(report, "gone.py").failure or "")
    assert (tmp_path / "out" / "pkg" / "up").readlink() == Path("..")
    assert len(report.files) == 5


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    source = write(tmp_path / "in", {"good.py": GOOD})
    os.mkfifo(source / "pipe.py")
    report = converted(source, tmp_path / "out")
    assert "pipe.py: a device, pipe or socket" in (result(report, "pipe.py").failure or "")
    assert sorted(tree(tmp_path / "out")) == ["good.py"]
