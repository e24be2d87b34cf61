"""Parameters of models with a BatchNorm, whose running statistics Paddle lists among them."""

from __future__ import annotations

from pathlib import Path

import pytest

import workbench
from tests.workbench.convert.project import project_tree
from tests.workbench.targets.paddle.both_sides import TARGET, assert_prints_the_same

HEAD = "import copy\nimport torch\nimport torch.nn as nn\n"
NET = HEAD + (
    "net = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.ReLU(), nn.Flatten(),\n"
    "    nn.Linear(8, 3))\n"
    "x = torch.arange(32.0).view(2, 1, 4, 4).sin()\n"
)


@pytest.mark.parametrize(
    "lines",
    [
        "print(sum(p.numel() for p in net.parameters()), len(list(net.parameters())))",
        "for name, p in net.named_parameters():\n    print(name, list(p.shape), p.requires_grad)",
        "print([n for n, p in net.named_parameters() if p.ndim == 1])",
        "print(sorted(dict(net.named_parameters())))",
        "net(x).sum().backward()\nprint(all(p.grad is not None for p in net.parameters()))",
        "net(x).sum().backward()\nprint(len([p.grad.norm() for p in net.parameters()]))",
        "for p in net.parameters():\n    p.requires_grad = True\n"
        "print(sum(p.requires_grad for p in net.parameters()))",
        "net.requires_grad_(False)\nnet.requires_grad_(True)\n"
        "print(sum(p.numel() for p in net.parameters() if p.requires_grad))",
        "for p in net[:2].parameters():\n    p.requires_grad = False\n"
        "print(sum(not p.requires_grad for p in net.parameters()))",
        "print(len(torch.autograd.grad(net(x).pow(2).sum(), net.parameters())))",
        "every = net.parameters()\nprint(next(every).shape[0], len(list(every)))",
        "print(max(map(torch.Tensor.numel, net.parameters())))",
        "print(nn.utils.parameters_to_vector(net.parameters()).shape[0])",
        "flat = torch.cat([p.detach().reshape(-1) for p in net.parameters()])\nprint(len(flat))",
        "print(sum(b.dim() == 1 for b in net.buffers()))",
        "print([n for n, b in net.named_buffers() if b.dim() == 1])",
        "print(len(list(net[1].parameters(recurse=False))))",
        "print([n for n, p in net.named_parameters('net') if 'net.1' in n])",
    ],
)
def test_statistics_are_no_parameters(lines: str) -> None:
    assert_prints_the_same(f"{NET}{lines}\n")


def test_an_average_of_weights_leaves_statistics_alone() -> None:
    code = assert_prints_the_same(
        f"{NET}"
        "for p in net.parameters():\n    nn.init.constant_(p, 0.1)\n"
        "mean = copy.deepcopy(net)\n"
        "for step in range(3):\n"
        "    net(x + step)\n"
        "    with torch.no_grad():\n"
        "        for p in net.parameters():\n            p.add_(0.5)\n"
        "        for a, b in zip(mean.parameters(), net.parameters()):\n"
        "            a.mul_(0.9).add_(b, alpha=0.1)\n"
        "mean.eval()\nprint(mean(x).sum().item(), net(x).sum().item())\n"
    )
    assert "zip(torch_layer_parameters(mean), torch_layer_parameters(net))" in code


def test_buffers_are_copied_into_an_average() -> None:
    assert_prints_the_same(
        f"{NET}other = copy.deepcopy(net)\nnn.init.constant_(net[0].weight, 0.3)\n"
        "nn.init.zeros_(net[0].bias)\nnet(x)\n"
        "for a, b in zip(other.buffers(), net.buffers()):\n    a.copy_(b)\n"
        "print([b.sum().item() for b in other.buffers()][0])\n"
    )


@pytest.mark.parametrize(
    "line",
    [
        "opt = torch.optim.Adam(net.parameters(), lr=1e-3)",
        "opt = torch.optim.Adam(list(net.parameters()) + list(net.parameters()), lr=1e-3)",
        "opt = torch.optim.SGD([{'params': net[0].parameters(), 'weight_decay': 0.1}], lr=0.1)",
        "opt = torch.optim.Adam(filter(lambda p: p.requires_grad, net.parameters()))",
        "opt = torch.optim.Adam([p for p in net.parameters() if p.requires_grad])",
        "n = sum(p.numel() for p in net.parameters() if p.requires_grad)",
        "nn.utils.clip_grad_norm_(net.parameters(), 1.0)",
        "device = next(net.parameters()).device",
        "for p in net.parameters():\n    p.requires_grad = False",
        "for name, p in net.named_parameters():\n    if '4' not in name:\n"
        "        p.requires_grad = False",
        "for p in net.parameters():\n    if p.dim() > 1:\n        nn.init.xavier_uniform_(p)",
        "for p in net.parameters():\n    if p.grad is None:\n        continue\n"
        "    print(p.grad.norm())",
        "net.requires_grad_(False)",
    ],
)
def test_code_that_skips_statistics_is_paddles_own(line: str) -> None:
    conversion = workbench.convert(f"{NET}{line}\n", target=TARGET)
    assert not any("parameters" in name or "requires" in name for name in conversion.helpers)


COUNT = "def count(model):\n    return sum(p.numel() for p in model.parameters())\n"


@pytest.mark.parametrize(
    ("text", "is_open"),
    [
        (f"{HEAD}{COUNT}", True),  # a caller gives the model
        (f"{HEAD}{COUNT}print(count(nn.Linear(2, 3)))\n", False),
        (f"{HEAD}import timm\n{COUNT}print(count(timm.create_model('a')))\n", True),
        (f"{HEAD}from nets import Net\nprint(len(list(Net().parameters())))\n", True),
        (f"{HEAD}from nets import f\nm = f(1).to('cpu')\nn = len(list(m.parameters()))\n", True),
        (
            f"{HEAD}class Mean:\n    def __init__(self, model):\n        self.model = model\n"
            "    def size(self):\n        return len(list(self.model.parameters()))\n",
            True,
        ),
        (
            f"{HEAD}class Net(nn.Module):\n    def __init__(self, sizes):\n"
            "        super().__init__()\n        self.sizes = sizes\n"
            "        self.a = nn.Linear(2, 2)\n"
            "    def size(self):\n        return sum(p.numel() for p in self.parameters())\n",
            False,
        ),
    ],
)
def test_another_file_or_a_caller_may_give_a_model_with_statistics(
    text: str, is_open: bool
) -> None:
    assert ("torch_layer_parameters" in workbench.convert(text, target=TARGET).code) is is_open


@pytest.mark.parametrize(
    ("layers", "is_open"), [("nn.Linear(2, 3)", False), ("nn.BatchNorm1d(3)", True)]
)
def test_a_model_of_another_file_of_the_project_is_known(
    layers: str, is_open: bool, tmp_path: Path
) -> None:
    files = {
        "nets.py": f"{HEAD}def build():\n    return {layers}\n",
        "main.py": f"{HEAD}from nets import build\n{COUNT}print(count(build()))\n",
    }
    source = project_tree.write(tmp_path / "source", files)
    project_tree.converted(source, tmp_path / "port", workers=1)
    code = (tmp_path / "port" / "main.py").read_text()
    assert ("torch_layer_parameters(model)" in code) is is_open


@pytest.mark.parametrize("recurse", ["1", "True", "deep"])
@pytest.mark.parametrize("style", ["plain", "exact"])
def test_a_converted_call_is_kept_when_it_is_converted_again(recurse: str, style: str) -> None:
    text = (
        "import torch\nfrom torch import nn\ndef f(net: nn.Module, deep=True):\n"
        f"    a = list(net.parameters(include_sublayers={recurse}))\n"
        f"    return a, list(net.buffers(include_sublayers={recurse})), torch.ones(2)\n"
    )
    result = workbench.convert(text, style=style)
    assert not result.unconverted
    assert f"net.parameters(include_sublayers={recurse})" in result.code
    assert f"net.buffers(include_sublayers={recurse})" in result.code
