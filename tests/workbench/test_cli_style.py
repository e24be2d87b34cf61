"""The two styles, and where new weights start, on the command line."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.workbench.test_cli import torchferry

LINEAR = "import torch\nlayer = torch.nn.Linear(2, 3)\n"


def test_the_style_decides_how_code_is_written(tmp_path: Path) -> None:
    plain = torchferry("convert", "-", stdin=LINEAR).stdout
    exact = torchferry("convert", "-", "--style", "exact", stdin=LINEAR).stdout
    assert "paddle.nn.Linear(2, 3" in plain and "TorchLinear" not in plain
    assert "class TorchLinear" in exact


def test_new_weights_are_torchs_or_the_targets_own_and_that_is_reported(tmp_path: Path) -> None:
    source = tmp_path / "a.py"
    source.write_text(LINEAR + "other = torch.nn.Linear(3, 4)\n")
    assert "weight_attr=init" in torchferry("convert", source, "-o", "-").stdout
    native = torchferry("convert", source, "-o", "-", "--init", "native").stdout
    assert native == (
        "import paddle\nlayer = paddle.nn.Linear(2, 3)\nother = paddle.nn.Linear(3, 4)\n"
    )
    printed = torchferry("check", source, "--all", "--init", "native").stdout
    assert printed.count("TF110") == 2 and printed.count("new weights are drawn from") == 1
    assert "where `weight_attr` is given, and from Paddle's elsewhere" in printed


def test_native_initial_weights_need_the_plain_style(tmp_path: Path) -> None:
    done = torchferry("convert", "-", "--style", "exact", "--init", "native", stdin=LINEAR)
    assert done.returncode == 2
    assert "the exact style initializes new weights as torch does; remove" in done.stderr


def test_another_style_converts_a_project_again(tmp_path: Path) -> None:
    project, out = tmp_path / "p", tmp_path / "out"
    project.mkdir()
    (project / "a.py").write_text(LINEAR)
    for style, text in (("plain", "paddle.nn.Linear"), ("exact", "TorchLinear")):
        done = torchferry("convert", project, "-o", out, "--style", style)
        assert done.returncode == 0, done.stderr
        assert text in (out / "a.py").read_text()


def test_a_file_gets_its_module_of_helpers_and_says_so(tmp_path: Path) -> None:
    source, out = tmp_path / "a.py", tmp_path / "out" / "a.py"
    source.write_text(LINEAR)
    done = torchferry("convert", source, "-o", out, "--style", "exact")
    assert done.returncode == 0, done.stderr
    assert "torchferry_helpers.py" in done.stdout
    assert "from torchferry_helpers import TorchLinear\n" in out.read_text()
    ast.parse(out.with_name("torchferry_helpers.py").read_text())
    inline = torchferry("convert", source, "-o", out, "--style", "exact", "--helpers", "inline")
    assert inline.returncode == 0, inline.stderr
    assert "class TorchLinear" in out.read_text()
