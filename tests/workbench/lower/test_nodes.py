"""Per-node comparison: agreement where there is, and injected faults at the right node and line."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from workbench.capture import capture
from workbench.compare.nodes import compare_nodes
from workbench.lower import Lowered, lower
from workbench.targets.paddle.emitters import registry
from workbench.targets.paddle.emitters.call import Call


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3)
        self.mix = nn.Linear(4, 4)
        self.out = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.conv(x)
        x = nn.functional.leaky_relu(x, 0.2)  # slope
        x = nn.functional.avg_pool2d(x, 2, padding=1)  # pool
        x = x.mean((2, 3))
        x = self.mix(x)  # mix
        return torch.softmax(self.out(x), -1)


X = torch.linspace(-1, 1, 2 * 49).reshape(2, 1, 7, 7)


def lowered() -> Lowered:
    torch.manual_seed(3)
    return lower(capture(Net().eval(), X))


def line_of(comment: str) -> int:
    lines = Path(__file__).read_text().splitlines()
    return next(i for i, line in enumerate(lines, 1) if line.endswith(f"# {comment}"))


@pytest.mark.parametrize("mode", ["teacher-forced", "free-running"])
def test_a_right_lowering_agrees_everywhere(mode: Any) -> None:
    found = compare_nodes(lowered(), X, mode=mode)
    assert found.equal, str(found)
    assert [row.op for row in found.rows][:2] == ["conv2d", "leaky_relu"]
    assert all(row.limit > 0 and row.dtype == "float32" for row in found.rows)
    costs = found.by_line()
    assert sum(cost.torch_ms for cost in costs.values()) > 0
    assert all(cost.equal and cost.nbytes == cost.target_nbytes for cost in costs.values())
    assert costs[f"{__file__}:{line_of('slope')}"].nbytes == 2 * 4 * 5 * 5 * 4
    assert found.as_dict()["rows"][0]["location"].startswith(__file__)


def fault(monkeypatch: pytest.MonkeyPatch, name: str, old: str, new: str) -> None:
    """Let the emitter of an operator write something else."""
    emitter = registry.table()[name]

    def write(call: Call) -> str:
        written = emitter.write(call)
        assert old in written
        return written.replace(old, new)

    monkeypatch.setitem(registry._TABLE, name, replace(emitter, write=write))


@pytest.mark.parametrize("mode", ["teacher-forced", "free-running"])
@pytest.mark.parametrize(
    ("name", "old", "new", "comment"),
    [
        ("leaky_relu", "0.2", "0.2001", "slope"),
        ("avg_pool2d", "exclusive=False", "exclusive=True", "pool"),
    ],
)
def test_a_fault_is_found_at_its_node_and_line(
    monkeypatch: pytest.MonkeyPatch, mode: Any, name: str, old: str, new: str, comment: str
) -> None:
    fault(monkeypatch, name, old, new)
    first = compare_nodes(lowered(), X, mode=mode).first
    assert first is not None
    assert first.op == name
    assert first.location is not None
    assert (first.location.file, first.location.line) == (__file__, line_of(comment))
    assert new in first.code


def test_only_the_faulty_node_differs_when_teacher_forced(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fault(monkeypatch, "leaky_relu", "0.2", "0.25")
    rows = compare_nodes(lowered(), X).rows
    assert [row.op for row in rows if not row.equal] == ["leaky_relu"]
    running = compare_nodes(lowered(), X, mode="free-running").rows
    assert len([row for row in running if not row.equal]) > 3


def test_a_transposed_weight_is_found() -> None:
    found = lowered()
    layer = found.load(share=False)
    layer.mix.weight.set_value(layer.mix.weight.T.clone())
    first = compare_nodes(found, X, module=layer).first
    assert first is not None
    assert (first.module, first.location and first.location.line) == ("mix", line_of("mix"))
    assert "off by" in first.reason


def test_shape_and_dtype_come_before_values(monkeypatch: pytest.MonkeyPatch) -> None:
    fault(monkeypatch, "mean.dim", "axis=[2, 3]", "axis=[2]")
    first = compare_nodes(lowered(), X).first
    assert first is not None
    assert first.reason.startswith("has shape")
    fault(monkeypatch, "leaky_relu", ")", ').astype("float64")')
    first = compare_nodes(lowered(), X).first
    assert first is not None
    assert first.reason == "is float64 and not float32"


def test_draws_are_not_compared_but_shown() -> None:
    net = nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.5)).train()
    x = torch.randn(4, 3)
    found = compare_nodes(lower(capture(net, x)), x)
    assert found.equal, str(found)
    assert any(row.random for row in found.rows)
