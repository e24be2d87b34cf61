"""Small layers and helpers of timm that many model files import."""

from __future__ import annotations

from workbench.rules.rule import RuleSet

rules = RuleSet()

_L = "timm.layers"


def _same(name: str, helper: str) -> None:
    rules.counterpart(f"{_L}.{name}", helper)


_same("DropPath", "TorchDropPath")
for _name in ("drop_prob", "scale_by_keep"):
    rules.keep(f"{_L}.DropPath.{_name}")
rules.row(
    f"{_L}.Mlp",
    "TorchMlp({in_features}, {hidden_features=None}, {out_features=None}, act_layer={act_layer}, "
    "norm_layer={norm_layer}, bias={bias}, drop={drop}, use_conv={use_conv})",
    value="TorchMlp",
)
for _name in ("fc1", "act", "drop1", "norm", "fc2", "drop2"):
    rules.keep(f"{_L}.Mlp.{_name}")
_same("drop_path", "torch_drop_path")
_same("make_divisible", "torch_make_divisible")
for _size in (2, 3, 4):
    rules.row(f"{_L}.to_{_size}tuple", f"torch_ntuple({{x}}, {_size})")
