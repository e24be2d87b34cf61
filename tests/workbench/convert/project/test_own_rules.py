"""Projects with rules of their own, from their settings to converted files."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.command import torchferry
from tests.workbench.convert.project.project_tree import tree, write
from tests.workbench.targets.own_project import RULES, rules_in
from workbench import TorchferryError, convert_project
from workbench.convert.configuration.settings import settings_for

ROOT = Path(__file__).parents[4]
GUIDE = ROOT / "docs" / "guides" / "own-rules.md"
EXAMPLE = ROOT / "examples" / "own_rules"
MODEL = """\
import torch
from mylib.layers import Norm

from .post import keep


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = Norm(8)

    def forward(self, b, s):
        return keep(self.norm(b), s).numel()
"""
POST = "from mylib.ops import nms\n\n\ndef keep(b, s):\n    return nms(b, s)\n"


def project(folder: Path, rules: str = RULES) -> Path:
    files = {
        "net/__init__.py": "",
        "net/model.py": MODEL,
        "net/post.py": POST,
        "run.py": "import mylib\nimport torch\n\nprint(torch.ops.mylib.nms(b, s, 0.3))\n",
    }
    rules_in(folder, rules)
    return write(folder, files)


def test_a_project_converts_with_its_own_rules(tmp_path: Path) -> None:
    source, out = project(tmp_path / "in"), tmp_path / "out"
    report = convert_project(source, out, trust_rules=True)
    assert report.exit_code == 0
    model = (out / "net/model.py").read_text()
    assert "from .torchferry_helpers import TorchNorm" in model
    assert "self.norm = TorchNorm(8)" in model
    # The other file's value is a tensor, since its own rule says so.
    assert "int(keep(self.norm(b), s).size)" in model
    post = (out / "net/post.py").read_text()
    assert "from .torchferry_helpers import torch_nms" in post and "return torch_nms(b, s)" in post
    run = (out / "run.py").read_text()
    assert "torch_nms(b, s, threshold=0.3)" in run and "mylib" not in run
    helpers = (out / "net/torchferry_helpers.py").read_text()
    assert "class TorchNorm(paddle.nn.Layer):" in helpers and "def torch_nms(" in helpers

    again = convert_project(out, tmp_path / "again", trust_rules=True)
    assert again.exit_code == 0
    for name in ("net/model.py", "net/post.py", "run.py", "net/torchferry_helpers.py"):
        assert (tmp_path / "again" / name).read_bytes() == (out / name).read_bytes()


def test_worker_processes_have_them_too(tmp_path: Path) -> None:
    source = project(tmp_path / "in")
    convert_project(source, tmp_path / "one", workers=1, trust_rules=True)
    convert_project(source, tmp_path / "two", workers=2, trust_rules=True)
    one, two = tree(tmp_path / "one"), tree(tmp_path / "two")
    assert {name: one[name] for name in one if not name.startswith(".")} == {
        name: two[name] for name in two if not name.startswith(".")
    }


def test_a_changed_rule_converts_its_files_again(tmp_path: Path) -> None:
    source, out = project(tmp_path / "in"), tmp_path / "out"
    convert_project(source, out, trust_rules=True)
    rules_in(source, RULES.replace("threshold={threshold})", "{threshold=0.5})"))
    convert_project(source, out, trust_rules=True)
    assert "torch_nms(b, s, 0.5)" in (out / "net/post.py").read_text()


def test_the_command_says_how_many_there_are(tmp_path: Path) -> None:
    done = torchferry("check", "--all", "--trust-rules", project(tmp_path))
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"4 own rules from {tmp_path / 'tools' / 'rules.py'}" in done.stderr
    assert "mylib.ops.nms becomes torch_nms" in done.stdout


def test_a_module_that_raises_ends_nothing(tmp_path: Path) -> None:
    source = project(tmp_path / "in", "raise ValueError('no luck')\n")
    done = torchferry("convert", "--trust-rules", source, "-o", tmp_path / "out")
    assert done.returncode == 2
    assert f"{source / 'tools' / 'rules.py'}:1: ValueError: no luck" in done.stderr
    assert "paddle.nn.Layer" in (tmp_path / "out/net/model.py").read_text()


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("3", "in quotes"),
        ('"tools/absent.py"', "there is no tools/absent.py"),
        ('"tools.absent"', "there is no tools.absent"),
    ],
)
def test_a_setting_that_names_no_module(tmp_path: Path, value: str, expected: str) -> None:
    (tmp_path / "pyproject.toml").write_text(f"[tool.torchferry]\nrules = {value}\n")
    with pytest.raises(TorchferryError, match=expected):
        settings_for(tmp_path)


def test_reading_the_settings_runs_nothing(tmp_path: Path) -> None:
    file = rules_in(tmp_path, "raise SystemExit\n")
    (tmp_path / "pyproject.toml").write_text('[tool.torchferry]\nrules = "tools.rules"\n')
    assert settings_for(tmp_path).rules == file


def test_the_example_converts_and_computes_the_same(tmp_path: Path) -> None:
    done = torchferry("convert", "--trust-rules", EXAMPLE, "-o", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    assert "3 own rules" in done.stderr
    model = (tmp_path / "out" / "model.py").read_text()
    assert "import fastops" not in model and "from fastops" not in model
    script = (
        "import sys, numpy as np; sys.path.insert(0, sys.argv[1]); import {module}, model\n"
        "net = model.Net(4)\n"
        "def filled(shape): return np.sin(np.arange(np.prod(shape)).reshape(shape)) * 3\n"
        "net.{state}({{k: {make}({laid_out}.astype('float32'))"
        " for k, v in net.state_dict().items()}})\n"
        "x = {make}(np.linspace(-9, 9, 12, dtype='float32').reshape(3, 4))\n"
        "print(net(x).detach().numpy().tolist())\n"
    )
    outputs = [
        subprocess.run(
            [sys.executable, "-c", script.format(**words), folder],
            capture_output=True,
            text=True,
            check=True,
            cwd=folder,
            env={**os.environ, "FASTOPS_PYTHON": "1"},
        ).stdout
        for folder, words in (
            (
                str(EXAMPLE),
                {
                    "module": "torch",
                    "make": "torch.tensor",
                    "state": "load_state_dict",
                    "laid_out": "filled(v.shape)",
                },
            ),
            # A Linear of Paddle keeps its weight as [in, out].
            (
                str(tmp_path / "out"),
                {
                    "module": "paddle",
                    "make": "paddle.to_tensor",
                    "state": "set_state_dict",
                    "laid_out": "filled(v.shape).T",
                },
            ),
        )
    ]
    torch_side, paddle_side = map(json.loads, outputs)
    assert np.allclose(torch_side, paddle_side, atol=1e-5) and np.shape(torch_side) == (3, 4)


def test_the_guide_shows_the_example() -> None:
    text = GUIDE.read_text()
    rules = (EXAMPLE / "tools" / "torchferry_rules.py").read_text()
    assert 'signature="(x, limit=1.0) -> Tensor"' in text and 'base="torch.nn.Module"' in text
    for line in ('rules.drop_import("fastops")', "rules = OwnRules("):
        assert line in text and line in rules
