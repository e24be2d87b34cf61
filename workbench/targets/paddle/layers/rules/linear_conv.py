"""Linear and convolution layers, and their functions."""

from __future__ import annotations

from workbench.rules.rule import RuleSet
from workbench.rules.same_call import same_call

rules = RuleSet()

rules.counterpart("torch.nn.Linear", "TorchLinear")
rules.counterpart("torch.nn.Bilinear", "TorchBilinear")
rules.row(
    "torch.nn.Identity",
    "paddle.nn.Identity()",
    value="paddle.nn.Identity",
    ignored={"args": "they have no effect", "kwargs": "they have no effect"},
)

for _name in ("Conv1d", "Conv2d", "Conv3d"):
    _dims = int(_name[4])
    rules.counterpart(f"torch.nn.{_name}", f"Torch{_name}")
    rules.counterpart(f"torch.nn.ConvTranspose{_dims}d", f"TorchConvTranspose{_dims}d")
    rules.row(
        f"torch.nn.functional.conv{_dims}d",
        same_call(f"torch.nn.functional.conv{_dims}d", "torch_conv"),
    )
    rules.row(
        f"torch.nn.functional.conv_transpose{_dims}d",
        same_call(f"torch.nn.functional.conv_transpose{_dims}d", "torch_conv_transpose"),
    )

rules.row("torch.nn.functional.linear", "torch_linear({input}, {weight}, bias={bias})")
for _name, _first, _second in (
    ("torch.nn.functional.grouped_mm", "mat_a", "mat_b"),
    ("torch._grouped_mm", "self", "mat2"),
):
    rules.row(_name, f"torch_grouped_mm({{{_first}}}, {{{_second}}}, {{offs}})")
rules.row(
    "torch.nn.functional.bilinear", same_call("torch.nn.functional.bilinear", "torch_bilinear")
)
