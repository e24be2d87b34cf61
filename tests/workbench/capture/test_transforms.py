"""Graphs of gradients, of mapped functions and of whole training steps, in torch and lowered."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import paddle
import pytest
import torch
from torch import nn
from torch.func import grad, jvp, vmap

from workbench.capture import CaptureError, Graph, capture
from workbench.capture.transforms import capture_training_step, capture_transformed
from workbench.lower import lower

paddle.disable_signal_handler()


def loss(x: torch.Tensor) -> torch.Tensor:
    y = x.sin()  # forward
    return (y**2).sum()


def lowered(graph: Graph, *inputs: torch.Tensor) -> list[torch.Tensor]:
    found = lower(graph)
    assert not found.fallbacks, found.fallbacks
    result: Any = found.load()(*(paddle.from_dlpack(x.detach().clone()) for x in inputs))
    results = result if isinstance(result, (tuple, list)) else [result]
    return [torch.from_dlpack(r.detach()) for r in results]


@pytest.mark.parametrize(
    ("function", "shape"),
    [
        (grad(loss), (4,)),
        (vmap(grad(loss)), (3, 4)),
        (vmap(loss), (3, 4)),
        (grad(grad(torch.sin)), ()),
    ],
)
def test_transformed_functions(function: Any, shape: tuple[int, ...]) -> None:
    x = torch.randn(shape)
    graph = capture_transformed(function, torch.randn(shape))
    torch.testing.assert_close(graph.program.module()(x), function(x))
    torch.testing.assert_close(lowered(graph, x)[0], function(x))


def test_directional_derivatives_keep_their_inputs_apart() -> None:
    def derivative(x: torch.Tensor, v: torch.Tensor) -> Any:
        return jvp(loss, (x,), (v,))

    x = torch.randn(4)
    graph = capture(derivative, (x, x))
    for point, direction in ((torch.randn(4), torch.randn(4)),):
        for ours, theirs in zip(
            lowered(graph, point, direction), derivative(point, direction), strict=True
        ):
            torch.testing.assert_close(ours, theirs)


def test_forward_nodes_of_a_gradient_lead_back() -> None:
    graph = capture_transformed(grad(loss), torch.randn(4))
    place = graph.node("sin").location
    assert place is not None
    assert Path(place.file).read_text().splitlines()[place.line - 1].endswith("# forward")


def test_a_training_step_yields_the_gradients_of_backward() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.ReLU(), nn.Linear(4, 2)).train()
    model[0].bias.requires_grad_(False)
    x, y = torch.randn(5, 3), torch.tensor([0, 1, 0, 1, 1])
    graph = capture_training_step(model, nn.functional.cross_entropy, x, y)
    trained = {n: p for n, p in model.named_parameters() if p.requires_grad}
    held = [p for p in model.parameters() if not p.requires_grad]
    inputs = [*trained.values(), *held, *model.buffers(), x, y]
    found = lowered(graph, *[t.detach().clone() for t in inputs])
    value = nn.functional.cross_entropy(model(x), y)
    value.backward()
    torch.testing.assert_close(found[0], value.detach())
    for name, ours in zip(trained, found[1:], strict=True):
        torch.testing.assert_close(
            ours, trained[name].grad, rtol=1e-4, atol=1e-6, msg=lambda m, n=name: f"{n}: {m}"
        )


def test_a_model_that_cannot_be_traced_is_explained() -> None:
    def decides(x: torch.Tensor) -> torch.Tensor:
        return x.sum() if x.sum() > 0 else x.sum() * 2

    with pytest.raises(CaptureError) as caught:
        capture_transformed(grad(decides), torch.ones(3))
    assert caught.value.location is not None
    assert caught.value.location.file == __file__


def test_the_backward_pass_leads_back_to_the_lines_of_the_forward_pass() -> None:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.second = nn.Linear(4, 3), nn.Linear(3, 2)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            x = self.first(x)
            x = torch.tanh(x)  # squashed
            return self.second(x)

    x, y = torch.randn(5, 4), torch.randn(5, 2)
    graph = capture_training_step(Net(), nn.functional.mse_loss, x, y)
    backward = next(node for node in graph.calls if node.op == "tanh_backward")
    assert backward.location is not None
    assert backward.location.file == __file__
    assert backward.location.code.endswith("# squashed")
    places = {node.location.line for node in graph.calls if node.op == "mm" and node.location}
    assert places == {backward.location.line - 1, backward.location.line + 1}


class Force(nn.Module):
    """A model whose forward differentiates an inner network."""

    def __init__(self) -> None:
        super().__init__()
        self.net = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))

    def forward(self, places: torch.Tensor) -> torch.Tensor:
        return -grad(lambda x: self.net(x).sum())(places)


class Field(Force):
    """The same by torch's tape, with the energy next to it, for as many parts as a tensor says."""

    def forward(self, places: torch.Tensor, parts: Any = 1) -> Any:
        places = places.detach().requires_grad_()
        parts = parts.max().item() if isinstance(parts, torch.Tensor) else parts
        energy = self.net(places).sum() * parts
        return energy, -torch.autograd.grad(energy, places, create_graph=True)[0]


def test_a_model_with_a_backward_pass_inside_is_captured() -> None:
    model, places = Field().eval(), torch.randn(4, 3)
    graph = capture(model, places)
    for found, wanted in zip(lowered(graph, places), model(places), strict=True):
        torch.testing.assert_close(found, wanted.detach())
    with pytest.raises(
        CaptureError, match=r"test_transforms\.py:\d+: a tensor is converted to a Python"
    ):
        capture(model, (places, torch.tensor([2])))


def test_a_model_that_differentiates_inside_is_captured_with_its_weights() -> None:
    model, places = Force().eval(), torch.randn(4, 3)
    graph = capture(model, places)
    assert graph.inputs == ("places",)
    specs = graph.program.graph_signature.input_specs
    weights = {spec.target for spec in specs if spec.target}
    assert weights == set(model.state_dict())
    [found] = lowered(graph, places)
    torch.testing.assert_close(found, model(places).detach())
    lines = {node.location.line for node in graph.calls if node.location}
    assert lines == {inspect.getsourcelines(Force.forward)[1] + 1}
