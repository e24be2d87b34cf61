"""`trace`, `compare` and `weights` as a user runs them: tables, reports, exit codes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from click.testing import CliRunner, Result

from workbench.cli import cli
from workbench.commands import options
from workbench.errors import TorchferryError

FILE = """\
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 2)

    def forward(self, x):
        return torch.relu(self.fc(x)) {tail}

net = Net()
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / f"net_{tmp_path.name}.py"
    path.write_text(FILE.format(tail="+ 1"))
    return path


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Runs a command in this process: starting another one takes seconds."""

    def here(work: Any, *args: Any, patience: float) -> Any:
        return work(*args, lambda what: None)

    monkeypatch.setattr(options, "watched", here)

    def call(*arguments: object) -> Result:
        return CliRunner().invoke(cli, [str(a) for a in arguments])

    return call


@pytest.mark.parametrize("command", ["trace", "compare"])
def test_a_device_that_a_side_lacks_is_refused_with_what_it_has(
    file: Path, run: Any, command: str
) -> None:
    result = run(command, f"{file}:net", "-i", "2x3", "--device", "xpu:7")
    assert "torch has no device 'xpu:7' here; it has cpu" in str(result.exception)


def test_trace_shows_the_contract_the_lines_and_the_code(file: Path, run: Any) -> None:
    page, data = file.with_suffix(".html"), file.with_suffix(".json")
    reports = ["--report", page, "--report", data]
    saved = [w for n in ("out.py", "out.pt2", "out.netron") for w in ("--save", file.with_name(n))]
    result = run("trace", f"{file}:net", "-i", "2x3", "-d", "auto", *reports, *saved)
    assert result.exit_code == 0, result.output
    assert "all 3 nodes lower to paddle" in result.output
    assert "x_dim0 is" in result.output
    found = json.loads(data.read_text())
    assert [n["op"] for n in found["nodes"]] == ["linear", "relu", "add.Tensor"]
    assert all(n["location"] == f"{file}:10" for n in found["nodes"])
    assert found["verdict"] in page.read_text()
    assert "<script" not in page.read_text()
    assert "class Net(paddle.nn.Layer)" in file.with_name("out.py").read_text()
    assert {p.name for p in file.parent.glob("out.*")} == {
        "out.py",
        "out.pt2",
        "out.torch.netron",
        "out.paddle.netron",
    }


def test_in_a_pipe_each_line_is_whole_and_files_are_named_from_here(
    file: Path, run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = file.parent / "project" / "models"
    folder.mkdir(parents=True)
    moved = file.rename(folder / file.name)
    monkeypatch.chdir(file.parent)
    monkeypatch.delenv("COLUMNS", raising=False)
    place = moved.relative_to(file.parent)
    shown = run("compare", f"{place}:Net", "-i", "2x3").output
    assert str(file.parent) not in shown
    assert f"{place}:10 " in shown


def test_trace_shows_what_runs_in_torch(file: Path, run: Any) -> None:
    file.write_text(FILE.format(tail="+ torch.special.zeta(x, x)[:, :1]"))
    result = run("trace", f"{file}:net", "-i", "2x3", "--output-format", "json")
    assert result.exit_code == 1
    found = json.loads(result.stdout)
    assert [f["op"] for f in found["fallbacks"]] == ["special_zeta"]
    assert found["fallbacks"][0]["reason"]
    assert found["verdict"].startswith("1 of ")


def test_compare_agrees_and_counts_both_sides(file: Path, run: Any) -> None:
    data = file.with_suffix(".json")
    result = run("compare", f"{file}:net", "-i", "2x3", "--report", data)
    assert result.exit_code == 0, result.output
    assert "all 3 nodes agree, one by one and end to end" in result.output
    found = json.loads(data.read_text())
    line = found["lines"][f"{file}:10"]
    assert line["torch_ms"] > 0
    assert line["target_ms"] > 0
    assert line["nbytes"] == line["target_nbytes"] == 3 * 2 * 2 * 4
    assert found["free_running"]["equal"]


def test_compare_names_the_first_node_that_differs(
    file: Path, run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dataclasses import replace

    from workbench.targets.paddle.emitters.registry import EMITTERS

    emitter = EMITTERS.table()["relu"]
    wrong = replace(emitter, write=lambda call: f"{emitter.write(call)} * 1.01")
    monkeypatch.setitem(EMITTERS.table(), "relu", wrong)
    saved = file.with_suffix(".json")
    result = run("compare", f"{file}:net", "-i", "8x3", "--output-format", "json", "--save", saved)
    assert result.exit_code == 1
    found = json.loads(result.stdout)
    assert (found["first"]["op"], found["first"]["location"]) == ("relu", f"{file}:10")
    assert found["verdict"].startswith(f"{file}:10: relu (relu) is the first node that differs")
    (graph,) = json.loads(saved.read_text())["graphs"]
    marked = json.loads(saved.with_suffix(".difference.json").read_text())[graph["id"]]["results"]
    assert [node["label"] for node in graph["nodes"] if node["id"] == "relu"] == ["relu"]
    assert marked["relu"]["value"] > 1 > marked["linear"]["value"]
    assert marked["relu"]["bgColor"] != marked["linear"]["bgColor"]


def test_compare_says_what_it_can_save(file: Path, run: Any) -> None:
    result = run("compare", f"{file}:net", "-i", "2x3", "--save", file.with_suffix(".dot"))
    assert isinstance(result.exception, TorchferryError)
    assert "must end in .json" in str(result.exception)


def test_compare_finds_what_was_baked_in(file: Path, run: Any) -> None:
    file.write_text(FILE.format(tail="* random.random()").replace("torch\n", "torch, random\n", 1))
    result = run("compare", f"{file}:net", "-i", "2x3")
    assert result.exit_code == 1
    assert "TF408" in result.output
    assert "a value that was computed only once, during capture" in result.output


def test_a_model_that_cannot_be_captured_is_reported_at_its_line(file: Path, run: Any) -> None:
    file.write_text(FILE.format(tail=".numpy()"))
    result = run("trace", f"{file}:net", "-i", "2x3")
    assert isinstance(result.exception, TorchferryError)
    message = result.exception.line  # in one line, with the user's code and what to write instead
    assert f"{file}:10: a tensor is converted to NumPy or Python values here" in message
    assert ".numpy()`; " in message and "\n" not in message


def test_decisions_by_the_example_are_reported(file: Path, run: Any) -> None:
    file.write_text(FILE.format(tail="if x.sum() < 99 else x"))
    result = run("trace", f"{file}:net", "-i", "2x3", "--output-format", "json")
    assert result.exit_code == 0
    (message,) = [text for text in json.loads(result.stdout)["warnings"] if "assumed" in text]
    assert f"`x.sum() < 99` gives True, as in the example ({file}:10)" in message


@pytest.mark.parametrize("command", ["trace", "compare"])
def test_an_order_that_torch_leaves_open_is_reported(file: Path, run: Any, command: str) -> None:
    pytest.importorskip("flax")
    order = "the values are sorted, in torch they may have any order"
    for tail, is_reported in ((".topk(2, sorted=False)[0]", True), (".topk(2)[0]", False)):
        file.write_text(FILE.format(tail=tail))
        output = ("--target", "jax", "--output-format", "json")
        result = run(command, f"{file}:net", "-i", "2x3", *output)
        assert any(order in text for text in json.loads(result.stdout)["caveats"]) == is_reported


def test_weights_are_written_and_the_rest_is_reported(tmp_path: Path, run: Any) -> None:
    import paddle

    source, place = tmp_path / "net.pt", tmp_path / "net.pdparams"
    torch.save({"epoch": 3, "state_dict": {"fc.weight": torch.ones(2, 3)}}, source)
    result = run("weights", source, "-o", place, "--output-format", "json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["carried"] == ["state_dict.fc.weight"] and found["left_out"] == {}
    loaded = paddle.load(str(place))
    assert loaded["epoch"] == 3 and loaded["state_dict"]["fc.weight"].shape == [2, 3]
    again = run("weights", source, "-o", place)
    assert "this file exists" in str(again.exception)
    assert run("weights", source, "-o", place, "--force").exit_code == 0
    source.write_bytes(source.read_bytes()[:200])
    truncated = run("weights", source, "-o", tmp_path / "other.pdparams")
    assert "not a complete checkpoint" in str(truncated.exception)
    assert not (tmp_path / "other.pdparams").exists()
