"""Third derivatives, as the text shows them."""

from __future__ import annotations

import ast

import pytest

from workbench.source.traits.gathering import traits_of
from workbench.source.traits.program import Program


def thrice(text: str) -> bool:
    return Program(lambda: traits_of(ast.parse(text))).differentiates_thrice


KEPT = "torch.ones_like(u), create_graph=True"


@pytest.mark.parametrize(
    "text",
    [
        f"u_x = grad(u, x, {KEPT})[0]\nu_xx = grad(u_x, x, {KEPT})[0]",
        f"u_x, u_t = torch.autograd.grad(u, [x, t], {KEPT})\ng = grad(u_x.sum(), x, {KEPT})",
        f"def gradient(y, x):\n    return grad(y, x, {KEPT})[0]",
        "class P:\n    def d(self, y, *xs, keep):\n        return grad(y, xs, create_graph=keep)",
        "self.du = grad(outputs=u, inputs=x, create_graph=True)[0]\n"
        "d = grad(outputs=self.du, inputs=x, create_graph=True)",
    ],
)
def test_a_gradient_that_keeps_its_graph_is_differentiated_again(text: str) -> None:
    assert thrice(text)


@pytest.mark.parametrize(
    "text",
    [
        f"u_x = grad(u, x, {KEPT})[0]\nloss = (u_x ** 2).mean()",
        "u_x = grad(u, x, create_graph=True)[0]\ng = grad(u_x.sum(), x, create_graph=False)",
        "def penalty(critic, mixed):\n    score = critic(mixed)\n"
        "    return grad(score, mixed, create_graph=True)[0].norm(2, dim=1)",
        "u_x = grad(u, x)[0]\ng = grad(u_x, x)",
    ],
)
def test_a_gradient_of_a_gradient_is_no_third_derivative(text: str) -> None:
    assert not thrice(text)
