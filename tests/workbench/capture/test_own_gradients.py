"""Functions that define their own backward pass: in the graph, or reported."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.autograd import Function

from tests.workbench.own_functions import Net, Reversed
from workbench.capture import capture


def test_the_program_has_the_gradients_of_the_model() -> None:
    torch.manual_seed(0)
    model, x = Net(), torch.randn(6, 3)
    graph = capture(model, x)
    assert not graph.warnings
    again = graph.program.module()
    (model(x)[0] ** 2).sum().backward()
    (again(x)[0] ** 2).sum().backward()
    for (name, theirs), ours in zip(model.named_parameters(), again.parameters(), strict=True):
        torch.testing.assert_close(ours.grad, theirs.grad, msg=name)


def test_a_line_of_the_backward_pass_leads_back_to_it() -> None:
    graph = capture(lambda x: Reversed.apply(x, 2.0), torch.randn(3))
    (name,) = (node.name for node in graph if node.op == "subgraph")
    places = {str(n.location.code) for n in graph.subgraphs[name] if n.location is not None}
    assert places == {"return -gradient * ctx.scale, None"}


class _InPlace(Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.mark_dirty(x)
        return x.mul_(2)

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> torch.Tensor:
        return gradient


class _ByValue(Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return x * 2

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> torch.Tensor:
        return gradient if gradient.sum() > 0 else -gradient


def test_a_backward_pass_that_no_graph_holds_is_reported_with_its_line() -> None:
    def function(x: torch.Tensor) -> Any:
        changed = _InPlace.apply(x.clone())
        return changed + _ByValue.apply(x)

    line = function.__code__.co_firstlineno
    warnings = capture(function, torch.randn(3)).warnings
    for name, below in (("_InPlace", 1), ("_ByValue", 2)):
        assert any(
            f"{__file__}:{line + below}: {name} states its own backward pass" in text
            for text in warnings
        )


class _Hooked(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        halved = self.layer(x)
        halved.register_hook(lambda gradient: gradient / 2)
        late = halved.exp()
        used = late * 2
        late.register_hook(torch.neg)
        return halved * used


def test_a_hook_on_the_gradient_of_a_value_is_kept_or_reported() -> None:
    model, x = _Hooked(), torch.randn(2, 3)
    graph = capture(model, x)
    assert [n.op for n in graph.calls].count("own_backward") == 1
    line = _Hooked.forward.__code__.co_firstlineno + 5
    assert any(f"{__file__}:{line}: a hook" in text for text in graph.warnings)

    model.layer.register_full_backward_hook(lambda *_: None)
    model.layer.weight.register_hook(torch.neg)
    warnings = " ".join(capture(model, x).warnings)
    assert "layer has a hook" in warnings and "layer.weight has a hook" in warnings
