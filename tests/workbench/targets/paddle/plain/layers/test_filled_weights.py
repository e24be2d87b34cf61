"""Programs that fill the weights of a model with numbers, in the order and shapes of torch."""

from __future__ import annotations

import pytest

from tests.workbench.targets.paddle.plain.both_sides import assert_prints_the_same

HEAD = (
    "import numpy as np\nimport torch\nfrom torch import nn\n"
    "net = nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 2))\n"
    "r = np.random.RandomState(0)\n"
)
SHOW = "print(net(torch.arange(12.).cos().view(4, 3)).sum(0).tolist())\n"
FILLS = {
    "arange": (
        "with torch.no_grad():\n    for p in net.parameters():\n"
        "        p.copy_(torch.arange(p.numel()).float().sin().view_as(p))\n"
    ),
    "data of draws": (
        "for n, p in net.named_parameters():\n"
        "    p.data = torch.from_numpy(r.randn(*p.shape).astype('float32'))\n"
    ),
    "entries of a state": (
        "sd = net.state_dict()\nfor k in sorted(sd):\n"
        "    sd[k] = torch.tensor(r.randn(*sd[k].shape), dtype=torch.float32)\n"
        "net.load_state_dict(sd)\n"
    ),
    "a function": (
        "def fill(model):\n    with torch.no_grad():\n        for p in model.parameters():\n"
        "            w = r.normal(0, 0.3, size=tuple(p.shape)).astype(np.float32)\n"
        "            p.copy_(torch.from_numpy(w))\nfill(net)\n"
    ),
    "a state of its own": (
        "def fill(model):\n    new = {}\n    for k in sorted(model.state_dict().keys()):\n"
        "        shape = tuple(model.state_dict()[k].shape)\n"
        "        new[k] = torch.from_numpy(r.randn(*shape).astype('float32'))\n"
        "    model.load_state_dict(new)\nfill(net)\n"
    ),
    "a dict of a state": (
        "net.load_state_dict({k: torch.tensor(r.rand(*v.shape)) for k, v in"
        " net.state_dict().items()})\n"
    ),
    "a slice": (
        "params = list(net.parameters())\nwith torch.no_grad():\n    for p in params:\n"
        "        p[:] = torch.linspace(-1, 1, p.numel()).reshape(p.shape)\n"
    ),
    "a vector": (
        "n = nn.utils.parameters_to_vector(net.parameters()).numel()\n"
        "nn.utils.vector_to_parameters(torch.linspace(-1, 1, n), net.parameters())\n"
    ),
}


@pytest.mark.parametrize("fill", FILLS.values(), ids=FILLS)
def test_each_number_gets_to_torchs_place(fill: str) -> None:
    assert_prints_the_same(HEAD + fill + SHOW)


def test_drawn_and_even_weights_leave_the_layer_as_it_is() -> None:
    fill = (
        "with torch.no_grad():\n    for p in net.parameters():\n"
        "        p.copy_(torch.zeros(p.shape))\n        p.add_(torch.full_like(p, 0.1))\n"
    )
    code = assert_prints_the_same(HEAD + fill + SHOW)
    assert "compat.nn.Linear" not in code
