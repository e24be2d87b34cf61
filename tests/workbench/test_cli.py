"""The command, run as a user runs it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command import torchferry

ROOT = Path(__file__).parents[2]


def test_a_file_is_converted_and_left_as_it_was(tmp_path: Path) -> None:
    source = tmp_path / "a.py"
    source.write_text("import torch\nx = torch.stack([y])\n")
    done = torchferry("convert", source, "-o", tmp_path / "out" / "b.py")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out" / "b.py").read_text() == "import paddle\nx = paddle.stack([y])\n"
    assert source.read_text() == "import torch\nx = torch.stack([y])\n"
    assert "100 %" in done.stdout


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


def test_remaining_uses_give_exit_code_1(tmp_path: Path) -> None:
    source = tmp_path / "a.py"
    source.write_text("import torch\ntorch.stack(no=x)\n")
    done = torchferry("convert", source, "-o", tmp_path / "b.py")
    assert done.returncode == 1
    assert "TF200" in done.stdout


def test_the_summary_names_the_target_and_the_next_steps(tmp_path: Path) -> None:
    source = tmp_path / "a.py"
    source.write_text("import torch\ntorch.save(torch.nn.Linear(2, 2).state_dict(), 'a.pt')\n")
    done = torchferry("convert", source, "-o", tmp_path / "b.py")
    assert "files are saved and loaded in Paddle's format" in " ".join(
        part.strip() for line in done.stdout.splitlines() for part in line.split("│") if part
    )
    assert f"torchferry check {source} prints each finding with its line" in done.stdout
    assert "torchferry explain CODE" in done.stdout
    assert "torchferry verify" in done.stdout


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
        (["check", ".", "--target", "mxnet"], "unknown target 'mxnet'"),
        (["check", ".", "--target", "jax==0.4"], "jax 0.4 is not supported"),
        (["convert", "."], "choose where the conversion of . goes:"),
        (["convert", ".", "--diff", "--in-place"], "--in-place and --diff exclude each other"),
        (["convert", ".", "--diff", "-o", "x"], "-o and --diff exclude each other; use only one"),
        (["convert", ".", "--diff", "--report", "x.txt"], "x.txt: a report's name ends in"),
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
    done = torchferry("check", source, "--output-format", "json")
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


def git(folder: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


SOURCE = "import torch\nx = torch.stack([y])\n"
CONVERTED = "import paddle\nx = paddle.stack([y])\n"


def test_in_place_needs_what_git_has(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(SOURCE)
    done = torchferry("convert", tmp_path, "--in-place")
    assert done.returncode == 2
    assert "not a git repository" in done.stderr
    git(tmp_path, "init", "-q")
    done = torchferry("convert", tmp_path, "--in-place")
    assert done.returncode == 2
    assert "not committed: a.py; commit or stash this first" in done.stderr
    assert (tmp_path / "a.py").read_text() == SOURCE
    (tmp_path / ".gitignore").write_text("ignored.py\n")
    (tmp_path / "ignored.py").write_text(SOURCE)
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "one")
    done = torchferry("convert", tmp_path, "--in-place")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "a.py").read_text() == CONVERTED
    # Git could not bring this one back.
    assert (tmp_path / "ignored.py").read_text() == SOURCE
    assert torchferry("convert", tmp_path / "a.py", "--in-place").returncode == 2
    assert torchferry("convert", tmp_path, "--in-place", "--force").returncode == 0
    assert (tmp_path / "ignored.py").read_text() == CONVERTED


def test_a_diff_is_printed_and_nothing_is_written(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(SOURCE)
    done = torchferry("convert", tmp_path / "a.py", "--diff")
    assert done.returncode == 0
    assert done.stdout.splitlines() == [
        "--- a/a.py",
        "+++ b/a.py",
        "@@ -1,2 +1,2 @@",
        "-import torch",
        "-x = torch.stack([y])",
        "+import paddle",
        "+x = paddle.stack([y])",
    ]
    assert [file.name for file in tmp_path.iterdir()] == ["a.py"]
    assert (tmp_path / "a.py").read_text() == SOURCE


def test_standard_input_is_converted_to_standard_output(tmp_path: Path) -> None:
    done = torchferry("convert", "-", stdin=SOURCE)
    assert (done.returncode, done.stdout, done.stderr) == (0, CONVERTED, "")
    done = torchferry("convert", "-", stdin="import torch\ntorch.stack(no=x)\n")
    assert done.returncode == 1
    assert "-:2:1: error TF200" in done.stderr
    done = torchferry("convert", "-", stdin="import torch\nx = (\n")
    assert (done.returncode, done.stdout) == (2, "")
    (tmp_path / "a.py").write_text(SOURCE)
    assert torchferry("convert", tmp_path / "a.py", "-o", "-").stdout == CONVERTED


def test_settings_choose_target_severities_and_files(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[tool.torchferry]\nexclude = ["old"]\n\n[tool.torchferry.severities]\nTF200 = "warning"\n'
    )
    (tmp_path / "old").mkdir()
    for name in ("a.py", "old/b.py"):
        (tmp_path / name).write_text("import torch\ntorch.stack(no=x)\n")
    done = torchferry("check", tmp_path)
    assert done.returncode == 0
    [line, total] = done.stdout.splitlines()
    assert "a.py:2:1: warning TF200" in line
    assert total == "1 finding in 1 file: 1 warning."
    assert torchferry("check", tmp_path / "old" / "b.py").stdout == "No files to check.\n"
    (tmp_path / "pyproject.toml").write_text("[tool.torchferry]\ntarge = 'paddle'\n")
    done = torchferry("convert", tmp_path, "-o", tmp_path.parent / "out")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert (
        f"{tmp_path / 'pyproject.toml'}: [tool.torchferry] targe: there is no such" in done.stderr
    )


def test_notebooks_are_checked_by_cell(tmp_path: Path) -> None:
    cells = [
        {"cell_type": "code", "source": "import torch", "metadata": {}, "outputs": []},
        {"cell_type": "code", "source": ["x = 1\n", "torch.stack(no=y)"], "metadata": {}},
    ]
    (tmp_path / "n.ipynb").write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4}))
    done = torchferry("check", tmp_path)
    assert done.returncode == 1
    assert "n.ipynb:cell 2:2:1: error TF200" in done.stdout
    [row] = json.loads(torchferry("check", tmp_path, "--output-format", "json").stdout)
    assert (row["cell"], row["line"]) == (2, 2)


def test_reports_are_written(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.py").write_text(SOURCE)
    names = [tmp_path / name for name in ("r.json", "r.sarif", "r.html")]
    options = [option for name in names for option in ("--report", name)]
    done = torchferry("convert", tmp_path / "in", "-o", tmp_path / "out", *options)
    assert done.returncode == 0, done.stderr
    assert all(name.stat().st_size for name in names)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows interrupts in other ways")
def test_an_interrupted_command_says_how_to_go_on(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.py").write_text(SOURCE)
    (tmp_path / "out").mkdir()
    notes = tmp_path / "out" / ".torchferry.jsonl"
    os.mkfifo(notes)  # opening it waits
    process = subprocess.Popen(
        [sys.executable, "-m", "workbench.cli", "convert", tmp_path / "in", "-o", tmp_path / "out"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    # The pipe opens for writing once the command waits at its other end.
    descriptor = os.open(notes, os.O_WRONLY)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    os.close(descriptor)
    assert process.returncode == 128 + signal.SIGINT
    assert errors.startswith("torchferry: interrupted; no file is half-written")
    assert errors.count("\n") == 1


def test_paths_that_cannot_be_are_messages(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(SOURCE)
    long = "x" * 5_000
    for command in (
        ["check", long],
        ["convert", tmp_path / "a.py", "-o", tmp_path / long],
        ["rules", "trust", long],
        ["trace", f"{long}.py:net"],
    ):
        done = torchferry(*command)
        assert done.returncode == 2, done.stderr
        assert done.stderr.count("\n") <= 3 and "Traceback" not in done.stderr, done.stderr
