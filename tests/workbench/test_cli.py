"""The command, run as a user runs it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest


def torchferry(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "workbench.cli", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_file_is_converted_and_left_as_it_was(tmp_path: Path) -> None:
    source = tmp_path / "a.py"
    source.write_text("import torch\nx = torch.stack([y])\n")
    done = torchferry("convert", source, "-o", tmp_path / "out" / "b.py")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out" / "b.py").read_text() == "import paddle\nx = paddle.stack([y])\n"
    assert source.read_text() == "import torch\nx = torch.stack([y])\n"
    assert "100.0%" in done.stdout


def test_a_folder_is_converted_with_its_other_files(tmp_path: Path) -> None:
    project = tmp_path / "project"
    (project / "pkg").mkdir(parents=True)
    (project / "pkg" / "m.py").write_bytes(
        "# -*- coding: latin-1 -*-\nimport torch\r\nx = torch.stack(['é'])\r\n".encode("latin-1")
    )
    (project / "data.bin").write_bytes(b"\x00\xff")
    done = torchferry("convert", project, "-o", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out" / "data.bin").read_bytes() == b"\x00\xff"
    converted = (tmp_path / "out" / "pkg" / "m.py").read_bytes().decode("latin-1")
    assert converted == ("# -*- coding: latin-1 -*-\nimport paddle\r\nx = paddle.stack(['é'])\r\n")


def test_what_remains_gives_exit_code_1(tmp_path: Path) -> None:
    source = tmp_path / "a.py"
    source.write_text("import torch\ntorch.stack(*x)\n")
    done = torchferry("convert", source, "-o", tmp_path / "b.py")
    assert done.returncode == 1
    assert "TF200" in done.stdout


def test_a_broken_file_is_named_and_the_rest_is_converted(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "bad.py").write_text("import torch\nx = (\n")
    (project / "good.py").write_text("import torch\ntorch.stack([])\n")
    done = torchferry("convert", project, "-o", tmp_path / "out")
    assert done.returncode == 2
    assert "bad.py:2:" in done.stderr
    assert (tmp_path / "out" / "good.py").read_text() == "import paddle\npaddle.stack([])\n"
    assert not (tmp_path / "out" / "bad.py").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["check", "missing.py"], "missing.py"),
        (["convert", "missing.py", "-o", "x.py"], "missing.py"),
        (["check", ".", "--target", "jax"], "unknown target 'jax'"),
    ],
)
def test_bad_input_gives_one_message_and_exit_code_2(
    arguments: list[str], message: str, tmp_path: Path
) -> None:
    done = torchferry(*arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_output_inside_the_source_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import torch\n")
    done = torchferry("convert", tmp_path, "-o", tmp_path / "out")
    assert done.returncode == 2
    assert "outside" in done.stderr
    same = torchferry("convert", tmp_path / "a.py", "-o", tmp_path / "a.py")
    assert same.returncode == 2


def test_check_prints_findings_as_json(tmp_path: Path) -> None:
    source = tmp_path / "a.py"
    source.write_text("import torch\nx = torch.stack([y])\n")
    done = torchferry("check", source, "--format", "json")
    assert done.returncode == 0
    [row] = json.loads(done.stdout)
    assert (row["line"], row["column"], row["code"], row["name"]) == (2, 5, "TF100", "torch.stack")


def test_checking_imports_neither_torch_nor_a_target() -> None:
    code = (
        "import sys, workbench; workbench.check('import torch; torch.stack([1])');"
        "print([m for m in ('torch', 'paddle', 'numpy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
