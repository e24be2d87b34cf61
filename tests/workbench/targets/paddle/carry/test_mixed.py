"""Layers of Paddle in programs of torch: values, gradients, parameters and states."""

from __future__ import annotations

import copy
import types
from typing import Any

import paddle
import pytest
import torch

from torchferry.mixed import in_torch


class Block(paddle.nn.Layer):
    """A layer, its norm, and a mask that is no parameter."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.width = width
        self.fc = paddle.nn.Linear(width, width + 1)
        self.norm = paddle.nn.BatchNorm1D(width + 1)
        self.register_buffer("scale", paddle.full([1], 2.0))

    def forward(self, x: Any) -> Any:
        return self.norm(self.fc(x)) * self.scale

    def halved(self, x: Any) -> dict[str, Any]:
        return {"half": self.fc(x) / 2, "count": x.shape[0]}


class Plain(torch.nn.Module):
    """The same in torch."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.fc = torch.nn.Linear(width, width + 1)
        self.norm = torch.nn.BatchNorm1d(width + 1)
        self.register_buffer("scale", torch.full((1,), 2.0))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        result: torch.Tensor = self.norm(self.fc(x)) * self.scale
        return result


def doubled(x: Any) -> Any:
    return paddle.add(x, x)


def pair() -> tuple[Any, Plain]:
    """Return a bridged layer with the weights of a module."""
    plain, mixed = Plain(3), in_torch(Block)(3)
    missing = mixed.load_state_dict(plain.state_dict(), strict=False)
    assert missing.unexpected_keys == ["norm.num_batches_tracked"] and not missing.missing_keys
    return mixed, plain


def test_a_layer_computes_and_trains_as_torch_does() -> None:
    mixed, plain = pair()
    head, same = torch.nn.Linear(4, 1), torch.nn.Linear(4, 1)
    same.load_state_dict(head.state_dict())
    first = torch.optim.SGD([*mixed.parameters(), *head.parameters()], lr=0.05, momentum=0.9)
    second = torch.optim.SGD([*plain.parameters(), *same.parameters()], lr=0.05, momentum=0.9)
    for step in range(4):
        x = torch.sin(torch.arange(15.0) * (step + 1)).reshape(5, 3)
        losses = []
        for one, other, optimizer in ((mixed, head, first), (plain, same, second)):
            optimizer.zero_grad()
            loss = other(one(x)).square().mean()
            loss.backward()
            torch.nn.utils.clip_grad_norm_([*one.parameters(), *other.parameters()], 1.0)
            optimizer.step()
            losses.append(loss.item())
        assert losses[0] == pytest.approx(losses[1], rel=1e-5)
    ours, theirs = mixed.state_dict(), plain.state_dict()
    assert torch.allclose(ours["fc.weight"], theirs["fc.weight"], atol=1e-5)
    assert torch.allclose(ours["norm.running_mean"], theirs["norm.running_mean"], atol=1e-5)
    mixed.eval()
    plain.eval()
    assert not mixed._layer.norm.training


def test_gradients_reach_what_is_before_the_border() -> None:
    mixed, plain = pair()
    mixed.eval(), plain.eval()
    x = torch.randn(5, 3, requires_grad=True)
    y = x.detach().clone().requires_grad_()
    mixed(x * 2).sum().backward()
    plain(y * 2).sum().backward()
    assert torch.allclose(x.grad, y.grad, atol=1e-5)  # type: ignore[arg-type]


def test_frozen_parameters_and_evaluation_record_nothing() -> None:
    mixed, _ = pair()
    mixed.requires_grad_(False)
    assert not mixed(torch.ones(2, 3)).requires_grad
    mixed.fc.weight.requires_grad_()
    mixed(torch.randn(4, 3)).sum().backward()
    assert mixed.fc.weight.grad is not None and mixed.fc.bias.grad is None
    with torch.no_grad():
        assert not mixed(torch.ones(2, 3)).requires_grad


def test_members_of_a_layer_are_used_from_torch() -> None:
    mixed, plain = pair()
    x = torch.randn(4, 3)
    assert mixed.width == 3 and type(mixed.fc).__name__ == "Linear"
    assert mixed.fc.weight.shape == (4, 3)
    assert torch.allclose(mixed.fc(x), plain.fc(x), atol=1e-5)
    found = mixed.halved(x)
    assert found["count"] == 4 and torch.allclose(found["half"], plain.fc(x) / 2, atol=1e-5)
    assert in_torch(mixed._layer) is mixed and isinstance(mixed, in_torch(Block))


def test_a_parameter_that_torch_replaces_is_the_layers() -> None:
    mixed, plain = pair()
    mixed.fc.weight = torch.nn.Parameter(plain.fc.weight.detach() * 3)
    mixed.fc.bias.data = plain.fc.bias.detach() * 3
    x = torch.randn(4, 3)
    assert torch.allclose(mixed.fc(x), plain.fc(x) * 3, atol=1e-5)
    with pytest.raises(TypeError, match=r"torch\.float64"):
        mixed.double()(x)


def test_a_copy_has_weights_of_its_own() -> None:
    mixed, plain = pair()
    copied = copy.deepcopy(mixed)
    with torch.no_grad():
        copied.fc.weight.zero_()
    assert torch.equal(mixed.fc.weight, plain.fc.weight)
    assert copied(torch.randn(2, 3)).shape == (2, 4)


def test_functions_modules_and_collections() -> None:
    x = torch.ones(2, requires_grad=True)
    in_torch(doubled)(x).sum().backward()
    assert x.grad is not None and x.grad.tolist() == [2, 2]
    module = types.ModuleType("layers")
    module.__dict__.update(Block=Block, limit=3, doubled=doubled, kinds={"block": Block})
    there = in_torch(module)
    assert there.limit == 3 and issubclass(there.Block, torch.nn.Module)
    assert issubclass(there.kinds["block"], torch.nn.Module)
    assert in_torch(torch.nn.Linear) is torch.nn.Linear and in_torch(pair) is not doubled


def test_a_data_set_gives_tensors_of_torch() -> None:
    class Data(paddle.io.Dataset[Any]):
        def __init__(self, size: int) -> None:
            super().__init__()
            self.size = size

        def __getitem__(self, index: int) -> Any:
            return paddle.full([2], float(index)), index

        def __len__(self) -> int:
            return self.size

    loader = torch.utils.data.DataLoader(in_torch(Data)(4), batch_size=2)
    values, labels = next(iter(loader))
    assert values.tolist() == [[0, 0], [1, 1]] and labels.tolist() == [0, 1]


def test_what_cannot_cross_is_refused() -> None:
    kind = in_torch(Block)
    with pytest.raises(TypeError, match="port the file that defines it first"):
        kind(torch.nn.ReLU())
    with pytest.raises(TypeError, match="replaces its halved"):
        type("Other", (kind,), {"halved": lambda self, x: x})

    def make(layer: Any) -> Any:
        return paddle.optimizer.SGD(parameters=layer.parameters())

    with pytest.raises(TypeError, match="make the optimizer"):
        in_torch(make)(kind(3))
    with pytest.warns(UserWarning, match="Block is ported"):
        kind(3).apply(lambda module: None)


def test_a_class_of_torch_extends_a_ported_one() -> None:
    class Net(in_torch(Block)):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__(3)
            self.head = torch.nn.Linear(4, 2)

        def forward(self, x: torch.Tensor) -> Any:
            return self.head(super().forward(x))

    net = Net()
    net(torch.randn(5, 3)).sum().backward()
    assert all(one.grad is not None for one in net.parameters())
