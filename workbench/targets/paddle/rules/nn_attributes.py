"""Data members of layers: the layers that converted code creates keep torch's names."""

from __future__ import annotations

from workbench.rules.rule import RuleSet
from workbench.targets.paddle.seeded import SEED

rules = RuleSet()

# The class that defines the members, a layer that has them, and the members.
_MEMBERS = (
    ("Linear", "nn.Linear(4, 3)", "weight bias in_features out_features"),
    ("Bilinear", "nn.Bilinear(4, 2, 3)",
     "weight bias in1_features in2_features out_features"),
    ("modules.conv._ConvNd", "nn.Conv2d(3, 4, 3, padding=(1, 0))",
     "weight bias in_channels out_channels kernel_size stride padding dilation groups "
     "output_padding padding_mode transposed"),
    ("modules.batchnorm._NormBase", "nn.BatchNorm2d(3)",
     "weight bias num_features eps momentum affine track_running_stats running_mean running_var "
     "num_batches_tracked"),
    ("LayerNorm", "nn.LayerNorm((3, 4))", "weight bias normalized_shape eps elementwise_affine"),
    ("RMSNorm", "nn.RMSNorm((3, 4))", "weight normalized_shape eps elementwise_affine"),
    ("GroupNorm", "nn.GroupNorm(2, 4)", "weight bias num_groups num_channels eps affine"),
    ("LocalResponseNorm", "nn.LocalResponseNorm(2)", "size alpha beta k"),
)  # fmt: skip

for _owner, _layer, _names in _MEMBERS:
    for _name in _names.split():
        rules.row(
            f"torch.nn.{_owner}.{_name}",
            "{self}." + _name,
            store=("{self}." + _name, "{value}"),
            cases=[f"{SEED}l = _seed({_layer})\nl.{_name}"],
        )

# Methods of the same name ----------------------------------------------------------------------

_METHODS = (
    ("Linear.reset_parameters", "l = nn.Linear(4, 3)\nl.reset_parameters()\nl.weight.shape"),
    ("Bilinear.reset_parameters", "l = nn.Bilinear(4, 2, 3)\nl.reset_parameters()\nl.bias.shape"),
    ("modules.conv._ConvNd.reset_parameters",
     "l = nn.Conv2d(3, 4, 3)\nl.reset_parameters()\nl.weight.shape"),
    ("modules.batchnorm._NormBase.reset_parameters",
     "l = nn.BatchNorm2d(3)\nv = l(img)\nl.reset_parameters()\nl.running_var, l.weight"),
    ("modules.batchnorm._NormBase.reset_running_stats",
     "l = nn.BatchNorm2d(3)\nv = l(img)\nl.reset_running_stats()\nl.running_mean"),
    ("LayerNorm.reset_parameters", "l = nn.LayerNorm(4)\nl.reset_parameters()\nl.weight"),
    ("RMSNorm.reset_parameters", "l = nn.RMSNorm(4)\nl.reset_parameters()\nl.weight"),
    ("GroupNorm.reset_parameters", "l = nn.GroupNorm(2, 4)\nl.reset_parameters()\nl.weight"),
)  # fmt: skip
for _name, _case in _METHODS:
    rules.keep(f"torch.nn.{_name}", cases=[_case])
