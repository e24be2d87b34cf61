"""Third derivatives, as the text shows them."""

from __future__ import annotations

import ast

import pytest

from workbench.source.traits.gathering import traits_of
from workbench.source.traits.program import Program


def order(text: str) -> int:
    return Program(lambda: traits_of(ast.parse(text))).transforms_to_order


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
        "h = torch.autograd.functional.hessian(f, x, create_graph=True)\nh.sum().backward()",
        "jacrev(hessian(f))(x)",
        "h = torch.func.hessian(f)\nprint(torch.func.grad(lambda z: h(z).sum())(x))",
        "for x in xs:\n    loss = (vmap(hessian(u))(x) ** 2).sum()\n    loss.backward()",
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
        "h = torch.autograd.functional.hessian(f, x)\nloss.backward()",
        "g = torch.func.grad(torch.func.grad(f))",
    ],
)
def test_a_gradient_of_a_gradient_is_no_third_derivative(text: str) -> None:
    assert not thrice(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("g = torch.func.grad(f)", 1),
        ("g = grad(f, argnums=1)\nh = jacfwd(g)", 2),
        ("jacfwd(jacrev(f))(x)", 2),
        ("def du(p, x):\n    return grad(u, argnums=1)(p, x)\n"
         "def train():\n    loss = du(p, x) ** 2\n    loss.backward()", 2),
        ("one = vmap(grad(loss_of))(p, x)\nloss.backward()", 1),
        ("g = torch.autograd.grad(y, x)\nh = torch.autograd.grad(g, x)", 0),
        ("def f(p):\n    return grad(f)(p)", 1),
    ],
)  # fmt: skip
def test_transformed_functions_are_counted_through_their_names(text: str, expected: int) -> None:
    assert order(text) == expected
