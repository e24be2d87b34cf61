"""Weights in a plain list or a closure count as the model's, or are reported."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest
import torch
from torch import nn

from workbench.capture import CaptureError, capture, load
from workbench.capture.checks.soundness import replay
from workbench.lower import lower
from workbench.lower.writing.running import owner_of

X = torch.randn(4, 3, generator=torch.Generator().manual_seed(0))


class Listed(nn.Module):
    """Layers in a plain list, their weights in a `ParameterList`; a closure over a layer."""

    def __init__(self) -> None:
        super().__init__()
        layers = [nn.Linear(3, 3), nn.Linear(3, 3)]
        self.blocks = layers
        self.weights = nn.ParameterList(p for layer in layers for p in layer.parameters())
        self.last = nn.Linear(3, 2)
        self.tied = nn.Linear(3, 2)
        self.tied.weight, self.tied.bias = self.last.weight, self.last.bias
        self.detached = [layers[0].weight.data]
        self.end = lambda x: self.last(x @ self.detached[0])

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for block in self.blocks:
            x = block(x).tanh()
        return self.end(x)


def test_a_layer_in_a_plain_list_keeps_its_weights_and_their_gradients() -> None:
    model = Listed()
    graph = capture(model, X)
    assert not graph.warnings
    lowered = lower(graph)
    assert set(model.state_dict()) <= set(lowered.written.parameters)
    layer, move = lowered.load(), lowered.backend.from_torch
    model(X).sum().backward()
    layer(move(X)).sum().backward()
    for name, weight in model.named_parameters():
        owner, attribute = owner_of(layer, lowered.written.parameters[name])
        found = lowered.backend.to_torch(getattr(owner, attribute).grad)
        torch.testing.assert_close(found, weight.grad)


def test_a_captured_program_with_such_weights_is_saved_and_loaded(tmp_path: Path) -> None:
    model = Listed().eval()
    graph = capture(model, X)
    loaded = load(graph.save(tmp_path / "listed.pt2"))
    torch.testing.assert_close(loaded.program.module()(X), model(X))


class Borrowing(nn.Module):
    """Weights of a layer that belongs to nobody, and one that is never read."""

    def __init__(self) -> None:
        super().__init__()
        layer = nn.Linear(3, 3)
        self.unread = nn.Parameter(torch.ones(2))
        self.call = lambda x: layer(x)  # the borrowed layer

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.call(x)


def test_weights_of_no_module_and_unread_weights_are_reported() -> None:
    lines = Path(__file__).read_text().splitlines()
    line = next(n for n, text in enumerate(lines, 1) if text.endswith("# the borrowed layer"))
    borrowed, unread = capture(Borrowing(), X).warnings
    assert borrowed.startswith(f"{__file__}:{line}: 2 of the weights read here are not parameters")
    assert unread == "no operator reads 1 of the parameters (unread)"


class Unregistered(nn.Module):
    """Trained tensors in plain attributes, short and long, some of them computed."""

    def __init__(self, count: int, computed: bool) -> None:
        super().__init__()
        self.fc = nn.Linear(3, count)
        scale = torch.linspace(1, 2, count, requires_grad=True)
        self.held = [scale * 1.0] if computed else {"scale": scale}

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        held = self.held["scale"] if isinstance(self.held, dict) else self.held[0]
        return self.fc(x) * held


@pytest.mark.parametrize(("count", "computed"), [(1, False), (4, True), (4, False), (40, True)])
def test_trained_tensors_that_are_no_parameters_are_constants(count: int, computed: bool) -> None:
    model = Unregistered(count, computed)
    graph = capture(model, X)
    [warning] = graph.warnings
    assert "1 of the weights read here are not parameters" in warning
    assert all(one.agrees for one in replay(graph, model, X))
    lowered = lower(graph)
    found = lowered.load()(lowered.backend.from_torch(X))
    torch.testing.assert_close(lowered.backend.to_torch(found), model(X))


class Masked(nn.Linear):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.weight.data *= 0.5  # behind the back
        return super().forward(x)


def test_a_write_through_data_is_refused_at_its_line_with_what_works() -> None:
    model = Masked(3, 3)
    before = copy.deepcopy(model.state_dict())
    with pytest.raises(CaptureError, match=r"self\.weight \* self\.mask") as caught:
        capture(model, X)
    assert caught.value.location is not None
    assert caught.value.location.code.endswith("# behind the back")
    assert caught.value.code == "TF406"
    assert torch.equal(model.weight, before["weight"])
