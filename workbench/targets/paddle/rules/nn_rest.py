"""What is left of `torch.nn`: dunder methods of containers, and families without an equivalent."""

from __future__ import annotations

from workbench.rules.rule import RuleSet
from workbench.targets.paddle.rules import (
    init,
    module,
    nn_attributes,
    nn_forward,
    nn_internal,
    nn_lazy,
    nn_pool,
    nn_utils,
)
from workbench.upstream.facts import load

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
    "Sequential.__getitem__": f"{_SEQUENCE}net.__getitem__(1)(img)",
    "Sequential.__setitem__": f"{_SEQUENCE}net.__setitem__(0, nn.Flatten())\nnet(img)",
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
        rules.row(
            f"torch.nn.MaxUnpool{_dims}d.{_name}",
            f"tuple(torch_pool_sizes({{self}}.{_name}, {_dims}))",
            cases=[f"nn.MaxUnpool{_dims}d(2).{_name}"],
        )
rules.row(
    "torch.nn.GELU.approximate",
    "'tanh' if {self}._approximate else 'none'",
    cases=["nn.GELU().approximate, nn.GELU('tanh').approximate"],
)

# Whole families --------------------------------------------------------------------------------

_LAZY = ("it belongs to the inside of torch's lazy layers", "`nn.LazyLinear` and its sisters")
_FAMILIES: dict[str, tuple[str, str]] = {
    "torch.nn.cpp.": ("Paddle has no C++ modules of torch", "the module written in Python"),
    "torch.nn.functional.ScalingType.": ("Paddle has no such kernel", "a plain matrix product"),
    "torch.nn.functional.SwizzleType.": ("Paddle has no such kernel", "a plain matrix product"),
    "torch.nn.LinearCrossEntropyLoss.": ("Paddle has no such kernel", "a linear layer and a loss"),
    "torch.nn.LinearCrossEntropyOptions.": ("Paddle has no such kernel", "a layer and a loss"),
    "torch.nn.modules.lazy.LazyModuleMixin.": _LAZY,
    "torch.nn.modules.conv._LazyConvXdMixin": _LAZY,
    "torch.nn.modules.batchnorm._LazyNormBase": _LAZY,
    "torch.nn.Uninitialized": _LAZY,
    "torch.nn.parameter.UninitializedTensorMixin": _LAZY,
    "torch.nn.utils.parametrize.ParametrizationList.": (
        "Paddle has no parametrizations", "a forward pre-hook that computes the weight",
    ),
    "torch.nn.utils.prune.": (
        "Paddle has no pruning by parametrization", "a mask that is kept in a buffer",
    ),
    "torch.nn.utils.weight_norm.": ("it is torch's own hook", "`nn.utils.weight_norm`"),
    "torch.nn.utils.spectral_norm.": ("it is torch's own hook", "`nn.utils.spectral_norm`"),
    "torch.nn.CrossMapLRN2d.": ("torch keeps it for old code", "`nn.LocalResponseNorm`"),
    "torch.nn.RNNBase.check_": ("it checks torch's own arguments", "leave it out"),
    "torch.nn.RNNBase.get_expected_hidden_size": ("it checks torch's own arguments",
                                                  "leave it out"),
    "torch.nn.RNNBase.permute_hidden": ("it belongs to the inside of torch", "leave it out"),
    "torch.nn.LSTM.check_forward_args": ("it checks torch's own arguments", "leave it out"),
    "torch.nn.LSTM.get_expected_cell_size": ("it checks torch's own arguments", "leave it out"),
    "torch.nn.LSTM.permute_hidden": ("it belongs to the inside of torch", "leave it out"),
    "torch.nn.MultiheadAttention.merge_masks": ("it belongs to the inside of torch",
                                                "pass both masks to the layer"),
    "torch.nn.SyncBatchNorm.": (
        "statistics across processes are not proven to be torch's",
        "`paddle.nn.SyncBatchNorm.convert_sync_batchnorm`",
    ),
    "torch.nn.init._": ("it belongs to the inside of torch", "the functions of `torch.nn.init`"),
}  # fmt: skip

_FILES = (init, module, nn_attributes, nn_forward, nn_internal, nn_lazy, nn_pool, nn_utils)
_TAKEN = {rule.name for file in _FILES for rule in file.rules.rules}
_TAKEN |= {rule.name for rule in rules.rules}
_FACTS = load()
_STARTS = tuple(_FAMILIES)
for _name in sorted(name for name in _FACTS.names if name.startswith(_STARTS)):
    if _name not in _TAKEN and not _FACTS.is_module(_name):
        _reason, _instead = next(_FAMILIES[start] for start in _STARTS if _name.startswith(start))
        rules.refuse(_name, reason=_reason, instead=_instead)
