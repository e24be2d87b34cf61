"""Per-node comparison: agreement where there is, and injected faults at the right node and line."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from workbench.capture import capture
from workbench.compare.nodes.comparison import compare_nodes, compare_nodes_apart
from workbench.errors import TorchferryError
from workbench.lower import Lowered, lower
from workbench.lower.writing.call import Call
from workbench.targets.paddle.emitters.registry import EMITTERS


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
    emitter = EMITTERS.table()[name]

    def write(call: Call) -> str:
        written = emitter.write(call)
        assert old in written
        return written.replace(old, new)

    monkeypatch.setitem(EMITTERS.table(), name, replace(emitter, write=write))


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


class Attends(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.query = nn.Linear(6, 6)
        self.key = nn.Linear(6, 6)
        self.value = nn.Linear(6, 6, bias=False)
        self.norm = nn.LayerNorm(6)
        self.act = nn.LeakyReLU(0.1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        query, key = self.query(x), self.key(x)
        found = nn.functional.scaled_dot_product_attention(query, key, self.value(x))
        return self.act(self.norm(x + found))


class Pools(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.AvgPool2d(3, 2, padding=1)
        self.second = nn.AvgPool2d(2, 2, padding=1)
        self.mix = nn.Linear(6, 6)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = nn.functional.leaky_relu(self.first(x), 0.3)
        x = self.mix(self.second(x + 2).flatten(2))
        x = nn.functional.leaky_relu(x, 0.2) @ self.mix.weight
        return nn.functional.leaky_relu(x, 0.01)


def deep() -> nn.Module:
    parts = [nn.Sequential(nn.Linear(5, 5), nn.LeakyReLU(0.05 * (n + 1))) for n in range(6)]
    return nn.Sequential(*parts)


# Correct code, and a wrong emitter's: slope, padding count, transposed weight.
FAULTS = (
    ("F.leaky_relu(", "0.001 + F.leaky_relu("),
    ("exclusive=False", "exclusive=True"),
    ("transpose_y=True", "transpose_y=False"),
    ("_attention(linear,", "_attention(1.001 * linear,"),
)


@pytest.mark.parametrize(
    ("model", "x", "places"),
    [
        (Attends(), torch.randn(2, 4, 6), 5),
        (Pools(), torch.randn(2, 3, 6, 10), 6),
        (deep(), torch.randn(3, 5), 12),
    ],
)
def test_a_fault_at_any_place_is_found_there(
    model: nn.Module, x: torch.Tensor, places: int
) -> None:
    whole = lower(capture(model.eval(), x))
    layer = whole.load(share=False)
    tried = 0
    for place, line in enumerate(whole.lines):
        for old, new in FAULTS:
            if old not in line.expression:
                continue
            tried += 1
            wrong = replace(line, expression=line.expression.replace(old, new))
            lines = (*whole.lines[:place], wrong, *whole.lines[place + 1 :])
            faulty = replace(whole, written=replace(whole.written, lines=lines))
            for mode in ("teacher-forced", "free-running"):
                first = compare_nodes(faulty, x, mode=mode, module=layer).first  # type: ignore[arg-type]
                assert first is not None
                assert first.node == line.node
                assert first.location == whole.graph.node(line.node).location
    assert tried == places


def at_first_line(found: Lowered, expression: str) -> Lowered:
    first = replace(found.lines[0], expression=expression)
    return replace(found, written=replace(found.written, lines=(first, *found.lines[1:])))


def test_apart_from_this_process_it_finds_the_same() -> None:
    found = compare_nodes_apart(lowered(), X)
    assert found.equal, str(found)
    assert [row.op for row in found.rows][:2] == ["conv2d", "leaky_relu"]


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("__import__('time').sleep(60)", "no answer for 0.5 s while paddle ran line"),
        ("__import__('os').kill(__import__('os').getpid(), 11)", "crashed: Segmentation fault"),
    ],
)
def test_a_hang_or_a_crash_there_is_reported_with_its_line_here(
    expression: str, message: str
) -> None:
    wrong = at_first_line(lowered(), expression)
    patience = 0.5 if "sleep" in expression else 60
    with pytest.raises(TorchferryError, match=message) as caught:
        compare_nodes_apart(wrong, X, patience=patience)
    assert f"{Path(__file__).name}:" in str(caught.value)


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
