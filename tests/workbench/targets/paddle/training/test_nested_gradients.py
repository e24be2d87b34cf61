"""Gradients that hooks and functions with their own gradients take during a backward pass."""

from __future__ import annotations

import pytest

import workbench
from tests.workbench.targets.paddle.both_sides import assert_prints_the_same, converted, printed

HEAD = """import torch


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.detach() ** 3

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        with torch.enable_grad():
            y = x.detach().requires_grad_()
            z = y**3
        return torch.autograd.grad(z, y, grad)[0]


def slope(made, at, grad):
    return torch.autograd.grad(made, at, grad, retain_graph=True)[0]


x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x * 2
at = h.detach().requires_grad_()
made = torch.tanh(at)
"""
LOSSES = {
    "a hook": "h.register_hook(lambda grad: slope(made, at, grad))\nloss = (h * h).sum()\n",
    "a lambda in a hook": "def hook(grad):\n"
    "    grads = map(lambda one: torch.autograd.grad(made, at, one, retain_graph=True), [grad])\n"
    "    return next(grads)[0]\n"
    "h.register_hook(hook)\nloss = (h * h).sum()\n",
    "a function": "loss = Cube.apply(x).sum()\n",
}


@pytest.mark.parametrize("kind", LOSSES)
def test_a_gradient_within_a_backward_pass_is_torchs(kind: str) -> None:
    code = assert_prints_the_same(HEAD + LOSSES[kind] + "loss.backward()\nprint(x.grad.tolist())\n")
    assert "torch_nested_grad(" in code


@pytest.mark.parametrize("kind", LOSSES)
def test_within_another_gradient_it_is_reported_and_raises(kind: str) -> None:
    text = HEAD + LOSSES[kind] + "print(torch.autograd.grad(loss, x)[0].tolist())\n"
    reported = [one for one in workbench.convert(text).findings if "raises an error" in one.message]
    assert {one.name for one in reported} == {"torch.autograd.grad"}
    code = converted(text)
    assert "paddle.grad(loss, x)" in code
    with pytest.raises(OSError, match="no gradient within another one"):
        printed(code)


def test_a_gradient_outside_of_backward_passes_is_paddles_own() -> None:
    text = HEAD.partition("def slope")[0].replace("torch.autograd.grad(z, y, grad)[0]", "grad * y")
    text += "x = torch.ones(2, requires_grad=True)\nprint(torch.autograd.grad(x.sum(), x))\n"
    assert "torch_nested_grad" not in converted(text)
