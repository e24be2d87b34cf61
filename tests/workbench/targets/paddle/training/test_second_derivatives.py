"""Gradients of gradients through layers whose own calls in Paddle have none."""

from __future__ import annotations

import pytest

import workbench
from tests.workbench.targets.paddle.both_sides import assert_prints_the_same

HEAD = """import torch
import torch.nn as nn
import torch.nn.functional as F

"""
CONDITIONED = """
class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.kind = nn.Embedding(4, 3{padding})
        self.last = nn.Linear(5, 1)

    def forward(self, x, kinds):
        return self.last(torch.cat([torch.tanh(x), self.kind(kinds) * x[:, :1]], -1))


net = Critic()
for m in net.modules():
    with torch.no_grad():
        if isinstance(m, nn.Embedding):
            m.weight.copy_(torch.linspace(-1, 1, 12).view(4, 3))
        elif isinstance(m, nn.Linear):
            m.weight.copy_(torch.linspace(-1, 1, 5).view(1, 5))
            m.bias.zero_()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
kinds = torch.tensor([1, 2, 0])
for step in range(3):
    x = torch.linspace(0, 1, 6).view(3, 2).requires_grad_()
    (slope,) = torch.autograd.grad(net(x, kinds).sum(), x, create_graph=True)
    loss = ((slope.pow(2).sum(1) - 1) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item(), net.kind.weight.sum().item())
"""


@pytest.mark.parametrize("padding", ["", ", padding_idx=0"])
def test_a_penalty_of_gradients_trains_an_embedding(padding: str) -> None:
    text = HEAD + CONDITIONED.format(padding=padding)
    assert_prints_the_same(text)
    assert not [
        one
        for one in workbench.convert(text).findings
        if "mbedding" in one.message[:30] and "gradients of gradients" in one.message
    ]


def test_a_table_is_differentiated_twice() -> None:
    assert_prints_the_same(
        HEAD
        + """
table = torch.linspace(0, 1, 8).view(4, 2).requires_grad_()
rows = F.embedding(torch.tensor([[0, 2], [2, 3]]), table)
(slope,) = torch.autograd.grad(rows.pow(3).sum(), table, create_graph=True)
slope.pow(2).sum().backward()
print(table.grad.tolist())
"""
    )


def test_an_embedding_is_paddles_own_without_gradients_of_gradients() -> None:
    code = workbench.convert(HEAD + "e = nn.Embedding(4, 3)\n").code
    assert "nn.Embedding(4, 3" in code and "TorchEmbedding" not in code


@pytest.mark.parametrize("dropped", ["self.drop(x)", "F.dropout(x, 0.5, self.training)"])
def test_a_penalty_of_gradients_goes_through_dropout(dropped: str) -> None:
    text = (
        HEAD
        + f"""
class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.drop, self.last = nn.Dropout(0.5), nn.Linear(2, 1)

    def forward(self, x):
        return self.last(torch.tanh({dropped}))


net = Critic()
with torch.no_grad():
    net.last.weight.copy_(torch.tensor([[1.0, -2.0]]))
    net.last.bias.zero_()
x = torch.linspace(0, 1, 6).view(3, 2).requires_grad_()
for training in (False, True):
    net.train(training)
    (slope,) = torch.autograd.grad(net(x).sum(), x, create_graph=True)
    net.zero_grad()
    ((slope.pow(2).sum(1) - 1) ** 2).mean().backward()
    shown = net.last.weight.grad
    print(list(shown.shape) if training else shown.tolist(), type(net.drop).__name__)
"""
    )
    assert_prints_the_same(text)
