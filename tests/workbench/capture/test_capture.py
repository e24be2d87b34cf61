"""Capture: nodes, facts and the lines that they lead back to."""

from __future__ import annotations

import copy
import inspect
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from workbench.capture import CaptureError, Graph, Kind, capture, load
from workbench.capture.checks.soundness import replay


class Small(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(8, 4)
        self.norm = nn.BatchNorm1d(4)
        self.register_buffer("table", torch.arange(4.0))

    def scaled(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.table  # line of helper

    @torch.no_grad()
    def frozen(self, x: torch.Tensor) -> torch.Tensor:
        return x.sin()  # line under no_grad

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        x = self.norm(self.linear(x))  # line of layers
        x = self.scaled(x) + self.frozen(x)
        with torch.autocast("cpu", torch.bfloat16):
            square = x @ x.T  # line under autocast
        return torch.split(square, 1)


def line_of(comment: str) -> int:
    lines = Path(__file__).read_text().splitlines()
    return next(i for i, line in enumerate(lines, 1) if line.endswith(f"# {comment}"))


@pytest.fixture(scope="module")
def graph() -> Graph:
    torch.manual_seed(0)
    return capture(Small().eval(), (torch.randn(2, 8),))


@pytest.mark.parametrize(
    ("op", "comment"),
    [
        ("linear", "line of layers"),
        ("mul.Tensor", "line of helper"),
        ("sin", "line under no_grad"),
        ("matmul", "line under autocast"),
        ("_to_copy", "line under autocast"),
    ],
)
def test_every_node_leads_back_to_its_line(graph: Graph, op: str, comment: str) -> None:
    node = next(node for node in graph if node.op == op)
    assert node.location is not None
    assert node.location.file == __file__
    assert node.location.line == line_of(comment)
    assert comment.split()[-1] in inspect.getsource(Small)


def test_the_stack_shows_how_a_helper_was_reached(graph: Graph) -> None:
    node = next(node for node in graph if node.op == "mul.Tensor")
    assert [place.function for place in node.stack] == ["forward", "scaled"]


def test_facts_of_a_node(graph: Graph) -> None:
    node = graph.node("linear")
    assert (node.module, node.module_type) == ("linear", "torch.nn.modules.linear.Linear")
    assert (node.shape, node.dtype) == ((2, 4), "float32")
    assert node.flops == 2 * 2 * 8 * 4
    assert node.bytes == 4 * (2 * 8 + 8 * 4 + 4 + 2 * 4)
    assert node.arguments["weight"] == ("p_linear_weight",)


def test_weights_keep_their_qualified_names(graph: Graph) -> None:
    kinds = {node.target: node.kind for node in graph if node.target}
    assert kinds["linear.weight"] is Kind.PARAMETER
    assert kinds["norm.running_mean"] is Kind.BUFFER
    assert kinds["table"] is Kind.BUFFER


def test_gradient_is_known_to_stop_under_no_grad(graph: Graph) -> None:
    grads = {node.op: node.grad for node in graph.calls}
    assert grads["sin"] is False
    assert grads["mul.Tensor"] is True


def test_node_names_are_unique_and_inputs_known(graph: Graph) -> None:
    names = [node.name for node in graph]
    assert len(set(names)) == len(names)
    assert all(name in names for node in graph for name in node.inputs)
    assert graph.inputs == ("x",)
    assert len(graph.outputs) == 2


def test_a_line_finds_its_nodes(graph: Graph) -> None:
    found = graph.at(__file__, line_of("line of layers"))
    assert {"linear"} <= {node.op for node in found}
    assert not any(node.op == "sin" for node in found)


def test_saved_and_loaded_it_keeps_provenance(graph: Graph, tmp_path: Path) -> None:
    again = load(graph.save(tmp_path / "small.pt2"))
    mm = next(node for node in again if node.op == "matmul")
    assert mm.location is not None
    assert mm.location.line == line_of("line under autocast")
    x = torch.randn(2, 8)
    for ours, theirs in zip(again.program.module()(x), graph.program.module()(x), strict=True):
        torch.testing.assert_close(ours, theirs)


def test_a_truncated_file_is_refused_with_a_next_step(graph: Graph, tmp_path: Path) -> None:
    path = graph.save(tmp_path / "small.pt2")
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(CaptureError, match="truncated"):
        load(path)
    with pytest.raises(CaptureError, match="no such file"):
        load(tmp_path / "absent.pt2")


def test_a_function_keeps_its_argument_names_and_its_modules() -> None:
    layer = nn.Linear(3, 3)

    def head(features: torch.Tensor, *, scale: torch.Tensor) -> torch.Tensor:
        return layer(features) * scale

    graph = capture(head, torch.ones(2, 3), {"scale": torch.ones(3)})
    assert graph.inputs == ("features", "scale")
    assert {node.target for node in graph if node.kind is Kind.PARAMETER} == {
        "layer.weight",
        "layer.bias",
    }


def test_weights_may_be_called_as_operators_are() -> None:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("mean", torch.ones(3))
            self.linear = nn.Parameter(torch.randn(2, 3))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return nn.functional.linear(x.mean(0) - self.mean, self.linear)

    net, x = Net(), torch.randn(4, 3)
    graph = capture(net, x)
    torch.testing.assert_close(graph.program.module()(x), net(x))
    assert [node.location for node in graph.nodes if node.op.endswith("mean.dim")] != [None]


def test_the_same_tensor_twice_stays_two_inputs() -> None:
    x = torch.ones(3)
    graph = capture(lambda a, b: a - 2 * b, (x, x))
    result = graph.program.module()(torch.full((3,), 5.0), torch.full((3,), 1.0))
    torch.testing.assert_close(result, torch.full((3,), 3.0))


def test_dynamic_dimensions_keep_the_names_given() -> None:
    batch = torch.export.Dim("batch", min=1, max=64)
    graph = capture(nn.Linear(3, 2), torch.ones(4, 3), dynamic_shapes={"input": {0: batch}})
    assert graph.node("linear").shape == ("batch", 2)
    assert graph.node("linear").flops == 2 * 4 * 3 * 2


def test_a_recurrent_layer_costs_its_matrices_at_each_time(recwarn: Any) -> None:
    graph = capture(nn.LSTM(3, 4), torch.ones(5, 2, 3))
    [layer] = [node for node in graph.nodes if node.op.startswith("lstm")]
    assert layer.flops == 2 * 5 * 2 * (16 * 3 + 16 * 4)
    assert not recwarn.list, "torch's own bookkeeping is no matter of the user's"


def test_capture_leaves_the_model_as_it_was() -> None:
    model = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2)).train()
    model[0].eval()
    before = {name: value.clone() for name, value in model.state_dict().items()}
    capture(lambda x: model(x), torch.randn(4, 2))
    assert model.training
    assert not model[0].training
    for name, value in model.state_dict().items():
        torch.testing.assert_close(value, before[name], rtol=0, atol=0)


def decides(x: torch.Tensor) -> torch.Tensor:
    if x.sum() > 0:  # the choice
        return x
    return -x


def leaves(x: torch.Tensor) -> torch.Tensor:
    return torch.from_numpy(x.numpy() * 2)  # out of torch


def mismatched(x: torch.Tensor) -> torch.Tensor:
    return x @ x  # wrong shapes


@pytest.mark.parametrize(
    ("function", "code", "comment"),
    [
        (decides, "TF401", "the choice"),
        (leaves, "TF404", "out of torch"),
        (mismatched, "TF415", "wrong shapes"),
    ],
)
def test_failures_are_explained_at_the_users_line(
    function: object, code: str, comment: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(CaptureError) as caught:
        capture(function, torch.ones(2, 3), assume=False)  # type: ignore[arg-type]
    error = caught.value
    assert error.code == code
    assert error.location is not None
    assert (error.location.file, error.location.line) == (__file__, line_of(comment))
    assert "Next step:" in str(error)
    assert capfd.readouterr().err == ""


def stubborn(x: torch.Tensor, causal_mask: torch.Tensor | None = None) -> torch.Tensor:
    if causal_mask is None and torch.compiler.is_exporting():
        raise RuntimeError("not here")
    return x


def raises(x: torch.Tensor) -> torch.Tensor:
    raise RuntimeError("nowhere")


@pytest.mark.parametrize(
    ("function", "step"),
    [
        (stubborn, "the model itself runs, .* or pass `causal_mask`"),
        (raises, "fix the error that it raises"),
    ],
)
def test_the_next_step_depends_on_whether_the_model_runs(function: object, step: str) -> None:
    with pytest.raises(CaptureError, match=step):
        capture(function, torch.ones(2), assume=False)  # type: ignore[arg-type]


def test_objects_that_are_not_models_are_refused() -> None:
    with pytest.raises(CaptureError, match="is not a model"):
        capture(3, torch.ones(1))  # type: ignore[arg-type]
    with pytest.raises(CaptureError, match="TorchScript"):
        capture(torch.jit.script(nn.ReLU()), torch.ones(1))


class Cache:
    """An object that some libraries return with their outputs, and torch.export refuses."""

    def __init__(self, keys: torch.Tensor) -> None:
        self.layers = [{"keys": keys, "seen": 3}]
        self.name = "cache"


class Cached(nn.Module):
    def forward(self, x: torch.Tensor) -> Any:
        return {"out": x + 1, "cache": Cache(x * 2)}


def test_an_object_among_the_outputs_becomes_its_tensors() -> None:
    x = torch.randn(3)
    model = Cached()
    graph = capture(model, x)
    found = graph.program.module()(x)
    assert set(found) == {"out", "cache"}
    torch.testing.assert_close(found["cache"]["layers"][0]["keys"], x * 2)
    assert "an output is a Cache" in graph.warnings[0]
    assert graph.calls[1].location is not None
    assert "x * 2" in graph.calls[1].location.code
    assert all(replayed.agrees for replayed in replay(graph, model, (x,)))
    assert "forward" not in vars(model)


class _Running(nn.Module):
    """Statistics that are other tensors after each call."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros(3))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        before = self.mean
        self.mean = 0.9 * self.mean + 0.1 * x.mean(0)
        return x - self.mean + before


class _Twice(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.running = _Running()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.running(self.running(x))


def test_a_buffer_that_is_assigned_again_advances() -> None:
    x, model = torch.randn(4, 3), _Twice().train()
    again = capture(copy.deepcopy(model), x).program.module()
    torch.testing.assert_close(again(x), model(x))
    torch.testing.assert_close(again.running.mean, model.running.mean)


def test_a_size_is_computed_from_written_numbers() -> None:
    def flattened(x: torch.Tensor) -> torch.Tensor:
        return x.reshape(-1, int(torch.prod(torch.tensor(x.shape[1:])).item()))

    graph = capture(flattened, torch.ones(2, 3, 4))
    assert [node.op for node in graph.calls] == ["view"]
