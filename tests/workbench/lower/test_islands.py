"""Nodes that the target cannot do run in torch, in few islands, with gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import paddle
import pytest
import torch
from torch import nn

from workbench.capture import capture
from workbench.lower import LowerError, lower


@torch.library.custom_op("torchferry_test::cube", mutates_args=())
def cube(x: torch.Tensor) -> torch.Tensor:
    return x * x * x


@cube.register_fake
def _(x: torch.Tensor) -> torch.Tensor:
    return torch.empty_like(x)


def _setup(ctx: Any, inputs: Any, output: Any) -> None:
    ctx.save_for_backward(*inputs)


def _backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
    (x,) = ctx.saved_tensors
    return 3 * x * x * grad


cube.register_autograd(_backward, setup_context=_setup)


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(3, 3)
        self.second = nn.Linear(3, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        a = cube(self.first(x))
        b = cube(x) + torch.sin(x)
        return cube(self.second(a)) + b  # the last one waits for the first two


def run(net: nn.Module, x: torch.Tensor) -> tuple[Any, Any]:
    lowered = lower(capture(net, x))
    return lowered, lowered.load(share=False)


def test_refused_nodes_share_as_few_islands_as_there_can_be() -> None:
    lowered, _layer = run(Net(), torch.randn(2, 3))
    # Two of the three can run at once; the third needs Paddle's work in between.
    assert [len(island.nodes) for island in lowered.islands] == [2, 1]
    assert {f.op for f in lowered.fallbacks} == {"torchferry_test::cube"}
    assert all("no emitter" in f.reason and f.bytes > 0 for f in lowered.fallbacks)
    assert all(f.location is not None for f in lowered.fallbacks)


def test_islands_compute_and_pass_gradients() -> None:
    net = Net().train()
    x = torch.randn(2, 3, requires_grad=True)
    _, layer = run(net, x)
    ours = paddle.from_dlpack(x.detach().clone())
    ours.stop_gradient = False
    theirs = net(x)
    result = layer(ours)
    torch.testing.assert_close(torch.from_dlpack(result.detach()), theirs)
    theirs.square().sum().backward()
    result.square().sum().backward()
    torch.testing.assert_close(torch.from_dlpack(ours.grad.detach()), x.grad)
    weight = torch.from_dlpack(layer.first.weight.grad.detach())
    torch.testing.assert_close(weight, net.first.weight.grad)


def test_without_fallback_the_node_and_its_line_are_named() -> None:
    graph = capture(Net(), torch.randn(2, 3))
    with pytest.raises(LowerError, match=r"test_islands.py:\d+: torchferry_test::cube"):
        lower(graph, fallback=False)


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    "read",
    [
        lambda x: x[5:15].as_strided([2, 2], [1, 2], 0),
        lambda x: x[5:15].as_strided([4, 4], [1, 3]),
        lambda x: x[::2].as_strided([2, 2], [1, 2]),
    ],
    ids=["before", "behind", "between"],
)
def test_memory_next_to_a_tensor_is_refused(read: Callable[[torch.Tensor], torch.Tensor]) -> None:
    with pytest.raises(LowerError, match="as_strided reads torch's memory outside a tensor"):
        lower(capture(read, torch.randn(20)))


class ChunkedLoss(nn.Module):
    def forward(self, x: torch.Tensor, weight: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        options = nn.LinearCrossEntropyOptions(batch_chunk_size=2)
        return nn.functional.linear_cross_entropy(x, weight, target, options=options)


def test_a_loss_that_prepares_its_gradient_is_refused() -> None:
    inputs = (torch.randn(4, 3), torch.randn(5, 3), torch.arange(4))
    graph = capture(ChunkedLoss(), inputs)
    with pytest.raises(LowerError, match="call linear_cross_entropy without options"):
        lower(graph)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("turn", [[0, 1, 2], [1, 0, 2], [2, 0, 1]])
def test_strides_within_a_tensor_run_in_torch(turn: list[int]) -> None:
    def windows(x: torch.Tensor) -> torch.Tensor:
        return x.permute(turn).as_strided([3, 4], [2, 1])

    x = torch.randn(2, 3, 4)
    found = lower(capture(windows, x)).load()(paddle.from_dlpack(x))
    torch.testing.assert_close(torch.from_dlpack(found.detach()), windows(x))


def test_a_target_that_refuses_everything_leaves_one_island() -> None:
    from workbench.targets.paddle.emitters.lowering import PaddleBackend

    class Refusing(PaddleBackend):
        def unsupported(self, node: torch.fx.Node) -> str | None:
            return "not today"

    net = Net().eval()
    x = torch.randn(2, 3)
    lowered = lower(capture(net, x), backend=Refusing())
    assert len(lowered.islands) == 1
    result = lowered.load()(paddle.from_dlpack(x))
    torch.testing.assert_close(torch.from_dlpack(result.detach()), net(x))
