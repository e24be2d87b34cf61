"""What is left of `torch.nn`: dunder methods of containers, sizes of unpooling."""

from __future__ import annotations

from workbench.rules.rule import RuleSet

rules = RuleSet()

_TWO = "net = nn.{kind}([nn.Identity(), nn.Flatten()])\n"
_LIST = _TWO.format(kind="ModuleList")
_SEQUENCE = "net = nn.Sequential(nn.Identity(), nn.Flatten())\n"
_DICT = "net = nn.ModuleDict({'a': nn.Identity(), 'b': nn.Flatten()})\n"
_VALUES = "net = nn.ParameterList([nn.Parameter(x), nn.Parameter(y)])\n"
_NAMED = "net = nn.ParameterDict({'a': nn.Parameter(x), 'b': nn.Parameter(y)})\n"
for _name, _case in {
    "ModuleList.__setitem__": f"{_LIST}net.__setitem__(0, nn.Flatten())\nnet[0](img)",
    "ModuleList.__delitem__": f"{_LIST}net.__delitem__(0)\nlen(net), net[0](img)",
    "ModuleDict.__setitem__": f"{_DICT}net.__setitem__('a', nn.Flatten())\nnet['a'](img)",
    "ModuleDict.__delitem__": f"{_DICT}net.__delitem__('a')\nlist(net.keys())",
    "ModuleDict.__iter__": f"{_DICT}list(net.__iter__())",
    "ParameterList.__getitem__": f"{_VALUES}net.__getitem__(1)",
    "ParameterList.__setitem__": f"{_VALUES}net.__setitem__(1, nn.Parameter(x))\nnet[1]",
    "ParameterList.__iter__": f"{_VALUES}list(net.__iter__())",
    "ParameterDict.__getitem__": f"{_NAMED}net.__getitem__('b')",
    "ParameterDict.__setitem__": f"{_NAMED}net.__setitem__('b', nn.Parameter(x))\nnet['b']",
    "ParameterDict.__delitem__": f"{_NAMED}net.__delitem__('b')\nlist(net.keys())",
    "ParameterDict.__iter__": f"{_NAMED}list(net.__iter__())",
    "Module._forward_hooks": "len(nn.Linear(2, 2)._forward_hooks)",
    "Module._forward_pre_hooks": "len(nn.Linear(2, 2)._forward_pre_hooks)",
}.items():
    if _name == "Module._forward_hooks":
        rules.row(
            f"torch.nn.{_name}",
            "{self}._forward_post_hooks",
            cases=[_case],
        )
    else:
        rules.keep(f"torch.nn.{_name}", cases=[_case])
for _dims in (1, 2, 3):
    for _name in ("kernel_size", "stride", "padding"):
        rules.keep(
            f"torch.nn.MaxUnpool{_dims}d.{_name}",
            cases=[f"l = nn.MaxUnpool{_dims}d(2)\nr = l.{_name}, str(l)"],
        )
rules.row(
    "torch.nn.GELU.approximate",
    "'tanh' if {self}._approximate else 'none'",
    cases=["nn.GELU().approximate, nn.GELU('tanh').approximate"],
)
