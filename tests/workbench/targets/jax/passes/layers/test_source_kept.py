"""Attributes of layers that hold tensors later, and models whose members a step sets."""

from __future__ import annotations

import pytest

from tests.workbench.targets.jax.source import assert_same

pytestmark = pytest.mark.usefixtures("narrow")


def test_attributes_that_hold_tensors_later_are_data() -> None:
    code = assert_same("""
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 2)
        self.last = None
        self.total = 0.0
        self.seen = []
        self._cached = (0, None)
        self.count = 0

    def forward(self, x):
        if x.shape[0] > self._cached[0]:
            self._cached = (x.shape[0], torch.cos(x))
        y = self.fc(x * self._cached[1])
        self.last = y.detach()
        self.total = y.mean() * 0.1
        self.seen.append(y.sum())
        self.count += 1
        return y

net = Net()
with torch.no_grad():
    net.fc.weight.copy_(torch.arange(6.0).reshape(2, 3) / 5)
    net.fc.bias.zero_()
optimizer = optim.SGD(net.parameters(), lr=0.1)
x = torch.tensor([[1.0, 2.0, 3.0], [0.0, 1.0, -1.0]])
for i in range(3):
    net.seen = []
    loss = (net(x) ** 2).mean() + net.total
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item(), net.last.sum().item(), len(net.seen), net.count, net._cached[0])
""")
    assert "self.last = nnx.data(None)" in code
    assert "self.count = 0" in code


def test_a_state_that_a_method_returns_as_a_tuple_is_kept() -> None:
    code = assert_same("""
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.lstm = nn.LSTM(2, 3)
            self.hidden = self.init_hidden()

        def init_hidden(self):
            return (torch.zeros(1, 1, 3), torch.zeros(1, 1, 3))

        def forward(self, x):
            out, self.hidden = self.lstm(x, self.hidden)
            return out

    net = Net()
    net.hidden = net.init_hidden()
    print(net(torch.ones(2, 1, 2)).shape, len(net.hidden))
    """)
    assert "self.hidden = nnx.data(self.init_hidden())" in code


def test_a_pair_that_a_method_returns_by_name_is_kept() -> None:
    assert_same(
        """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.hidden = self.begin()

            def begin(self):
                found = (torch.zeros(2), torch.ones(2))
                return found

            def forward(self, x):
                self.hidden = (self.hidden[1], self.hidden[0] + x)
                return self.hidden[0].sum() + self.hidden[1].sum()

        net = Net()
        print(net(1.0).item(), net(2.0).item())
        """
    )
