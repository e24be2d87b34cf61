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
    ("Embedding", "nn.Embedding(4, 3, padding_idx=-1)",
     "weight num_embeddings embedding_dim padding_idx max_norm norm_type scale_grad_by_freq "
     "sparse"),
    ("EmbeddingBag", "nn.EmbeddingBag(4, 3)",
     "weight num_embeddings embedding_dim padding_idx max_norm norm_type scale_grad_by_freq "
     "sparse mode include_last_offset"),
    ("modules.dropout._DropoutNd", "nn.Dropout(0.3)", "p inplace"),
    ("modules.pooling._MaxPoolNd", "nn.MaxPool2d(2, padding=1)",
     "kernel_size stride padding dilation return_indices ceil_mode"),
    ("AvgPool1d", "nn.AvgPool1d(2, 1)", "kernel_size stride padding ceil_mode count_include_pad"),
    ("AvgPool2d", "nn.AvgPool2d((2, 3))",
     "kernel_size stride padding ceil_mode count_include_pad divisor_override"),
    ("AvgPool3d", "nn.AvgPool3d(2)",
     "kernel_size stride padding ceil_mode count_include_pad divisor_override"),
    ("modules.pooling._AdaptiveAvgPoolNd", "nn.AdaptiveAvgPool2d((None, 3))", "output_size"),
    ("modules.pooling._AdaptiveMaxPoolNd", "nn.AdaptiveMaxPool2d(2)",
     "output_size return_indices"),
    ("modules.pooling._LPPoolNd", "nn.LPPool2d(2, 3)", "norm_type kernel_size stride ceil_mode"),
    ("PReLU", "nn.PReLU(3)", "weight num_parameters init"),
    ("Softmin", "nn.Softmin(1)", "dim"),
    ("CELU", "nn.CELU(0.5)", "alpha inplace"),
    ("Hardshrink", "nn.Hardshrink(0.3)", "lambd"),
    ("Softshrink", "nn.Softshrink(0.3)", "lambd"),
    ("Threshold", "nn.Threshold(0.1, 2.0)", "threshold value inplace"),
    ("RReLU", "nn.RReLU(0.1, 0.2)", "lower upper inplace"),
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

# Paddle's own layers call theirs otherwise.
_PRIVATE = (
    ("Softmax.dim", "_axis", "nn.Softmax(1)"),
    ("LogSoftmax.dim", "_axis", "nn.LogSoftmax()"),
    ("GLU.dim", "_axis", "nn.GLU(0)"),
    ("ELU.alpha", "_alpha", "nn.ELU(0.5)"),
    ("LeakyReLU.negative_slope", "_negative_slope", "nn.LeakyReLU(0.2, True)"),
    ("Hardtanh.min_val", "_min", "nn.Hardtanh(-2.0, 2.0)"),
    ("Hardtanh.max_val", "_max", "nn.Hardtanh(-2.0, 2.0)"),
    ("Softplus.beta", "_beta", "nn.Softplus(2.0)"),
    ("Softplus.threshold", "_threshold", "nn.Softplus(2.0, 10.0)"),
)
for _member, _name, _layer in _PRIVATE:
    rules.row(
        f"torch.nn.{_member}",
        "{self}." + _name,
        cases=[f"l = {_layer}\nl.{_member.rpartition('.')[2]}"],
    )
for _name in ("ReLU", "SiLU", "Mish", "Hardswish", "Hardsigmoid", "SELU", "ELU", "LeakyReLU",
              "Hardtanh"):  # fmt: skip
    rules.row(
        f"torch.nn.{_name}.inplace",
        "getattr({self}, 'inplace', False)",
        cases=[f"l, k = nn.{_name}(), nn.{_name}(inplace=True)\nr = l.inplace, k.inplace"],
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
    ("Embedding.reset_parameters",
     "l = nn.Embedding(4, 3, padding_idx=1)\nl.reset_parameters()\nl.weight[1]"),
    ("PReLU.reset_parameters", "l = nn.PReLU(3)\nl.reset_parameters()\nl.weight"),
    ("GroupNorm.reset_parameters", "l = nn.GroupNorm(2, 4)\nl.reset_parameters()\nl.weight"),
)  # fmt: skip
for _name, _case in _METHODS:
    rules.keep(f"torch.nn.{_name}", cases=[_case])
