"""Layers that learn their input's size at their first call."""

from __future__ import annotations

from workbench.rules.rule import RuleSet
from workbench.rules.same_call import same_call
from workbench.upstream.cases.layers import SEED

rules = RuleSet()

_INPUT = {1: "a", 2: "img", 3: "img[:, :, None]"}
# Made, called once, and compared with the same weights; an optimizer made first trains them.
_CASES = (
    "{seed}l = nn.{name}({call})\nl({given})\n_seed(l)\nr = l({given}), list(l.state_dict()), "
    "type(l) is nn.{plain}, l.{size}",
    "{seed}l = nn.{name}({call})\n_o = torch.optim.SGD(l.parameters(), lr=0.5)\nl({given})\n"
    "_seed(l)\n(l({given}) ** 2).sum().backward()\n_o.step()\nr = l({given})",
    "{seed}l = nn.{name}({call}).double()\nl({given}.double())\n_seed(l)\nr = l({given}.double())",
)


def _lazy(name: str, given: str, size: str, *calls: str) -> None:
    """A lazy layer, tried with these arguments."""
    rules.row(
        f"torch.nn.{name}",
        same_call(f"torch.nn.{name}", f"Torch{name}"),
        value=f"Torch{name}",
        cases=[
            case.format(
                seed=SEED,
                name=name,
                call=call,
                given=given,
                plain=name.removeprefix("Lazy"),
                size=size,
            )
            for call in calls
            for case in _CASES
        ],
    )


_lazy("LazyLinear", "x", "in_features", "3", "out_features=2, bias=False")
for _dims, _given in _INPUT.items():
    _lazy(f"LazyConv{_dims}d", _given, "in_channels", "6, 1", "3, kernel_size=1, groups=3")
    _lazy(f"LazyConvTranspose{_dims}d", _given, "in_channels", "4, 1, bias=False")
    _lazy(f"LazyBatchNorm{_dims}d", _given, "num_features", "", "1e-3, momentum=0.2")
    _lazy(f"LazyInstanceNorm{_dims}d", _given, "num_features", "", "affine=True")
for _name in ("in_channels", "out_channels", "kernel_size", "groups", "transposed"):
    rules.keep(
        f"torch.nn.modules.conv._LazyConvXdMixin.{_name}",
        cases=[f"nn.LazyConv1d(6, 1).{_name}, nn.LazyConvTranspose2d(6, 3, 2).{_name}"],
    )
for _dims, _given in _INPUT.items():
    for _name in (f"torch.nn.LazyConv{_dims}d", f"torch.nn.LazyConvTranspose{_dims}d"):
        _case = f"l = {_name.removeprefix('torch.')}(6, 1)\nl({_given})\n"
        rules.keep(f"{_name}.weight", cases=[f"{_case}l.weight.shape, l.weight.data.ndim"])
        rules.keep(f"{_name}.bias", cases=[f"{_case}l.bias.data[:] = 1.0\nb = l.bias.tolist()"])
for _name in ("weight", "bias"):
    rules.keep(
        f"torch.nn.modules.batchnorm._LazyNormBase.{_name}",
        cases=[f"l = nn.LazyBatchNorm2d()\nl(img)\nl.{_name}.data.shape"],
    )
rules.keep(
    "torch.nn.parameter.UninitializedTensorMixin.shape",
    caveat="before the first call it is [0], where torch raises",
    cases=["l = nn.LazyLinear(3)\nl(x)\nl.weight.shape, l.bias.shape"],
)
rules.refuse(
    "torch.nn.UninitializedParameter",
    "torch.nn.UninitializedBuffer",
    "torch.nn.modules.lazy.LazyModuleMixin",
    "torch.nn.parameter.is_lazy",
    reason="Paddle has no parameters without a shape",
    instead="torch.nn.LazyLinear and its sisters",
)
