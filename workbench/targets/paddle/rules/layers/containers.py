"""Containers of layers and of parameters."""

from __future__ import annotations

from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Refusal, Rewrite
from workbench.rules.rule import RuleSet
from workbench.source.uses import UseKind
from workbench.upstream.cases.layers import SEED

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
    "torch.nn.Sequential.__add__",
    "paddle.nn.Sequential(*{self}, *{other})",
    cases=[
        "net = nn.Sequential(nn.Identity()) + nn.Sequential(nn.Flatten(), nn.Identity())\n"
        "net(a), len(net), list(net.named_children())[2][0]",
        "one, two = nn.Sequential(nn.Identity()), nn.Sequential(nn.Flatten())\n"
        "net = one + two + one\nlen(net), len(one)",
    ],
)
rules.row(
    "torch.nn.Sequential.__mul__",
    "paddle.nn.Sequential(*(list({self}) * {other}))",
    cases=["net = nn.Sequential(nn.Identity(), nn.Flatten()) * 2\nnet(a), len(net)"],
)
rules.row(
    "torch.nn.Sequential.__iadd__",
    "{self}.extend({other})",
    cases=[
        "net = nn.Sequential(nn.Identity())\none = net\nnet += nn.Sequential(nn.Flatten(), one)\n"
        "len(one), list(net.named_children())[2][0], net is one"
    ],
)
_FOUR = "net = nn.Sequential(nn.Identity(), nn.Flatten(), nn.Tanh(), nn.ReLU())\n"
_NAMES = "[f'{name} {type(l).__name__}' for name, l in net.named_children()]"


@rules.rule(
    "torch.nn.Sequential.__getitem__",
    "torch.nn.Sequential.__setitem__",
    "torch.nn.Sequential.__delitem__",
    signature="(idx, module=None)",
    cases=[
        f"{_FOUR}net.__setitem__(-1, nn.Tanh())\nr = net.__getitem__(1)(img), net[-1](x)",
        f"{_FOUR}net = net[1:3]\nr = {_NAMES}, net(a)",
        f"{_FOUR}net[-1] = nn.Sigmoid()\nnet[0] = nn.Tanh()\nr = {_NAMES}, net(a)",
        f"{_FOUR}del net[-1]\ndel net[0]\nr = {_NAMES}, net(a)",
        f"{_FOUR}del net[:2]\nr = {_NAMES}",
        "from collections import OrderedDict\n"
        "net = nn.Sequential(OrderedDict([('a', nn.Identity()), ('b', nn.Flatten())]))\n"
        f"k = 1\nnet[k] = nn.Tanh()\nnet = net[:5]\nr = {_NAMES}",
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.head = nn.Sequential(nn.Identity(), nn.Tanh())\n"
        "net = Net()\nnet.head[-1] = nn.ReLU()\nnet = net.head\n"
        f"r = {_NAMES}\nNet = None",
    ],
)
def by_place(match: Match) -> Outcome:
    """Paddle numbers a slice anew, and takes a place for a name."""
    name = match.use.name.rpartition(".")[2]
    if match.use.kind is UseKind.OPERATOR:
        return Rewrite("TorchLayersOf({self})", callee_only=True)
    return Rewrite(f"TorchLayersOf({{self}}).{name}({{idx}}, {{module}})")


rules.keep(
    "torch.nn.ModuleList.__add__",
    cases=["net = nn.ModuleList([nn.Identity()]) + [nn.Flatten()]\nlen(net), net[1](a)"],
)
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
    signature="(modules=None)",
    cases=[
        "net = nn.ModuleDict([['a', nn.Identity()], ('b', nn.Flatten())])\nnet['b'](a), len(net)",
        f"{SEED}net = _seed(nn.ModuleDict({{'a': nn.Linear(4, 4), 'b': nn.Identity()}}))\n"
        "net['c'] = nn.Identity()\nnet['a'](x), list(net.keys()), 'b' in net, len(net), "
        "list(net.state_dict())",
    ],
)

# Methods of the same name ----------------------------------------------------------------------

_MODULES = "l = nn.Identity()\n"
for _name, _case in {
    "Sequential.append": "net = nn.Sequential(l)\nlen(net.append(nn.Identity())), len(net)",
    "Sequential.extend": "net = nn.Sequential(l)\nlen(net.extend(nn.Sequential(l, l)))",
    "Sequential.insert": "net = nn.Sequential(l)\nlen(net.insert(0, nn.Flatten())), net(img)",
    "Sequential.__len__": "nn.Sequential(l, l).__len__()",
    "Sequential.__iter__": "len(list(nn.Sequential(l, l).__iter__()))",
    "Sequential.forward": "nn.Sequential(l).forward(x)",
    "ModuleList.append": "net = nn.ModuleList([l])\nlen(net.append(l)), len(net)",
    "ModuleList.extend": "net = nn.ModuleList([l])\nlen(net.extend([l, l]))",
    "ModuleList.insert": "net = nn.ModuleList([l])\nnet.insert(0, nn.Flatten())\nnet[0](img)",
    "ModuleList.__len__": "nn.ModuleList([l, l]).__len__()",
    "ModuleList.__iter__": "len(list(nn.ModuleList([l, l]).__iter__()))",
    "ModuleList.__getitem__": "nn.ModuleList([l, l]).__getitem__(0)(x)",
    "ModuleDict.keys": "list(nn.ModuleDict({'a': l, 'b': l}).keys())",
    "ModuleDict.values": "len(list(nn.ModuleDict({'a': l, 'b': l}).values()))",
    "ModuleDict.items": "[name for name, _ in nn.ModuleDict({'a': l, 'b': l}).items()]",
    "ModuleDict.pop": "net = nn.ModuleDict({'a': l, 'b': l})\nnet.pop('a')(x), list(net.keys())",
    "ModuleDict.update": "net = nn.ModuleDict({'a': l})\nnet.update({'b': l})\nlist(net.keys())",
    "ModuleDict.clear": "net = nn.ModuleDict({'a': l})\nnet.clear()\nlen(net)",
    "ModuleDict.__len__": "nn.ModuleDict({'a': l}).__len__()",
    "ModuleDict.__contains__": "nn.ModuleDict({'a': l}).__contains__('a')",
    "ModuleDict.__getitem__": "nn.ModuleDict({'a': l}).__getitem__('a')(x)",
}.items():
    rules.keep(f"torch.nn.{_name}", cases=[_MODULES + _case])
rules.row(
    "torch.nn.ModuleList.pop",
    "torch_pop_layer({self}, {key})",
    cases=[
        f"{_MODULES}net = nn.ModuleList([nn.Flatten(), l])\nnet.pop(0)(img), len(net), net[0](img)"
    ],
)
rules.row(
    "torch.nn.Sequential.pop",
    "torch_pop_layer({self}, {key})",
    cases=[f"{_MODULES}net = nn.Sequential(l, nn.Flatten())\nnet.pop(-1)(img), len(net), net(img)"],
)

# Parameters ------------------------------------------------------------------------------------

_ONE = "p1, p2 = nn.Parameter(x), nn.Parameter(y)\n"
rules.row(
    "torch.nn.ParameterList",
    "TorchParameterList({values})",
    value="TorchParameterList",
    cases=[
        f"{_ONE}net = nn.ParameterList([p1, p2])\nlen(net), net[-1], list(net.state_dict()), "
        "[value for value in net], len(net[:1])",
        f"{_ONE}net = nn.ParameterList()\nnet.append(p1)\nnet.extend([p2])\nnet += [p2]\n"
        "net[1] = p1\nlen(net), net[1], [name for name, _ in net.named_parameters()]",
        "net = nn.ParameterList([x])\nnet[0]",
    ],
)
rules.row(
    "torch.nn.ParameterDict",
    "TorchParameterDict({parameters})",
    value="TorchParameterDict",
    cases=[
        f"{_ONE}net = nn.ParameterDict({{'a': p1}})\nnet['b'] = p2\n"
        "net['b'], list(net.keys()), 'a' in net, list(net.state_dict()), len(net)",
        f"{_ONE}net = nn.ParameterDict({{'a': p1, 'b': p2}})\nv = net.pop('a')\n"
        "v, [name for name, _ in net.items()], net.get('z'), list(net.values())",
        f"{_ONE}from collections import OrderedDict\npairs = [('b', p1), ('a', p2)]\n"
        "r = [list(nn.ParameterDict(one).keys()) for one in (dict(pairs), OrderedDict(pairs), "
        "pairs)]\npairs = None",
    ],
)
for _name, _case in {
    "ParameterList.append": "net = nn.ParameterList()\nlen(net.append(p1))",
    "ParameterList.extend": "net = nn.ParameterList()\nlen(net.extend([p1, p2]))",
    "ParameterList.__len__": "nn.ParameterList([p1]).__len__()",
    "ParameterDict.keys": "list(nn.ParameterDict({'a': p1}).keys())",
    "ParameterDict.values": "list(nn.ParameterDict({'a': p1}).values())",
    "ParameterDict.items": "list(nn.ParameterDict({'a': p1}).items())",
    "ParameterDict.get": "nn.ParameterDict({'a': p1}).get('a')",
    "ParameterDict.pop": "nn.ParameterDict({'a': p1}).pop('a')",
    "ParameterDict.update": "net = nn.ParameterDict()\nnet.update({'a': p1})\nnet['a']",
    "ParameterDict.setdefault": "net = nn.ParameterDict({'a': p1})\n"
    "net.setdefault('a', p2), net.setdefault('b', p2), list(net.keys())",
    "ParameterDict.popitem": "net = nn.ParameterDict({'a': p1, 'b': p2})\nnet.popitem(), len(net)",
    "ParameterDict.copy": "net = nn.ParameterDict({'a': p1})\nlist(net.copy().items())",
    "ParameterDict.__or__": "net = nn.ParameterDict({'a': p1}) | nn.ParameterDict({'b': p2})\n"
    "list(net.keys())",
    "ParameterDict.fromkeys": "net = nn.ParameterDict()\nlist(net.fromkeys(['a', 'b'], p1).keys())",
    "ParameterDict.clear": "net = nn.ParameterDict({'a': p1})\nnet.clear()\nlen(net)",
    "ParameterDict.__len__": "nn.ParameterDict({'a': p1}).__len__()",
    "ParameterDict.__contains__": "nn.ParameterDict({'a': p1}).__contains__('b')",
}.items():
    rules.keep(f"torch.nn.{_name}", cases=[_ONE + _case])
rules.refuse(
    "torch.nn.Container",
    reason="torch has deprecated it in favour of `torch.nn.Module`",
    instead="`torch.nn.Module`",
)

# Namespaces handed on --------------------------------------------------------------------------

for _name, _target, _within in (
    ("torch.nn", "paddle.nn", "Sequential"),
    ("torch.nn.functional", "paddle.nn.functional", "relu"),
    ("torch.nn.init", "paddle.nn.initializer", "uniform_"),
    ("torch.nn.utils", "paddle.nn.utils", "clip_grad_norm_"),
    ("torch.special", "paddle", "expm1"),
    ("torch.linalg", "paddle.linalg", "det"),
    ("torch.fft", "paddle.fft", "fft"),
    ("torch.optim", "paddle.optimizer", "Adam"),
    ("torch.optim.lr_scheduler", "paddle.optimizer.lr", "StepLR"),
    ("torch.distributions", "paddle.distribution", "Normal"),
    ("torch.utils.data", "paddle.io", "Dataset"),
    ("torch.autograd", "paddle.autograd", "Function"),
):
    rules.row(
        _name,
        _target,
        value=_target,
        caveat="what is looked up in it by name may be called otherwise in Paddle",
        cases=[f"space = {_name}\nr = callable(space.{_within})\nspace = None"],
    )
rules.refuse(
    "torch",
    reason="the package itself is handed on: much that is looked up in it by name does"
    " otherwise in Paddle",
    instead="the functions that are meant, by their names",
)
