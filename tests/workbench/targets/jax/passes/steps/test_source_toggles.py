"""Flags that are off while another model is trained, and the mode of any model."""

from __future__ import annotations

import pytest

from tests.workbench.targets.jax.source import HEAD, assert_same, refused
from workbench.convert.conversion import convert

pytestmark = pytest.mark.usefixtures("narrow")

GAN = """
def made(*sizes):
    net = nn.Sequential(nn.Linear(sizes[0], sizes[1]), nn.Tanh(), nn.Linear(sizes[1], 1))
    with torch.no_grad():
        for k, p in enumerate(net.parameters()):
            p.copy_(torch.linspace(-1, 1, p.numel()).reshape(p.shape) * (1 + k))
    return net

G, C = made(2, 3), made(1, 4)
opt_g, opt_c = optim.Adam(G.parameters(), lr=0.05), optim.SGD(C.parameters(), lr=0.1)
x = torch.linspace(-1, 1, 8).reshape(4, 2)
for step in range(4):
    opt_c.zero_grad()
    loss_c = C(G(x).detach()).mean() - C(x[:, :1]).mean()
    loss_c.backward()
    opt_c.step()
    OFF
    opt_g.zero_grad()
    loss_g = -C(G(x)).mean()
    loss_g.backward()
    opt_g.step()
    ON
    print(loss_c.item(), loss_g.item())
"""


def _gan(off: str, on: str) -> str:
    return GAN.replace("OFF", off).replace("ON", on)


@pytest.mark.parametrize(
    ("off", "on"),
    [
        (
            "for p in C.parameters():\n        p.requires_grad_(False)",
            "for p in C.parameters():\n        p.requires_grad_(True)",
        ),
        (
            "for p in C.parameters():\n        p.requires_grad = False",
            "for q in C.parameters():\n        q.requires_grad = True",
        ),
        ("C.requires_grad_(False)", "C.requires_grad_()"),
    ],
)
def test_flags_between_two_statements_of_a_block_are_not_needed(off: str, on: str) -> None:
    assert "requires_grad" not in assert_same(_gan(off, on))


@pytest.mark.parametrize(
    ("off", "on"),
    [
        ("C.requires_grad_(False)", "pass"),
        ("C.requires_grad_(False)", "G.requires_grad_(True)"),
        ("C.requires_grad_(True)", "C.requires_grad_(False)"),
        ("G.requires_grad_(False)", "G.requires_grad_(True)"),
        ("C.requires_grad_(False)", "opt_c.step()\n    C.requires_grad_(True)"),
        ("C.requires_grad_(False)\n    kept = C(G(x))", "C.requires_grad_()\n    kept.sum()"),
        ("C.requires_grad_(False)", "if step == 2:\n        break\n    C.requires_grad_(True)"),
        ("C[0].requires_grad_(False)", "C.requires_grad_(True)"),
    ],
)
def test_other_changes_of_flags_are_refused(off: str, on: str) -> None:
    assert refused(_gan(off, on))


MODE = """
net = nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3))
with torch.no_grad():
    net[0].weight.copy_(torch.eye(3))
    net[0].bias.zero_()

def evaluate(model, x):
    was = model.training
    model.eval()
    with torch.no_grad():
        out = model(x).sum().item()
    model.train(was)
    return out

x = torch.linspace(-1, 1, 6).reshape(2, 3)
for mode in (True, False):
    net.train(mode)
    print(evaluate(net, x), net.training, net(x).sum().item())
"""


def test_the_mode_of_a_model_is_read_from_its_layers() -> None:
    code = assert_same(MODE)
    assert "was = torch_is_training(model)" in code
    messages = [one.message for one in convert(HEAD + MODE, target="jax").findings]
    assert any("neither dropout nor batch norm" in one for one in messages)


def test_the_layout_of_memory_is_jaxs_own() -> None:
    assert_same(
        "net = nn.Conv2d(1, 1, 1)\nnet = net.to(memory_format=torch.channels_last)\n"
        "print(tuple(net(torch.ones(2, 1, 3, 3)).shape))"
    )
