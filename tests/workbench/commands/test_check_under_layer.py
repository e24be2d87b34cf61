"""`torchferry check --under compat` says what programs do under Paddle's own import layer."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from workbench.commands.check import check
from workbench.errors import TorchferryError

# Runs a program as torch's, or under the layer.
UNDER = "import paddle, runpy, sys; paddle.enable_compat(silent=True); runpy.run_path(sys.argv[1])"
ALONE = "import runpy, sys; runpy.run_path(sys.argv[1])"

RUNS = """\
import torch
import torch.nn as nn
import torch.nn.functional as F

x = torch.tensor([[1.5, -2.0, 3.25], [0.5, 4.0, -1.0]])
norm = nn.LayerNorm(3)
total = torch.cat([norm(x), F.softmax(x, dim=1)], dim=0).sum(dim=1)
total = total + x.mean()
print([round(one, 4) for one in total.tolist()])
"""
DIFFERS = """\
import torch

x = torch.tensor([[1.5, -2.0, 3.25], [0.5, 4.0, -1.0]])
first, second = x.max(1)
print(first.tolist(), second.tolist())
"""


def found(file: Path) -> list[tuple[int, str, str]]:
    """Return the line, code and message of every finding of a file."""
    rows = json.loads(run(str(file), "--output-format", "json").stdout)
    return [(row["line"], row["code"], row["message"]) for row in rows]


def run(*arguments: str) -> Result:
    return CliRunner().invoke(check, [*arguments, "--under", "compat", "--jobs", "1"])


def ran(file: Path, how: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-W", "ignore", "-c", how, str(file)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def written(folder: Path, text: str) -> Path:
    file = folder / "program.py"
    file.write_text(text)
    return file


def test_a_program_without_errors_computes_the_same(tmp_path: Path) -> None:
    file = written(tmp_path, RUNS)
    assert {code for _, code, _ in found(file)} <= {"TF600", "TF601"}
    assert run(str(file)).exit_code == 0
    assert ran(file, UNDER).stdout == ran(file, ALONE).stdout != ""


def test_a_call_that_differs_without_an_error_is_named(tmp_path: Path) -> None:
    file = written(tmp_path, DIFFERS)
    ((line, _, message),) = (one for one in found(file) if one[1] == "TF604")
    assert line == 4
    assert message.startswith("torch.Tensor.max is paddle.Tensor.max, which returned something")
    under, alone = ran(file, UNDER), ran(file, ALONE)
    assert under.returncode == alone.returncode == 0
    assert under.stdout != alone.stdout
    assert run(str(file)).exit_code == 1


@pytest.mark.parametrize(
    ("line", "code", "words"),
    [
        ("from torch.utils.data import DataLoader", "TF602", "No module named"),
        ("import torch.optim as optim", "TF602", "No module named"),
        ("norm = torch.nn.BatchNorm2d(4)", "TF602", "BatchNorm2d"),
        ("net = torch.nn.GRU(4, 8, batch_first=True)", "TF603", "batch_first"),
        ("parts = torch.ones(4).split(1, dim=0)", "TF603", "raised an error in trials"),
    ],
)
def test_a_line_that_raises_is_named(tmp_path: Path, line: str, code: str, words: str) -> None:
    file = written(tmp_path, f"import torch\n{line}\n")
    (reason,) = {message for at, known, message in found(file) if (at, known) == (2, code)}
    assert words in reason
    under = ran(file, UNDER)
    assert under.returncode != 0
    assert line in under.stderr
    assert ran(file, ALONE).returncode == 0


def test_what_no_trial_shows_is_a_warning_with_what_a_conversion_writes(tmp_path: Path) -> None:
    file = written(tmp_path, "import torch\ny = torch.sort(torch.ones(3))\n")
    assert (
        2,
        "TF605",
        "torch.sort is paddle.sort; a conversion writes paddle.compat.sort",
    ) in found(file)


def test_a_change_in_place_makes_a_new_tensor_there(tmp_path: Path) -> None:
    file = written(
        tmp_path, "import torch\n\nx = torch.ones(2)\nsame = x\nx += 1\nprint(same[0].item())\n"
    )
    (message,) = (words for line, code, words in found(file) if (line, code) == (5, "TF605"))
    assert "gives a new tensor, and the old one is unchanged" in message
    assert (ran(file, UNDER).stdout, ran(file, ALONE).stdout) == ("1.0\n", "2.0\n")


def test_other_packages_of_torch_are_not_judged(tmp_path: Path) -> None:
    file = written(tmp_path, "import torch\nimport lightning\nlightning.Trainer()\n")
    (message,) = (message for _, code, message in found(file) if code == "TF400")
    assert message == "lightning imports torch itself, and is not checked"


def test_nothing_is_fixed_under_the_layer(tmp_path: Path) -> None:
    error = run(str(written(tmp_path, RUNS)), "--diff").exception
    assert isinstance(error, TorchferryError)
    assert "omit --fix and --diff" in str(error)


def test_another_target_has_no_layer(tmp_path: Path) -> None:
    error = run(str(written(tmp_path, RUNS)), "--target", "jax").exception
    assert isinstance(error, TorchferryError)
    assert "has no layer for torch" in str(error)


def test_without_paddle_a_message_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "paddle.py").write_text("raise ImportError('not here')\n")
    (tmp_path / "program.py").write_text(RUNS)
    done = subprocess.run(
        [sys.executable, "-m", "torchferry", "check", "--under", "compat", "program.py"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert done.returncode == 2
    assert "pip install paddlepaddle" in done.stderr
