"""timm's smallest layers and helpers, which many model files import alone."""

from __future__ import annotations

from workbench.rules.rule import RuleSet
from workbench.rules.same_call import same_call
from workbench.upstream.cases.layers import SEED

rules = RuleSet()

_L = "timm.layers"
_DRAWN = "r = sorted(set(y.flatten().tolist())), bool(0.35 < (y != 0).float().mean() < 0.65)"


def _same(name: str, helper: str, *cases: str) -> None:
    rules.row(
        f"{_L}.{name}",
        same_call(f"{_L}.{name}", helper),
        value=helper,
        cases=[f"from {_L} import {name}\n{case}" for case in cases],
    )


_same(
    "DropPath",
    "TorchDropPath",
    "DropPath(0.3).eval()(x), DropPath()(x), DropPath(drop_prob=1.0)(x)",
    f"y = DropPath(0.5)(torch.ones(2000, 1))\n{_DRAWN}",
    f"y = DropPath(0.5, scale_by_keep=False)(torch.ones(2000, 1))\n{_DRAWN}",
    "str(DropPath(0.25))",
)
for _name in ("drop_prob", "scale_by_keep"):
    rules.keep(
        f"{_L}.DropPath.{_name}", cases=[f"from {_L} import DropPath\nDropPath(0.1).{_name}"]
    )
rules.row(
    f"{_L}.Mlp",
    "TorchMlp({in_features}, {hidden_features=None}, {out_features=None}, act_layer={act_layer}, "
    "norm_layer={norm_layer}, bias={bias}, drop={drop}, use_conv={use_conv})",
    value="TorchMlp",
    cases=[
        f"from {_L} import Mlp\n{SEED}{case}"
        for case in (
            "m = _seed(Mlp(4, 6, 3))\nm(x), m.fc1.weight.shape, list(m.state_dict())",
            "m = _seed(Mlp(in_features=4, act_layer=nn.ReLU, norm_layer=nn.LayerNorm, "
            "bias=(True, False), drop=0.5).eval())\nm(x), m.fc2.bias",
            "m = _seed(Mlp(3, hidden_features=5, use_conv=True))\nm(img)",
        )
    ],
)
for _name in ("fc1", "act", "drop1", "norm", "fc2", "drop2"):
    rules.keep(f"{_L}.Mlp.{_name}", cases=[f"from {_L} import Mlp\nstr(type(Mlp(4).{_name}))[:1]"])
_same(
    "drop_path",
    "torch_drop_path",
    "drop_path(x, 0.5), drop_path(x, 1.0, True)",
    f"y = drop_path(torch.ones(2000, 1), drop_prob=0.5, training=True)\n{_DRAWN}",
)
_same(
    "make_divisible",
    "torch_make_divisible",
    "make_divisible(37), make_divisible(10, 8), make_divisible(3, 4, min_value=12)",
    "make_divisible(16 * 0.35, round_limit=0.0)",
)
for _size in (2, 3, 4):
    rules.row(
        f"{_L}.to_{_size}tuple",
        f"torch_ntuple({{x}}, {_size})",
        cases=[
            f"from {_L} import to_{_size}tuple\n"
            f"to_{_size}tuple(3), to_{_size}tuple([1, 2]), to_{_size}tuple('same')"
        ],
    )
