"""`torchferry explain`, the help for a mistyped command, and one name for the target."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from jupyter_ext.notebook_command import read_notebook_line
from jupyter_ext.options import read_convert
from workbench.cli import cli
from workbench.commands.explain import explain
from workbench.errors import TorchferryError


def printed(*arguments: str) -> str:
    done = CliRunner().invoke(explain, arguments, catch_exceptions=False)
    assert done.exit_code == 0
    return done.stdout


def test_a_code_is_explained_in_words_of_the_target() -> None:
    text = printed("tf118")
    assert text.startswith("TF118 (information): Paddle raises an error if one operand")
    assert text.endswith(
        "This matters for masks, labels and counts in floating-point arithmetic.\n"
    )
    assert "](" not in printed("TF201")
    codes = [line[:5] for line in printed("TF9").splitlines() if line.startswith("TF")]
    assert codes == ["TF901", "TF902"]


@pytest.mark.parametrize("name", ["torch.stack", "stack"])
def test_a_name_is_explained_by_its_signature_proof_and_rule(name: str) -> None:
    lines = printed(name).splitlines()
    assert lines[0] == "# torch.stack"
    assert lines[2].startswith("torch.stack(tensors: ")
    assert "In the plain style, written as `paddle.stack`" in lines[4]
    assert "paddle.stack({tensors}, axis={dim})" in lines


def test_a_refused_name_says_why() -> None:
    text = printed("torch.lobpcg")
    assert "## Refused" in text and "gave the same" not in text


@pytest.mark.parametrize(("word", "hint"), [("TF199", "TF119"), ("torch.stck", "torch.stack")])
def test_a_mistyped_code_or_name_gets_a_suggestion(word: str, hint: str) -> None:
    error = CliRunner().invoke(explain, [word]).exception
    assert isinstance(error, TorchferryError) and hint in str(error)


def test_a_mistyped_command_gets_a_suggestion() -> None:
    assert "Did you mean convert?" in CliRunner().invoke(cli, ["covnert"]).stderr
    assert "Did you mean" not in CliRunner().invoke(cli, ["zzz"]).stderr


def test_the_target_is_named_by_either_option_everywhere() -> None:
    for name in ("check", "compare", "convert", "explain", "prove", "trace", "verify", "weights"):
        command = cli.get_command(None, name)  # type: ignore[arg-type]
        assert command is not None
        names = {option for one in command.params for option in one.opts}
        assert {"--to", "--target"} <= names, name
    for option in ("--to", "--target"):
        assert read_convert(f"{option} paddle==3.2").target == "paddle==3.2"
        assert read_notebook_line(f"{option} paddle==3.2").to == "paddle==3.2"


def test_the_decisions_on_a_line_are_printed_in_their_order(tmp_path: Path) -> None:
    file = tmp_path / "model.py"
    file.write_text(
        "import torch\n\ntorch_masked = 1\ny = torch.relu(torch.no_such_thing(x))\n"
        "class torch_mode: ...\nz = torch.mode(torch.ones(3))\n"
    )
    lines = printed(f"{file}:4").splitlines()
    assert lines[:3] == [f"# {file}:4", "", "    y = torch.relu(torch.no_such_thing(x))"]
    assert "## torch.relu, column 5 (TF114)" in lines
    assert "## torch.no_such_thing, column 16 (TF201)" in lines
    refused = [line for line in lines if line.startswith("1. Not converted")]
    assert len(refused) == 1
    first, second, *_ = (
        line for line in printed(f"{file}:6").splitlines() if line[:2] in {"1.", "2."}
    )
    assert first.startswith("1. `torch_mode(")
    assert second.startswith("2. Not converted (it needs the helper torch_mode")
    assert second.endswith(": the program has taken the name of a helper")


def test_a_file_without_a_line_is_not_taken_for_a_name() -> None:
    error = CliRunner().invoke(explain, [__file__]).exception
    assert f"give a line of a file, such as {__file__}:12" in str(error)


def test_suggested_names_are_public() -> None:
    error = CliRunner().invoke(explain, ["torch.submod"]).exception
    assert "did you mean" in str(error) and "._" not in str(error)


def test_the_decisions_on_a_line_are_those_of_a_style(tmp_path: Path) -> None:
    file = tmp_path / "model.py"
    file.write_text("import torch\nx = torch.nn.Linear(2, 3)\n")
    assert "the plain form of torch.nn.Linear" in printed(f"{file}:2")
    assert "the plain form" not in printed(f"{file}:2", "--style", "exact")


def test_a_line_without_torch_says_so(tmp_path: Path) -> None:
    file = tmp_path / "model.py"
    file.write_text("x = 1\n")
    error = CliRunner().invoke(explain, [f"{file}:1"]).exception
    assert isinstance(error, TorchferryError) and "no use of torch starts" in str(error)
