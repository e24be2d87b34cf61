"""Containers of layers and of parameters."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike
from workbench.upstream.cases.preludes import SEED

_ONE = "p1, p2 = nn.Parameter(x), nn.Parameter(y)\n"
_FOUR = "net = nn.Sequential(nn.Identity(), nn.Flatten(), nn.Tanh(), nn.ReLU())\n"

CASES: dict[str, tuple[str, ...]] = {
    "torch.nn.Sequential": (
        (
            SEED + "net = _seed(nn.Sequential(nn.Linear(4, 3), nn.Linear(3, 2)))\n"
            "net(x), list(net.state_dict()), len(net)"
        ),
        (
            "from collections import OrderedDict\n"
            "net = nn.Sequential(OrderedDict([('a', nn.Identity()), ('b', nn.Identity())]))\n"
            "net(x), [name for name, _ in net.named_children()]"
        ),
        (
            "layers = [nn.Identity(), nn.Identity()]\n"
            "net = nn.Sequential(*layers, nn.Identity())\nlen(net), net[-1](x), len(net[:2])"
        ),
    ),
    "torch.nn.Sequential.__add__": (
        (
            "net = nn.Sequential(nn.Identity()) + nn.Sequential(nn.Flatten(), nn.Identity())\n"
            "net(a), len(net), list(net.named_children())[2][0]"
        ),
        (
            "one, two = nn.Sequential(nn.Identity()), nn.Sequential(nn.Flatten())\n"
            "net = one + two + one\nlen(net), len(one)"
        ),
    ),
    "torch.nn.Sequential.__mul__": (
        "net = nn.Sequential(nn.Identity(), nn.Flatten()) * 2\nnet(a), len(net)",
    ),
    "torch.nn.Sequential.__iadd__": (
        (
            "net = nn.Sequential(nn.Identity())\none = net\n"
            "net += nn.Sequential(nn.Flatten(), one)\n"
            "len(one), list(net.named_children())[2][0], net is one"
        ),
    ),
    **dict.fromkeys(
        (
            "torch.nn.Sequential.__getitem__",
            "torch.nn.Sequential.__setitem__",
            "torch.nn.Sequential.__delitem__",
        ),
        (
            (_FOUR + "net.__setitem__(-1, nn.Tanh())\nr = net.__getitem__(1)(img), net[-1](x)"),
            (
                _FOUR + "net = net[1:3]\n"
                "r = [f'{name} {type(l).__name__}' for name, l in net.named_children()], net(a)"
            ),
            (
                _FOUR + "net[-1] = nn.Sigmoid()\nnet[0] = nn.Tanh()\n"
                "r = [f'{name} {type(l).__name__}' for name, l in net.named_children()], net(a)"
            ),
            (
                _FOUR + "del net[-1]\ndel net[0]\n"
                "r = [f'{name} {type(l).__name__}' for name, l in net.named_children()], net(a)"
            ),
            (
                _FOUR + "del net[:2]\n"
                "r = [f'{name} {type(l).__name__}' for name, l in net.named_children()]"
            ),
            (
                "from collections import OrderedDict\n"
                "net = nn.Sequential(OrderedDict([('a', nn.Identity()), ('b', nn.Flatten())]))\n"
                "k = 1\nnet[k] = nn.Tanh()\nnet = net[:5]\n"
                "r = [f'{name} {type(l).__name__}' for name, l in net.named_children()]"
            ),
            (
                "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
                "        self.head = nn.Sequential(nn.Identity(), nn.Tanh())\nnet = Net()\n"
                "net.head[-1] = nn.ReLU()\nnet = net.head\n"
                "r = [f'{name} {type(l).__name__}' for name, l in net.named_children()]\nNet = None"
            ),
        ),
    ),
    "torch.nn.ModuleList.__add__": (
        "net = nn.ModuleList([nn.Identity()]) + [nn.Flatten()]\nlen(net), net[1](a)",
    ),
    "torch.nn.ModuleList": (
        (
            SEED + "net = _seed(nn.ModuleList([nn.Linear(4, 4) for _ in range(3)]))\nv = x\n"
            "for layer in net:\n    v = layer(v)\nv, list(net.state_dict()), len(net)"
        ),
        (
            "net = nn.ModuleList()\nnet.append(nn.Identity()).append(nn.Identity())\n"
            "net.extend([nn.Identity()])\nnet += [nn.Identity()]\n"
            "len(net), len(net[1:]), net[-1](x)"
        ),
    ),
    "torch.nn.ModuleDict": (
        ("net = nn.ModuleDict([['a', nn.Identity()], ('b', nn.Flatten())])\nnet['b'](a), len(net)"),
        (
            SEED + "net = _seed(nn.ModuleDict({'a': nn.Linear(4, 4), 'b': nn.Identity()}))\n"
            "net['c'] = nn.Identity()\n"
            "net['a'](x), list(net.keys()), 'b' in net, len(net), list(net.state_dict())"
        ),
    ),
    "torch.nn.Sequential.append": (
        ("l = nn.Identity()\nnet = nn.Sequential(l)\nlen(net.append(nn.Identity())), len(net)"),
    ),
    "torch.nn.Sequential.extend": (
        "l = nn.Identity()\nnet = nn.Sequential(l)\nlen(net.extend(nn.Sequential(l, l)))",
    ),
    "torch.nn.Sequential.insert": (
        ("l = nn.Identity()\nnet = nn.Sequential(l)\nlen(net.insert(0, nn.Flatten())), net(img)"),
    ),
    "torch.nn.Sequential.__len__": ("l = nn.Identity()\nnn.Sequential(l, l).__len__()",),
    "torch.nn.Sequential.__iter__": (
        "l = nn.Identity()\nlen(list(nn.Sequential(l, l).__iter__()))",
    ),
    "torch.nn.Sequential.forward": ("l = nn.Identity()\nnn.Sequential(l).forward(x)",),
    "torch.nn.ModuleList.append": (
        "l = nn.Identity()\nnet = nn.ModuleList([l])\nlen(net.append(l)), len(net)",
    ),
    "torch.nn.ModuleList.extend": (
        "l = nn.Identity()\nnet = nn.ModuleList([l])\nlen(net.extend([l, l]))",
    ),
    "torch.nn.ModuleList.insert": (
        ("l = nn.Identity()\nnet = nn.ModuleList([l])\nnet.insert(0, nn.Flatten())\nnet[0](img)"),
    ),
    "torch.nn.ModuleList.__len__": ("l = nn.Identity()\nnn.ModuleList([l, l]).__len__()",),
    "torch.nn.ModuleList.__iter__": (
        "l = nn.Identity()\nlen(list(nn.ModuleList([l, l]).__iter__()))",
    ),
    "torch.nn.ModuleList.__getitem__": (
        "l = nn.Identity()\nnn.ModuleList([l, l]).__getitem__(0)(x)",
    ),
    "torch.nn.ModuleDict.keys": (
        "l = nn.Identity()\nlist(nn.ModuleDict({'a': l, 'b': l}).keys())",
    ),
    "torch.nn.ModuleDict.values": (
        "l = nn.Identity()\nlen(list(nn.ModuleDict({'a': l, 'b': l}).values()))",
    ),
    "torch.nn.ModuleDict.items": (
        "l = nn.Identity()\n[name for name, _ in nn.ModuleDict({'a': l, 'b': l}).items()]",
    ),
    "torch.nn.ModuleDict.pop": (
        (
            "l = nn.Identity()\nnet = nn.ModuleDict({'a': l, 'b': l})\n"
            "net.pop('a')(x), list(net.keys())"
        ),
    ),
    "torch.nn.ModuleDict.update": (
        (
            "l = nn.Identity()\nnet = nn.ModuleDict({'a': l})\nnet.update({'b': l})\n"
            "list(net.keys())"
        ),
    ),
    "torch.nn.ModuleDict.clear": (
        "l = nn.Identity()\nnet = nn.ModuleDict({'a': l})\nnet.clear()\nlen(net)",
    ),
    "torch.nn.ModuleDict.__len__": ("l = nn.Identity()\nnn.ModuleDict({'a': l}).__len__()",),
    "torch.nn.ModuleDict.__contains__": (
        "l = nn.Identity()\nnn.ModuleDict({'a': l}).__contains__('a')",
    ),
    "torch.nn.ModuleDict.__getitem__": (
        "l = nn.Identity()\nnn.ModuleDict({'a': l}).__getitem__('a')(x)",
    ),
    "torch.nn.ModuleList.pop": (
        (
            "l = nn.Identity()\nnet = nn.ModuleList([nn.Flatten(), l])\n"
            "net.pop(0)(img), len(net), net[0](img)"
        ),
    ),
    "torch.nn.Sequential.pop": (
        (
            "l = nn.Identity()\nnet = nn.Sequential(l, nn.Flatten())\n"
            "net.pop(-1)(img), len(net), net(img)"
        ),
    ),
    "torch.nn.ParameterList": (
        (
            _ONE + "net = nn.ParameterList([p1, p2])\n"
            "len(net), net[-1], list(net.state_dict()), [value for value in net], len(net[:1])"
        ),
        (
            _ONE + "net = nn.ParameterList()\nnet.append(p1)\nnet.extend([p2])\nnet += [p2]\n"
            "net[1] = p1\nlen(net), net[1], [name for name, _ in net.named_parameters()]"
        ),
        "net = nn.ParameterList([x])\nnet[0]",
    ),
    "torch.nn.ParameterDict": (
        (
            _ONE + "net = nn.ParameterDict({'a': p1})\nnet['b'] = p2\n"
            "net['b'], list(net.keys()), 'a' in net, list(net.state_dict()), len(net)"
        ),
        (
            _ONE + "net = nn.ParameterDict({'a': p1, 'b': p2})\nv = net.pop('a')\n"
            "v, [name for name, _ in net.items()], net.get('z'), list(net.values())"
        ),
        (
            _ONE + "from collections import OrderedDict\npairs = [('b', p1), ('a', p2)]\n"
            "r = [list(nn.ParameterDict(one).keys()) for one in (dict(pairs), "
            "OrderedDict(pairs), pairs)]\npairs = None"
        ),
    ),
    "torch.nn.ParameterList.append": ((_ONE + "net = nn.ParameterList()\nlen(net.append(p1))"),),
    "torch.nn.ParameterList.extend": (
        (_ONE + "net = nn.ParameterList()\nlen(net.extend([p1, p2]))"),
    ),
    "torch.nn.ParameterList.__len__": ((_ONE + "nn.ParameterList([p1]).__len__()"),),
    **alike(
        "torch.nn.ParameterDict",
        "keys values items",
        (_ONE + "list(nn.ParameterDict({'a': p1}).{name}())"),
    ),
    "torch.nn.ParameterDict.get": ((_ONE + "nn.ParameterDict({'a': p1}).get('a')"),),
    "torch.nn.ParameterDict.pop": ((_ONE + "nn.ParameterDict({'a': p1}).pop('a')"),),
    "torch.nn.ParameterDict.update": (
        (_ONE + "net = nn.ParameterDict()\nnet.update({'a': p1})\nnet['a']"),
    ),
    "torch.nn.ParameterDict.setdefault": (
        (
            _ONE + "net = nn.ParameterDict({'a': p1})\n"
            "net.setdefault('a', p2), net.setdefault('b', p2), list(net.keys())"
        ),
    ),
    "torch.nn.ParameterDict.popitem": (
        (_ONE + "net = nn.ParameterDict({'a': p1, 'b': p2})\nnet.popitem(), len(net)"),
    ),
    "torch.nn.ParameterDict.copy": (
        (_ONE + "net = nn.ParameterDict({'a': p1})\nlist(net.copy().items())"),
    ),
    "torch.nn.ParameterDict.__or__": (
        (
            _ONE
            + "net = nn.ParameterDict({'a': p1}) | nn.ParameterDict({'b': p2})\nlist(net.keys())"
        ),
    ),
    "torch.nn.ParameterDict.fromkeys": (
        (_ONE + "net = nn.ParameterDict()\nlist(net.fromkeys(['a', 'b'], p1).keys())"),
    ),
    "torch.nn.ParameterDict.clear": (
        (_ONE + "net = nn.ParameterDict({'a': p1})\nnet.clear()\nlen(net)"),
    ),
    "torch.nn.ParameterDict.__len__": ((_ONE + "nn.ParameterDict({'a': p1}).__len__()"),),
    "torch.nn.ParameterDict.__contains__": (
        (_ONE + "nn.ParameterDict({'a': p1}).__contains__('b')"),
    ),
    "torch.nn": ("space = torch.nn\nr = callable(space.Sequential)\nspace = None",),
    "torch.nn.functional": ("space = torch.nn.functional\nr = callable(space.relu)\nspace = None",),
    "torch.nn.init": ("space = torch.nn.init\nr = callable(space.uniform_)\nspace = None",),
    "torch.nn.utils": (
        "space = torch.nn.utils\nr = callable(space.clip_grad_norm_)\nspace = None",
    ),
    "torch.special": ("space = torch.special\nr = callable(space.expm1)\nspace = None",),
    "torch.linalg": ("space = torch.linalg\nr = callable(space.det)\nspace = None",),
    "torch.fft": ("space = torch.fft\nr = callable(space.fft)\nspace = None",),
    "torch.optim": ("space = torch.optim\nr = callable(space.Adam)\nspace = None",),
    "torch.optim.lr_scheduler": (
        "space = torch.optim.lr_scheduler\nr = callable(space.StepLR)\nspace = None",
    ),
    "torch.distributions": (
        "space = torch.distributions\nr = callable(space.Normal)\nspace = None",
    ),
    "torch.utils.data": ("space = torch.utils.data\nr = callable(space.Dataset)\nspace = None",),
    "torch.autograd": ("space = torch.autograd\nr = callable(space.Function)\nspace = None",),
}
