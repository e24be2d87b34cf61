"""A linear layer and an embedding that share their weight, in both directions."""

from __future__ import annotations

import pytest

from tests.workbench.targets.jax.source import assert_same, refused

pytestmark = pytest.mark.usefixtures("narrow")
_MODEL = """
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        {made}
        {tied}

    def forward(self, ids):
        return self.head(torch.tanh({called}(ids)))

model = Model()
"""
_TRAINED = """
print([name for name, _ in model.named_parameters()], sorted(model.state_dict()))
with torch.no_grad():
    for k, p in enumerate(model.parameters()):
        p.copy_(torch.tensor(np.cos(np.arange(p.numel()) * 0.3 + k)).reshape(p.shape))
ids = torch.tensor([[0, 1, 2], [3, 6, 5]])
optimizer = optim.Adam(model.parameters(), lr=0.05)
for _ in range(3):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(ids).reshape(-1, 7), ids.reshape(-1))
    loss.backward()
    optimizer.step()
    print(loss.item())
state = {k: v.clone() for k, v in model.state_dict().items()}
print(model.load_state_dict(state))
print(model.head.weight.shape, model.head.weight.norm().item())
"""


@pytest.mark.parametrize(
    ("made", "tied", "called"),
    [
        (
            "self.tok = nn.Embedding(7, 4)\n        self.head = nn.Linear(4, 7)",
            "self.head.weight = self.tok.weight",
            "self.tok",
        ),
        (
            "self.tok = nn.Embedding(7, 4)\n        self.head = nn.Linear(4, 7, bias=False)",
            "self.head.weight = self.tok.weight",
            "self.tok",
        ),
        (
            "self.tok = nn.Embedding(7, 4, padding_idx=0)\n        self.head = nn.Linear(4, 7)",
            "self.head.weight = self.tok.weight",
            "self.tok",
        ),
        (
            "self.parts = nn.ModuleDict(dict(tok=nn.Embedding(7, 4)))\n"
            "        self.head = nn.Linear(4, 7)",
            "self.parts.tok.weight = self.head.weight",
            "self.parts.tok",
        ),
    ],
)
def test_both_layers_train_one_weight(made: str, tied: str, called: str) -> None:
    assert_same(_MODEL.format(made=made, tied=tied, called=called) + _TRAINED)


def test_that_two_layers_share_is_asked_for() -> None:
    code = assert_same(
        _MODEL.format(
            made="self.tok = nn.Embedding(7, 4)\n        self.head = nn.Linear(4, 7)",
            tied="self.head.weight = self.tok.weight",
            called="self.tok",
        )
        + "print(model.head.weight is model.tok.weight, model.head.bias is None)\n"
    )
    assert "self.head.kernel = TorchTied(self.tok.embedding)" in code


def test_layers_share_a_weight_next_to_a_class_with_a_weight_of_its_own() -> None:
    norm = (
        "class Norm(nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.weight = nn.Parameter(torch.ones(4))\n"
        "    def forward(self, x):\n"
        "        return x * self.weight\n"
    )
    model = (
        _MODEL.format(
            made="self.tok = nn.Embedding(7, 4)\n        self.norm = Norm()\n"
            "        self.head = nn.Linear(4, 7, bias=False)",
            tied="self.tok.weight = self.head.weight",
            called="self.tok",
        )
        .replace("self.head(torch", "self.head(self.norm(torch")
        .replace("(ids)))", "(ids))))")
    )
    assert_same(norm + model + _TRAINED)


def test_a_weight_that_an_unknown_layer_shares_is_refused() -> None:
    text = """
    class Norm(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(torch.ones(3))

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.parts = nn.ModuleDict(dict(tok=nn.Embedding(5, 3), norm=Norm()))
            self.head = nn.Linear(3, 5)
            self.parts.tok.weight = self.head.weight
    """
    assert any("which layer shares" in one for one in refused(text))
