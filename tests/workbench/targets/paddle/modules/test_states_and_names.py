"""Programs that name statistics, hook the loading of states or ask for members Paddle lacks."""

from __future__ import annotations

import pytest

from tests.workbench.targets.paddle.both_sides import assert_prints_the_same

_HEAD = "import torch\nfrom torch import nn\n"
PROGRAMS = {
    "a hook changes what is loaded": """
net = nn.Sequential(nn.Linear(2, 1))
def renamed(module, state, prefix, *rest):
    state[prefix + "weight"] = state.pop(prefix + "old")
net[0].register_load_state_dict_pre_hook(renamed)
found = net.load_state_dict({"0.old": torch.ones(1, 2), "0.bias": torch.ones(1)})
print(net(torch.ones(1, 2)).item(), list(found.missing_keys))
""",
    "a BatchNorm is fused": """
conv, norm = nn.Conv2d(1, 2, 1).eval(), nn.BatchNorm2d(2).eval()
nn.init.ones_(conv.weight)
nn.init.zeros_(conv.bias)
fused = nn.utils.fusion.fuse_conv_bn_eval(conv, norm)
print(fused(torch.ones(1, 1, 2, 2)).sum().item())
""",
    "an output is padded by more than the stride": """
up = nn.ConvTranspose2d(1, 1, 2, stride=1, output_padding=1, dilation=2)
nn.init.ones_(up.weight)
nn.init.zeros_(up.bias)
print(up(torch.ones(1, 1, 3, 3)).sum().item(), up.output_padding)
""",
    "a frozen network passes gradients to its input": """
net = nn.LSTM(2, 3)
for p in net.parameters():
    nn.init.constant_(p, 0.1)
net.requires_grad_(False)
x = torch.tensor([[[0.1, 0.2]]], requires_grad=True)
net(x)[0].sum().backward()
print(x.grad.sum().item())
""",
    "gradients are collected after they were cleared": """
net = nn.Linear(2, 1)
net(torch.ones(1, 2)).sum().backward()
net.zero_grad()
print([p.grad for p in net.parameters()], (net.weight.grad, net.bias.grad))
""",
    "members are read": """
from torch.utils.data import DataLoader, SubsetRandomSampler, WeightedRandomSampler
drawn = WeightedRandomSampler([0.0, 1.0], 3)
print(DataLoader([1, 2]).generator, SubsetRandomSampler([1]).generator, drawn.__len__())
print(drawn.weights.sum().item(), nn.RReLU(0.1, 0.2).lower)
""",
    "a class is compared before it is parametrised": """
class Half(nn.Module):
    def forward(self, v):
        return v / 2
layer = nn.Linear(2, 1)
nn.utils.parametrize.register_parametrization(layer, "weight", Half())
print(nn.utils.parametrize.type_before_parametrizations(layer) is nn.Linear)
""",
    "whole numbers are given to a loss": """
x, i = torch.arange(3.), torch.arange(3) * 2
print(nn.SmoothL1Loss()(x, i).item(), nn.PoissonNLLLoss()(i, i).item())
print(nn.Softsign()(i).sum().item())
""",
}


@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_both_sides_print_the_same(text: str) -> None:
    assert_prints_the_same(_HEAD + text.lstrip())
