"""Functions with gradients of the user's own, in plain code."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import workbench
from workbench.targets import load

MINE = '''\
import torch


class Gate(torch.autograd.Function):
    """A gate, with a gradient of its own."""

    @staticmethod
    def forward(ctx, x, slope=2.0):
        ctx.slope = slope
        out = x * torch.sigmoid(x)
        ctx.save_for_backward(x, out)
        return 2 * out

    @staticmethod
    def backward(ctx, grad):
        x, out = ctx.saved_tensors  # both
        return grad * torch.cos(x) * ctx.slope + out, None


gate = Gate.apply
'''

WRITTEN = '''\
import paddle


class Gate(paddle.autograd.PyLayer):
    """A gate, with a gradient of its own."""

    @staticmethod
    def forward(ctx, x, slope=2.0):
        ctx.slope = slope
        out = x * paddle.sigmoid(x)
        ctx.save_for_backward(x, out)
        return 2 * out

    @staticmethod
    def backward(ctx, grad):
        x, out = ctx.saved_tensor()  # both
        return grad * paddle.cos(x) * ctx.slope + out


gate = Gate.apply
'''
INPUT = np.random.default_rng(0).standard_normal((3, 4)).astype("float32")


def test_a_function_of_one_tensor_is_a_layer_of_paddles() -> None:
    assert workbench.convert(MINE).code == WRITTEN


def test_its_values_and_gradients_are_torchs() -> None:
    import paddle
    import torch

    found: list[Any] = []
    for code, lib in ((MINE, torch), (workbench.convert(MINE).code, paddle)):
        space: dict[str, Any] = {}
        exec(code, space)
        x = lib.nn.Parameter(lib.tensor(INPUT))
        result = space["gate"](x * 2, 3.0)
        (result.sum() + x.sum()).backward()
        found.append([result.detach().numpy(), x.grad.numpy()])
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-6)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("ctx.slope = slope\n", "ctx.slope = slope if ctx.needs_input_grad[0] else 0\n"),
        ("return 2 * out", "y = x\n        return y"),
        ("return 2 * out", "return x.contiguous()"),
        ("+ out, None", "+ out, out"),
        ("(ctx, x, slope=2.0)", "(ctx, x, *slope)"),
        ("ctx.save_for_backward(x, out)", "keep(ctx, x, out)"),
        ("gate = Gate.apply", "g = torch.autograd.grad(y, x, create_graph=True)"),
    ],
)
def test_what_is_more_needs_the_helper(old: str, new: str) -> None:
    """A tensor that may come out as it went in; gradients of several; torch's own context."""
    assert "class Gate(TorchFunction):" in workbench.convert(MINE.replace(old, new)).code


REVERSED = """\
import torch


class Reversed(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.scale = scale
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        return grad.neg() * ctx.scale, None
"""


@pytest.mark.parametrize("passed", ["x.view_as(x)", "x"])
def test_an_argument_that_is_returned_may_be_a_leaf(passed: str) -> None:
    import paddle

    code = workbench.convert(REVERSED.replace("x.view_as(x)", passed)).code
    assert "return x.clone()\n" in code and "torchferry" not in code.lower()
    space: dict[str, Any] = {}
    exec(code, space)
    leaf = paddle.to_tensor(INPUT, stop_gradient=False)
    for x in (leaf, leaf * 1):
        result = space["Reversed"].apply(x, 0.5)
        np.testing.assert_array_equal(result.numpy(), INPUT)
        leaf.clear_gradient()
        result.sum().backward()
        np.testing.assert_array_equal(leaf.grad.numpy(), np.full_like(INPUT, -0.5))


@pytest.mark.parametrize("style", ["plain", "exact"])
def test_saved_tensors_have_an_old_name(style: str) -> None:
    text = MINE.replace("saved_tensors", "saved_variables")
    code = workbench.convert(text, target=load("paddle", style)).code
    places: dict[str, Any] = {}
    exec(code, places)
    x = places["paddle"].to_tensor([1.0, 2.0], stop_gradient=False)
    places["gate"](x).sum().backward()
    torchs: dict[str, Any] = {}
    exec(MINE, torchs)
    y = torchs["torch"].tensor([1.0, 2.0], requires_grad=True)
    torchs["gate"](y).sum().backward()
    assert x.grad.numpy() == pytest.approx(y.grad.numpy(), rel=1e-5)
