"""Third derivatives, which some of Paddle's operations lack."""

from __future__ import annotations

import workbench
from tests.workbench.targets.paddle.both_sides import assert_prints_the_same
from workbench.targets import PLAIN, load

HEAD = """import torch
import torch.nn as nn

def derivative(y, x):
    return torch.autograd.grad(y, x, torch.ones_like(y), create_graph=True)[0]

x = torch.linspace(0.1, 1, 7).requires_grad_(True)
scale = torch.tensor([2.0])
"""
REST = """
u_xx = derivative(derivative(u, x), x)
(u_xx ** 2).mean().backward()
print(f"{u_xx.sum().item():.4f} {x.grad.sum().item():.4f}")
"""


def test_a_quotient_is_reported_where_gradients_are_asked_for() -> None:
    text = HEAD + "u = torch.sin(x / scale)\n" + REST
    found = workbench.check(text, target=load("paddle", PLAIN))
    [told] = [one for one in found if "third derivatives raise" in one.message]
    assert told.name == "torch.autograd.grad" and "write `x * y ** -1`" in told.message


def test_the_advice_holds() -> None:
    assert_prints_the_same(HEAD + "u = torch.sin(x * scale ** -1)\n" + REST)


def test_an_operation_without_one_is_reported_at_its_line() -> None:
    text = HEAD + "u = nn.Softplus()(x) + x.clamp(0.2, 0.8)\n" + REST
    found = workbench.check(text, target=load("paddle", PLAIN))
    lacking = {one.name for one in found if "third derivatives through it" in one.message}
    assert lacking == {"torch.nn.Softplus", "torch.Tensor.clamp"}


def test_a_penalty_of_one_gradient_is_not_reported() -> None:
    text = """import torch

def penalty(critic, x):
    score = critic(x).sum() / 2
    return torch.autograd.grad(score, x, create_graph=True)[0].norm()
"""
    found = workbench.check(text, target=load("paddle", PLAIN))
    assert not [one for one in found if "third" in one.message]


def test_a_dot_product_has_a_second_derivative() -> None:
    assert_prints_the_same("""import torch

A = torch.tensor([[2.0, 1.0], [0.5, 3.0]])
p = torch.tensor([0.3, -0.7], requires_grad=True)


def f(p):
    return torch.dot(p, p) * p.sum() + p.dot(A @ p) ** 2


print(torch.autograd.functional.hessian(f, p).tolist())
g = torch.autograd.grad(f(p), p, create_graph=True)[0]
print(torch.autograd.grad(torch.dot(g, A[0]), p)[0].tolist())
""")


def test_a_hessian_that_is_differentiated_is_reported_with_its_operations() -> None:
    text = """import torch
from torch.autograd.functional import hessian

x = torch.tensor([0.3, 0.7], requires_grad=True)
h = hessian(lambda x: torch.sqrt(x).sum() / x[0], x, create_graph=True)
h.sum().backward()
"""
    found = workbench.check(text, target=load("paddle", PLAIN))
    third = {one.name for one in found if "third derivatives" in one.message}
    assert third == {"torch.autograd.functional.hessian", "torch.sqrt"}


def test_a_gradient_of_a_transformed_function_has_the_helpers_of_second_derivatives() -> None:
    assert_prints_the_same("""import torch
import torch.nn.functional as F
from torch.func import grad


def loss(x, y):
    return F.cross_entropy(x, y)


x = torch.tensor([[0.3, 0.7], [1.0, -2.0]])
y = torch.tensor([1, 0])
first = grad(loss)
print(grad(lambda x: (first(x, y) ** 2).sum())(x).tolist())
""")
