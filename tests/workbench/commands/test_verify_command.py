"""`torchferry verify` as a user runs it: exit codes, certificate, running one again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from workbench.cli import cli
from workbench.commands import options

ORIGINAL = """\
import torch
from torch import nn

class Original(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 2)

    def forward(self, x):
        return torch.relu(self.fc(x))
"""
PORT = """\
import paddle
from paddle import nn

class Ported(nn.Layer):
    def __init__(self, out=2):
        super().__init__()
        self.linear = nn.Linear(3, out)

    def forward(self, x):
        return nn.functional.relu(self.linear(x))
"""


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """Runs the command in this process: starting another one takes seconds."""

    def here(work: Any, *args: Any, patience: float) -> Any:
        return work(*args, lambda what: None)

    monkeypatch.setattr(options, "watched", here)
    (tmp_path / "verified_original.py").write_text(ORIGINAL)
    (tmp_path / "verified_port.py").write_text(PORT)
    sides = f"{tmp_path}/verified_original.py:Original", f"{tmp_path}/verified_port.py:Ported(2)"

    def call(*arguments: object) -> Result:
        given = arguments if "--check" in arguments else (*sides, "-i", "4x3", *arguments)
        return CliRunner().invoke(cli, ["verify", *(str(a) for a in given)])

    return call


def test_a_port_is_certified_and_its_certificate_run_again(run: Any, tmp_path: Path) -> None:
    place = tmp_path / "certificate.json"
    first = run("--json", place)
    assert first.exit_code == 0, first.output
    held = json.loads(place.read_text())
    assert held["certified"]
    assert held["pairs"] == ["fc.weight=linear.weight", "fc.bias=linear.bias"]
    assert run("--check", place).exit_code == 0
    port = tmp_path / "verified_port.py"
    port.write_text(PORT.replace("self.linear(x)", "self.linear(x) * 2"))
    again = run("--check", place)
    assert again.exit_code == 1
    assert "the port has changed" in again.output
    assert "verified_port.py:10" in again.output.replace("\n", "")


def test_other_files_than_certificates_are_refused(run: Any, tmp_path: Path) -> None:
    place = tmp_path / "other.json"
    place.write_text("[]")
    assert "not a certificate" in str(run("--check", place).exception)


TWO = """\
import torch
from torch import nn

class Original(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 3)
        self.second = nn.Linear(3, 3)

    def forward(self, x):
        return self.second(torch.relu(self.first(x)))
"""
TURNED = """\
import paddle
from paddle import nn

class Ported(nn.Layer):
    def __init__(self, out=2):
        super().__init__()
        self.second_layer = nn.Linear(3, 3)
        self.first_layer = nn.Linear(3, 3)

    def forward(self, x):
        return self.second_layer(nn.functional.relu(self.first_layer(x)))
"""


def test_a_doubtful_pairing_is_assumed_and_reported(run: Any, tmp_path: Path) -> None:
    (tmp_path / "verified_original.py").write_text(TWO)
    port, pairs = tmp_path / "verified_port.py", tmp_path / "pairs.txt"
    port.write_text(TURNED)
    assert run().exit_code == 0  # running it decides
    port.write_text(TURNED.replace("relu(", "gelu("))
    followed = run()
    assert followed.exit_code == 1  # so does how far the port goes along with the original
    assert "verified_port.py:11" in followed.output.replace("\n", "")
    assert "are assumed" not in followed.output
    port.write_text(TURNED.replace("(x)))", "(x * 2)))"))
    assumed = run("--save-map", pairs, "--json", tmp_path / "certificate.json")
    assert assumed.exit_code == 1
    assert "some pairs are assumed" in assumed.output
    [check, *_] = json.loads((tmp_path / "certificate.json").read_text())["checks"]
    assert "in the order in which both sides use them" in check["summary"]
    assert "--map first.weight=second_layer.weight" in check["summary"]
    used, other = pairs.read_text().split("\n\n")
    assert "\nfirst.weight=first_layer.weight" in used
    assert "\n# first.weight=second_layer.weight" in other
    run_result = run("--map", pairs)
    assert run_result.exit_code == 1, run_result.output
    assert "are assumed" not in run_result.output
    assert "verified_port.py:11" in run_result.output.replace("\n", "")
    port.write_text(TURNED)
    assert run("--map", pairs, "--save-map", tmp_path / "again.txt").exit_code == 0
    assert set(used.split()) <= set((tmp_path / "again.txt").read_text().split())


def test_parts_are_distinguished_by_what_they_are_used_with(run: Any, tmp_path: Path) -> None:
    """No order is the same on both sides, and no name: of definition or of use."""
    lines = ORIGINAL.splitlines()
    made = ["        self.{} = nn.Linear(3, 3)"] * 4
    head = "\n".join(lines[:6])
    original = [line.format(name) for line, name in zip(made, "abcd", strict=True)]
    used = "        y = self.b(torch.relu(self.a(x)))\n        return self.d(y + self.c(x.sin()))\n"
    call = "\n\n    def forward(self, x):\n"
    (tmp_path / "verified_original.py").write_text("\n".join((head, *original)) + call + used)
    port = [line.format(name) for line, name in zip(made, ("p", "q", "r", "s"), strict=True)]
    head = "\n".join(PORT.splitlines()[:6])
    used = (
        "        z = self.q(x.sin())\n        y = self.s(nn.functional.relu(self.r(x)))\n"
        "        return self.p(z + y)\n"
    )
    file = tmp_path / "verified_port.py"
    file.write_text("\n".join((head, *port)) + call + used)
    assert run().exit_code == 0
    file.write_text("\n".join((head, *port)) + call + used.replace("(z + y)", "(z - y)"))
    run_result = run()
    assert run_result.exit_code == 1
    assert "verified_port.py:15: the values diverge here" in run_result.output.replace("\n", "")
    assert "are assumed" not in run_result.output


def test_a_code_scanning_page_shows_the_line(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    port, log = tmp_path / "verified_port.py", tmp_path / "port.sarif"
    assert run("--sarif", log).exit_code == 0
    assert json.loads(log.read_text())["runs"][0]["results"] == []
    port.write_text(PORT.replace("nn.functional.relu", "nn.functional.gelu"))
    assert run("--sarif", log).exit_code == 1
    [result, *_] = json.loads(log.read_text())["runs"][0]["results"]
    where = result["locations"][0]["physicalLocation"]
    assert where["artifactLocation"] == {"uri": "verified_port.py", "uriBaseId": "%SRCROOT%"}
    assert where["region"] == {"startLine": 10}
    assert result["relatedLocations"][0]["physicalLocation"]["region"] == {"startLine": 10}
    assert "gelu" in result["message"]["text"]


def test_both_sides_may_be_packages_of_one_name(run: Any, tmp_path: Path) -> None:
    for root, text in (("torch_side", ORIGINAL), ("torch_side/paddle_side", PORT)):
        package = tmp_path / root / "models"
        package.mkdir(parents=True)
        (package / "__init__.py").write_text("")
        (package / "sizes.py").write_text("inputs = 3\n")
        text = text.replace("(3, ", "(inputs, ")
        (package / "net.py").write_text(f"from .sizes import inputs\n{text}")
    torch_side = tmp_path / "torch_side" / "models" / "net.py"
    port = tmp_path / "torch_side" / "paddle_side" / "models" / "net.py"
    done = CliRunner().invoke(
        cli, ["verify", f"{torch_side}:Original", f"{port}:Ported", "-i", "4x3"]
    )
    assert done.exit_code == 0, done.output
