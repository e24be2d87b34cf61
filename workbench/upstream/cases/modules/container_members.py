"""Other names of `torch.nn`: dunder methods of containers, sizes of unpooling."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike

_LIST = "net = nn.ModuleList([nn.Identity(), nn.Flatten()])\n"
_VALUES = "net = nn.ParameterList([nn.Parameter(x), nn.Parameter(y)])\n"
_DICT = "net = nn.ModuleDict({'a': nn.Identity(), 'b': nn.Flatten()})\n"
_NAMED = "net = nn.ParameterDict({'a': nn.Parameter(x), 'b': nn.Parameter(y)})\n"

CASES: dict[str, tuple[str, ...]] = {
    "torch.nn.ModuleList.__setitem__": ((_LIST + "net.__setitem__(0, nn.Flatten())\nnet[0](img)"),),
    "torch.nn.ModuleList.__delitem__": ((_LIST + "net.__delitem__(0)\nlen(net), net[0](img)"),),
    "torch.nn.ModuleDict.__setitem__": (
        (_DICT + "net.__setitem__('a', nn.Flatten())\nnet['a'](img)"),
    ),
    "torch.nn.ModuleDict.__delitem__": ((_DICT + "net.__delitem__('a')\nlist(net.keys())"),),
    "torch.nn.ModuleDict.__iter__": ((_DICT + "list(net.__iter__())"),),
    "torch.nn.ParameterList.__getitem__": ((_VALUES + "net.__getitem__(1)"),),
    "torch.nn.ParameterList.__setitem__": (
        (_VALUES + "net.__setitem__(1, nn.Parameter(x))\nnet[1]"),
    ),
    "torch.nn.ParameterList.__iter__": ((_VALUES + "list(net.__iter__())"),),
    "torch.nn.ParameterDict.__getitem__": ((_NAMED + "net.__getitem__('b')"),),
    "torch.nn.ParameterDict.__setitem__": (
        (_NAMED + "net.__setitem__('b', nn.Parameter(x))\nnet['b']"),
    ),
    "torch.nn.ParameterDict.__delitem__": ((_NAMED + "net.__delitem__('b')\nlist(net.keys())"),),
    "torch.nn.ParameterDict.__iter__": ((_NAMED + "list(net.__iter__())"),),
    "torch.nn.Module._forward_hooks": ("len(nn.Linear(2, 2)._forward_hooks)",),
    "torch.nn.Module._forward_pre_hooks": ("len(nn.Linear(2, 2)._forward_pre_hooks)",),
    **alike(
        "torch.nn.MaxUnpool1d",
        "kernel_size stride padding",
        "l = nn.MaxUnpool1d(2)\nr = l.{name}, str(l)",
    ),
    **alike(
        "torch.nn.MaxUnpool2d",
        "kernel_size stride padding",
        "l = nn.MaxUnpool2d(2)\nr = l.{name}, str(l)",
    ),
    **alike(
        "torch.nn.MaxUnpool3d",
        "kernel_size stride padding",
        "l = nn.MaxUnpool3d(2)\nr = l.{name}, str(l)",
    ),
    "torch.nn.GELU.approximate": ("nn.GELU().approximate, nn.GELU('tanh').approximate",),
}
