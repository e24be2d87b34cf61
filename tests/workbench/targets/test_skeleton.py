"""A second target needs only its own folder: here NumPy, in `skeleton/`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

import workbench
from workbench import targets
from workbench.capture import capture
from workbench.compare.nodes.comparison import compare_nodes
from workbench.lower import LowerError, lower
from workbench.upstream.cases import cases_of


@pytest.fixture(autouse=True)
def skeleton(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the folder `skeleton` available next to `paddle`."""
    monkeypatch.setattr(targets, "__path__", [*targets.__path__, str(Path(__file__).parent)])
    monkeypatch.setattr(targets, "NAMES", (*targets.NAMES, "skeleton"))


def test_it_is_found_by_its_name_and_version() -> None:
    assert targets.load("skeleton==2.0").title == "NumPy"
    assert {"skeleton", "skeleton==2.0"} <= set(targets.specs())
    assert targets.packages() == ["jax", "numpy", "paddlepaddle"]


def test_it_converts_what_it_has_a_rule_for() -> None:
    source = "import torch\n\n\ndef pair(x, y):\n    return torch.cat([x, y])\n"
    converted = workbench.convert(source, target="skeleton")
    assert converted.code == (
        "import numpy\n\n\ndef pair(x, y):\n    return numpy.concatenate([x, y], axis=0)\n"
    )
    assert not converted.unconverted


def test_it_says_in_its_own_words_what_it_cannot_convert() -> None:
    source = """import torch

layer = torch.nn.Linear(2, 3)
stacked = torch.stack([layer.weight])
read = getattr(torch, name)(stacked)
"""
    words = " ".join(found.message for found in workbench.check(source, target="skeleton"))
    assert "torch.nn.Linear: NumPy has no layers" in words
    assert "torch.stack: there is no rule for it yet" in words
    assert "NumPy's own of that name may differ" in words
    assert "paddle" not in words.lower()


def test_uses_of_a_missing_helper_are_refused() -> None:
    source = "import torch\n\nkept = torch.exp(x)\ntorch.exp(x, out=kept)\n"
    converted = workbench.convert(source, target="skeleton")
    assert "kept = numpy.exp(x)\n" in converted.code
    assert "torch_out(" not in converted.code
    [left] = converted.unconverted
    assert "it needs the helper torch_out, which NumPy does not have" in left.message


def test_the_cases_of_its_rules_are_torchs_own() -> None:
    rules = targets.load("skeleton").rules
    converted, refused = rules.get("torch.cat"), rules.get("torch.nn.Linear")
    assert converted is not None and refused is not None
    assert converted.cases == cases_of("torch.cat") != ()
    assert cases_of("torch.nn.Linear") and not refused.cases


class Net(torch.nn.Module):
    def __init__(self, last: torch.nn.Module) -> None:
        super().__init__()
        self.first, self.last = torch.nn.Linear(3, 2), last

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.last(self.first(x))


def test_a_graph_is_written_and_runs_in_it() -> None:
    net, x = Net(torch.nn.ReLU()).eval(), torch.randn(4, 3)
    lowered = lower(capture(net, x), target="skeleton")
    assert [line.expression for line in lowered.lines] == [
        "x @ self.first.weight.T + self.first.bias",
        "numpy.maximum(linear, 0)",
    ]
    assert "paddle" not in lowered.source.lower()
    np.testing.assert_allclose(
        lowered.load()(x.numpy()), net(x).detach().numpy(), rtol=1e-6, atol=1e-6
    )
    with pytest.raises(ValueError, match="x is float64"):
        lowered.load()(x.double().numpy())


def test_its_nodes_are_held_against_those_of_torch() -> None:
    net, x = Net(torch.nn.ReLU()).eval(), torch.randn(4, 3)
    found = compare_nodes(lower(capture(net, x), target="skeleton"), x)
    assert found.equal, str(found)
    assert [row.op for row in found.rows] == ["linear", "relu"]


def test_an_operator_that_it_lacks_is_reported_at_its_line() -> None:
    graph = capture(Net(torch.nn.Softplus()), torch.randn(4, 3))
    with pytest.raises(LowerError, match=r"test_skeleton.py:\d+: .* to skeleton: no emitter"):
        lower(graph, target="skeleton", fallback=False)


class Choosing(torch.nn.Module):
    def forward(self, late: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        return torch.cond(late, lambda a: a.relu(), lambda a: a.relu().relu(), (x,))


def test_control_flow_that_it_lacks_is_reported() -> None:
    graph = capture(Choosing(), (torch.tensor(True), torch.randn(4, 3)))
    with pytest.raises(LowerError, match="higher order operator cond has no counterpart"):
        lower(graph, target="skeleton", fallback=False)
