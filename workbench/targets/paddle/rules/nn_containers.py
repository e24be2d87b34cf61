"""Containers of layers and of parameters."""

from __future__ import annotations

from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Refusal, Rewrite
from workbench.rules.rule import RuleSet
from workbench.targets.paddle.seeded import SEED

rules = RuleSet()


@rules.rule(
    "torch.nn.Sequential",
    value="paddle.nn.Sequential",
    cases=[
        f"{SEED}net = _seed(nn.Sequential(nn.Linear(4, 3), nn.Linear(3, 2)))\n"
        "net(x), list(net.state_dict()), len(net)",
        "from collections import OrderedDict\n"
        "net = nn.Sequential(OrderedDict([('a', nn.Identity()), ('b', nn.Identity())]))\n"
        "net(x), [name for name, _ in net.named_children()]",
        "layers = [nn.Identity(), nn.Identity()]\nnet = nn.Sequential(*layers, nn.Identity())\n"
        "len(net), net[-1](x), len(net[:2])",
    ],
)
def sequential(match: Match) -> Outcome:
    """Layers one by one, or an ordered dictionary of them: Paddle takes both the same way."""
    if "arg" in match:
        return Refusal("it is not known to be called with an ordered dictionary")
    return Rewrite("paddle.nn.Sequential(*{args})")


rules.row(
    "torch.nn.ModuleList",
    "paddle.nn.LayerList({modules})",
    value="paddle.nn.LayerList",
    cases=[
        f"{SEED}net = _seed(nn.ModuleList([nn.Linear(4, 4) for _ in range(3)]))\n"
        "v = x\nfor layer in net:\n    v = layer(v)\nv, list(net.state_dict()), len(net)",
        "net = nn.ModuleList()\nnet.append(nn.Identity()).append(nn.Identity())\n"
        "net.extend([nn.Identity()])\nnet += [nn.Identity()]\nlen(net), len(net[1:]), net[-1](x)",
    ],
)
rules.row(
    "torch.nn.ModuleDict",
    "paddle.nn.LayerDict({modules})",
    value="paddle.nn.LayerDict",
    cases=[
        f"{SEED}net = _seed(nn.ModuleDict({{'a': nn.Linear(4, 4), 'b': nn.Identity()}}))\n"
        "net['c'] = nn.Identity()\nnet['a'](x), list(net.keys()), 'b' in net, len(net), "
        "list(net.state_dict())",
    ],
)
