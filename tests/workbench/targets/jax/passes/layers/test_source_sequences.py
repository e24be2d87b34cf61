"""Sequences of layers in JAX: by place, by name, in part; and models saved to files."""

from __future__ import annotations

import pytest

from tests.workbench.targets.jax.source import assert_same, refused

pytestmark = pytest.mark.usefixtures("narrow")

MODEL = """
import io
from collections import OrderedDict

rng = np.random.default_rng(0)

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 5))
        self.mid = nn.Sequential(
            OrderedDict([("fc1", nn.Linear(5, 6)), ("act", nn.Tanh()), ("fc2", nn.Linear(6, 5))])
        )
        self.out = nn.Sequential()
        self.out.add_module("first", nn.Linear(5, 4))
        self.out.add_module("act", nn.ReLU())
        self.out.add_module("last", nn.Linear(4, 2))
        for i in range(2):
            self.add_module(f"extra{i}", nn.Linear(2, 2))
        self.add_module("fin", nn.Linear(2, 2))

    def forward(self, x):
        for layer in self.enc:
            x = layer(x)
        x = self.enc[:1](x[:, :3])[:, :3]
        x = self.enc(x)
        x = self.mid(x) + self.mid.fc2(self.mid[0](x))
        x = self.out(x)
        return self.fin(self.extra1(self.extra0(x)))

net = Net()
for n, p in net.named_parameters():
    print(n, tuple(p.shape))
    p.data = torch.from_numpy(rng.normal(size=tuple(p.shape))).float()
x = torch.ones(2, 3)
print(net(x).sum().item())
"""


def test_layers_are_read_by_place_and_by_name() -> None:
    code = assert_same(
        MODEL
        + """
print(len(net.enc), len(net.mid), len(net.out))
print(net.enc[0].weight.sum().item(), net.enc[-1].bias.sum().item())
print(net.mid.fc1.weight[0, 0].item(), net.out.last.weight.shape)
net.enc[2].weight.data.mul_(0.5)
print(net(x).sum().item())
"""
    )
    assert "net.enc.layers[2].kernel[...] = net.enc.layers[2].kernel[...] * 0.5" in code
    assert "for layer in self.enc.layers:" in code


def test_layers_of_a_list_are_initialised() -> None:
    assert_same("""
        m = nn.Sequential(*[nn.Linear(3, 3) for _ in range(3)])
        print(len(m), [tuple(layer.weight.shape) for layer in m])
        for layer in m:
            nn.init.constant_(layer.weight, 0.25)
            nn.init.zeros_(layer.bias)
        x = torch.ones(2, 3)
        print(m(x).sum().item(), m[1](x).sum().item())
        """)


def test_a_model_is_saved_and_loaded() -> None:
    assert_same(
        MODEL
        + """
buffer = io.BytesIO()
torch.save({"model": net.state_dict(), "epoch": 3}, buffer)
for p in net.parameters():
    p.data.zero_()
print(net(x).sum().item())
buffer.seek(0)
held = torch.load(buffer, map_location="cpu")
print(net.load_state_dict(held["model"]), held["epoch"], net(x).sum().item())
other = Net()
other.load_state_dict(net.state_dict())
pairs = zip(net.parameters(), other.parameters())
print(other(x).sum().item(), all(torch.equal(a, b) for a, b in pairs))
"""
    )


def test_a_class_of_sequences_and_layers_with_names_in_a_variable() -> None:
    assert_same("""
from collections import OrderedDict

class Block(nn.Sequential):
    def __init__(self, a, b):
        super().__init__(nn.Linear(a, b), nn.ReLU())

parts = OrderedDict()
parts["block"] = Block(3, 4)
parts["head"] = nn.Linear(4, 2)
net = nn.Sequential(parts)
with torch.no_grad():
    for p in net.parameters():
        p.fill_(0.1)
print([name for name, _ in net.named_parameters()], net(torch.ones(2, 3)).sum().item())
print(sum(isinstance(one, nn.Sequential) for one in net.modules()))
""")


def test_a_sequence_that_is_one_of_several_values_is_read_by_place() -> None:
    assert_same("""
class Net(nn.Module):
    def __init__(self, wide):
        super().__init__()
        self.ff = nn.Linear(2, 2) if wide else nn.Sequential(nn.Linear(2, 3), nn.ReLU())
        parts = [self.ff] if wide else [self.ff[0]]
        for one in parts:
            one.weight.data.fill_(0.5)
            one.bias.data.zero_()

    def forward(self, x):
        return self.ff(x)

for wide in (True, False):
    print(Net(wide)(torch.ones(1, 2)).tolist())
print(sum(isinstance(m, nn.Sequential) for m in Net(False).modules()))
""")


_EMBEDS = """
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.embeds = nn.ModuleList([nn.Embedding(n, n // 2) for n in (4, 6)])
            self.width = sum(e.embedding_dim for e in self.embeds)
            for e in self.embeds:
                self.width += e.num_embeddings + e.embedding_dim

        def forward(self, x):
            return x * self.embeds[0].embedding_dim

    net = Net()
    print(net.width, net.embeds[1].embedding_dim, net(torch.ones(1)).item())
    """


@pytest.mark.parametrize("padding", ["", ", padding_idx=0"])
def test_sizes_of_embeddings_in_a_list_have_the_name_of_flax(padding: str) -> None:
    code = assert_same(_EMBEDS.replace("n // 2)", f"n // 2{padding})"))
    assert "sum(e.features for e in self.embeds)" in code


def test_a_size_with_the_name_of_an_attribute_of_the_program_is_refused() -> None:
    own = "    self.embedding_dim = 3\n            self.width ="
    reasons = refused(_EMBEDS.replace("    self.width =", own, 1))
    assert len(reasons) == 4
    assert all("whether it is a layer of flax" in one for one in reasons)


def test_the_weight_of_a_named_layer_next_to_a_class_with_its_own_weight() -> None:
    assert_same("""
    class Scale(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(torch.ones(4))

        def forward(self, x):
            return x * self.weight

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.parts = nn.ModuleDict(dict(first=nn.Embedding(5, 4), scale=Scale()))

        def count(self):
            return self.parts.first.weight.numel()

        def forward(self, x):
            return self.parts.scale(self.parts.first(x))

    print(Net().count(), Net()(torch.tensor([1])).shape)
    """)


@pytest.mark.parametrize(
    "text",
    [
        "def make():\n    return nn.Sequential(nn.Linear(4, 3), nn.ReLU(), nn.Linear(3, 1))\n"
        "net = make()\nprint(net[-1].bias.numel())\n",
        "def make():\n    net = nn.Sequential(nn.Linear(4, 2), nn.Linear(2, 1))\n    return net\n"
        "net = make()\nprint(net[0].weight.numel(), len(net))\n",
        "def count(layers):\n    return len(layers), layers[0].out_features\n"
        "net = nn.Sequential(nn.Linear(4, 2))\nprint(*count(net))\n",
        "class Net(nn.Module):\n    def __init__(self, layers):\n        super().__init__()\n"
        "        self.layers = nn.Sequential(*[nn.Linear(4, n) for n in layers[:-1]])\n"
        "net = Net([3, 2, 1])\nprint(net.layers[-1].out_features)\n",
    ],
    ids=["returned", "returned by name", "an argument", "a name of an argument too"],
)
def test_a_sequence_of_an_uncertain_name_is_read_like_a_list(text: str) -> None:
    assert "TorchSequential(" in assert_same(text)
