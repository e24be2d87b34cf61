"""Which calls of a notebook can be traced, found without calling anything of the user's."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from jupyter_ext.panel.models import candidates
from jupyter_ext.panel.trace import parts


@pytest.fixture
def names() -> dict[str, object]:
    return {
        "torch": torch,
        "net": nn.Sequential(nn.Linear(4, 3), nn.ReLU()),
        "loss": nn.CrossEntropyLoss(),
        "x": torch.ones(2, 4),
        "y": torch.zeros(2, dtype=torch.long),
        "batches": iter([1, 2]),
    }


def texts(source: str, names: dict[str, object], *others: str) -> list[str]:
    return [call.text for call in candidates(source, list(others), names)]


def test_a_network_is_listed_before_its_loss(names: dict[str, object]) -> None:
    assert texts("loss(net(x), y)\nout = net(x)\nloss(out, y)", {**names, "out": 1}) == [
        "net(x)",
        "loss(out, y)",
    ]


def test_the_same_call_is_offered_once(names: dict[str, object]) -> None:
    assert texts("net(x)\nnet(x)", names) == ["net(x)"]


@pytest.mark.parametrize(
    "argument",
    ["x[:1]", "x.float()", "torch.randn(2, 4)", "(x)", "x * 2", "x.view(-1, 4).to('cpu')"],
)
def test_arguments_that_can_be_evaluated_again(argument: str, names: dict[str, object]) -> None:
    assert len(texts(f"net({argument})", names)) == 1


@pytest.mark.parametrize("argument", ["next(batches)", "x.add_(1)", "load()", "x.pop()"])
def test_arguments_that_would_change_something_are_not(
    argument: str, names: dict[str, object]
) -> None:
    # The model is known all the same: its first layer says what it takes.
    assert texts(f"net({argument})", names) == ["net(torch.randn(2, 4))"]


def test_a_model_that_is_made_here_and_called_elsewhere(names: dict[str, object]) -> None:
    (call,) = candidates("net = build()", ["a = 1", "net(x)"], names)
    assert (call.text, call.line, call.note) == ("net(x)", None, "called in another cell")


def test_names_inside_functions_mean_something_else(names: dict[str, object]) -> None:
    assert texts("def step(net, x):\n    return net(x)", names) == []


def test_magics_and_half_typed_cells(names: dict[str, object]) -> None:
    assert texts("%time\nnet(x)", names) == ["net(x)"]
    assert texts("%%convert --to paddle\nnet(x)", names) == ["net(x)"]
    assert texts("%%bash\nnet(x)", names) == []
    assert texts("net(x", names) == []


def test_attributes_are_read_and_not_called(names: dict[str, object]) -> None:
    class Holder:
        def __init__(self) -> None:
            self.model = names["net"]

        @property
        def trap(self) -> object:
            raise AssertionError("a property was run")

    assert texts("h.model(x)\nh.trap(x)", {**names, "h": Holder()}) == ["h.model(x)"]


def test_random_inputs_leave_the_stream_alone(names: dict[str, object]) -> None:
    torch.manual_seed(0)
    expected = torch.rand(3)
    torch.manual_seed(0)
    model, args, kwargs = parts("net(torch.randn(2, 4))", names)
    assert model is names["net"]
    assert [each.shape for each in args] == [(2, 4)]
    assert kwargs == {}
    assert torch.equal(torch.rand(3), expected)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("net", "is not a call"),
        ("net(x", "is not Python"),
        ("net(missing)", "name 'missing' is not defined. Run the cell first"),
    ],
)
def test_faults_of_a_call(text: str, says: str, names: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=says):
        parts(text, names)
