"""Dicts of layers and parameters, whose names keep their order."""

from __future__ import annotations

import pytest

from tests.workbench.targets.jax.source import HEAD, assert_same, refused
from workbench.convert.conversion import convert

pytestmark = pytest.mark.usefixtures("narrow")
NET = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.heads = nn.ModuleDict({"z": nn.Linear(2, 1), "b": nn.Linear(2, 2)})
        self.scales = nn.ParameterDict({k: nn.Parameter(torch.ones(2)) for k in self.heads})

    def forward(self, x):
        return {k: head(x).sum() * self.scales[k].sum() for k, head in self.heads.items()}

net = Net()
with torch.no_grad():
    for p in net.parameters():
        p.copy_(torch.linspace(-0.5, 0.6, p.numel()).reshape(p.shape))
optimizer = optim.SGD(net.parameters(), lr=0.1)
for step in range(2):
    optimizer.zero_grad()
    found = net(torch.ones(3, 2))
    loss = found["z"] + found["b"] ** 2
    loss.backward()
    optimizer.step()
"""


@pytest.mark.parametrize(
    "text",
    [
        "print(*[n for n, p in net.named_parameters()])",
        "print(*[k for k in net.heads], *net.scales.keys(), len(net.heads))",
        "for k, head in net.heads.items():\n    print(k, head.weight.sum().item())",
        "print(*[(k, v.sum().item()) for k, v in net.scales.items()])",
        "print(*[v.abs().sum().item() for v in net.scales.values()])",
    ],
)
def test_dicts_of_layers_keep_their_order(text: str) -> None:
    assert_same(f"{NET}{text}\n")


def test_keys_of_what_a_loss_returns_are_reported() -> None:
    findings = convert(HEAD + NET + "print(*found.keys())\n", target="jax").findings
    assert any("sorts the keys" in one.message for one in findings)


def test_a_dict_of_parameters_of_unknown_kind_is_refused() -> None:
    text = "def make(given):\n    return nn.ParameterDict(given)\n"
    assert any("torch sorts the names" in one for one in refused(text))


def test_a_recurrent_layer_as_a_value_is_refused() -> None:
    text = 'kinds = {"gru": nn.GRU, "lstm": nn.LSTM}\nprint(kinds["gru"](2, 3).hidden_size)\n'
    assert any("kind of layer first" in one for one in refused(text))
