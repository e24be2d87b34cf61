"""Data members of layers: the layers that converted code creates keep torch's names."""

from __future__ import annotations

from workbench.rules.rule import RuleSet
from workbench.upstream.cases.layers import SEED

rules = RuleSet()

# The class that defines the members, a layer that has them, and the members.
_MEMBERS = (
    ("Linear", "nn.Linear(4, 3)", "weight bias in_features out_features"),
    ("Bilinear", "nn.Bilinear(4, 2, 3)", "weight bias in1_features in2_features out_features"),
    (
        "modules.conv._ConvNd",
        "nn.Conv2d(3, 4, 3, padding=(1, 0))",
        "weight bias in_channels out_channels kernel_size stride padding dilation groups "
        "output_padding padding_mode transposed",
    ),
    (
        "modules.batchnorm._NormBase",
        "nn.BatchNorm2d(3)",
        "weight bias num_features eps momentum affine track_running_stats running_mean running_var "
        "num_batches_tracked",
    ),
    ("LayerNorm", "nn.LayerNorm((3, 4))", "weight bias normalized_shape eps elementwise_affine"),
    ("RMSNorm", "nn.RMSNorm((3, 4))", "weight normalized_shape eps elementwise_affine"),
    ("GroupNorm", "nn.GroupNorm(2, 4)", "weight bias num_groups num_channels eps affine"),
    (
        "Embedding",
        "nn.Embedding(4, 3, padding_idx=-1)",
        "weight num_embeddings embedding_dim padding_idx max_norm norm_type scale_grad_by_freq "
        "sparse",
    ),
    (
        "EmbeddingBag",
        "nn.EmbeddingBag(4, 3)",
        "weight num_embeddings embedding_dim padding_idx max_norm norm_type scale_grad_by_freq "
        "sparse mode include_last_offset",
    ),
    ("modules.dropout._DropoutNd", "nn.Dropout(0.3)", "p inplace"),
    (
        "modules.pooling._MaxPoolNd",
        "nn.MaxPool2d(2, padding=1)",
        "kernel_size stride padding dilation return_indices ceil_mode",
    ),
    ("AvgPool1d", "nn.AvgPool1d(2, 1)", "kernel_size stride padding ceil_mode count_include_pad"),
    (
        "AvgPool2d",
        "nn.AvgPool2d((2, 3))",
        "kernel_size stride padding ceil_mode count_include_pad divisor_override",
    ),
    (
        "AvgPool3d",
        "nn.AvgPool3d(2)",
        "kernel_size stride padding ceil_mode count_include_pad divisor_override",
    ),
    ("modules.pooling._AdaptiveAvgPoolNd", "nn.AdaptiveAvgPool2d((None, 3))", "output_size"),
    ("modules.pooling._AdaptiveMaxPoolNd", "nn.AdaptiveMaxPool2d(2)", "output_size return_indices"),
    ("modules.pooling._LPPoolNd", "nn.LPPool2d(2, 3)", "norm_type kernel_size stride ceil_mode"),
    *(
        (f"MaxPool{dims}d", f"nn.MaxPool{dims}d(2, 1)", "kernel_size stride padding dilation")
        for dims in (1, 2, 3)
    ),
    *((f"AdaptiveAvgPool{d}d", f"nn.AdaptiveAvgPool{d}d(2)", "output_size") for d in (1, 2, 3)),
    *((f"AdaptiveMaxPool{d}d", f"nn.AdaptiveMaxPool{d}d(2)", "output_size") for d in (1, 2, 3)),
    *((f"LPPool{d}d", f"nn.LPPool{d}d(2, 3)", "kernel_size stride") for d in (1, 2, 3)),
    *(
        (f"{kind}Pad{dims}d", f"nn.{kind}Pad{dims}d(1{value})", "padding")
        for kind, value in (
            ("Constant", ", 0.5"),
            ("Reflection", ""),
            ("Replication", ""),
            ("Circular", ""),
        )
        for dims in (1, 2, 3)
    ),
    ("modules.padding._ConstantPadNd", "nn.ConstantPad2d(1, 0.5)", "value"),
    ("PixelShuffle", "nn.PixelShuffle(2)", "upscale_factor"),
    ("PixelUnshuffle", "nn.PixelUnshuffle(2)", "downscale_factor"),
    ("ChannelShuffle", "nn.ChannelShuffle(2)", "groups"),
    ("Unfold", "nn.Unfold(2)", "kernel_size dilation padding stride"),
    ("Fold", "nn.Fold((8, 8), 2)", "output_size kernel_size dilation padding stride"),
    (
        "Upsample",
        "nn.Upsample(scale_factor=2)",
        "size scale_factor mode align_corners recompute_scale_factor",
    ),
    ("PairwiseDistance", "nn.PairwiseDistance(1.0)", "norm eps keepdim"),
    ("CosineSimilarity", "nn.CosineSimilarity(0)", "dim eps"),
    (
        "MultiheadAttention",
        "nn.MultiheadAttention(4, 2, 0.1, kdim=3)",
        "embed_dim num_heads dropout batch_first head_dim add_zero_attn kdim vdim in_proj_weight "
        "in_proj_bias q_proj_weight k_proj_weight v_proj_weight bias_k bias_v out_proj",
    ),
    (
        "TransformerEncoderLayer",
        "nn.TransformerEncoderLayer(4, 2, 8)",
        "self_attn linear1 linear2 norm1 norm2 dropout dropout1 dropout2 norm_first activation",
    ),
    (
        "TransformerDecoderLayer",
        "nn.TransformerDecoderLayer(4, 2, 8)",
        "self_attn multihead_attn linear1 linear2 norm1 norm2 norm3 dropout dropout1 dropout2 "
        "dropout3 norm_first activation",
    ),
    (
        "TransformerEncoder",
        "nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8), 2)",
        "layers norm num_layers enable_nested_tensor mask_check",
    ),
    (
        "TransformerDecoder",
        "nn.TransformerDecoder(nn.TransformerDecoderLayer(4, 2, 8), 2)",
        "layers norm num_layers",
    ),
    ("Transformer", "nn.Transformer(4, 2, 1, 1, 8)", "encoder decoder d_model nhead batch_first"),
    (
        "RNNBase",
        "nn.LSTM(4, 3, num_layers=2)",
        "mode input_size hidden_size num_layers bias batch_first dropout bidirectional proj_size "
        "all_weights",
    ),
    ("RNN", "nn.RNN(4, 3)", "nonlinearity"),
    ("RNNCell", "nn.RNNCell(4, 3)", "nonlinearity"),
    (
        "RNNCellBase",
        "nn.LSTMCell(4, 3)",
        "input_size hidden_size bias weight_ih weight_hh bias_ih bias_hh",
    ),
    ("modules.loss._WeightedLoss", "nn.CrossEntropyLoss(x[0])", "weight"),
    ("BCEWithLogitsLoss", "nn.BCEWithLogitsLoss(x, pos_weight=y)", "weight pos_weight"),
    ("modules.loss._Loss", "nn.MSELoss(reduction='sum')", "reduction"),
    ("CTCLoss", "nn.CTCLoss(1)", "blank zero_infinity"),
    ("CosineEmbeddingLoss", "nn.CosineEmbeddingLoss(0.5)", "margin"),
    ("CrossEntropyLoss", "nn.CrossEntropyLoss()", "ignore_index label_smoothing"),
    ("GaussianNLLLoss", "nn.GaussianNLLLoss()", "full eps"),
    ("HingeEmbeddingLoss", "nn.HingeEmbeddingLoss()", "margin"),
    ("HuberLoss", "nn.HuberLoss()", "delta"),
    ("KLDivLoss", "nn.KLDivLoss()", "log_target"),
    ("MarginRankingLoss", "nn.MarginRankingLoss()", "margin"),
    ("MultiMarginLoss", "nn.MultiMarginLoss()", "p margin"),
    ("NLLLoss", "nn.NLLLoss()", "ignore_index"),
    ("PoissonNLLLoss", "nn.PoissonNLLLoss()", "log_input full eps"),
    ("SmoothL1Loss", "nn.SmoothL1Loss()", "beta"),
    ("TripletMarginLoss", "nn.TripletMarginLoss()", "margin p eps swap"),
    ("TripletMarginWithDistanceLoss", "nn.TripletMarginWithDistanceLoss()", "margin swap"),
    ("PReLU", "nn.PReLU(3)", "weight num_parameters init"),
    ("Softmin", "nn.Softmin(1)", "dim"),
    ("CELU", "nn.CELU(0.5)", "alpha inplace"),
    ("Hardshrink", "nn.Hardshrink(0.3)", "lambd"),
    ("Softshrink", "nn.Softshrink(0.3)", "lambd"),
    ("Threshold", "nn.Threshold(0.1, 2.0)", "threshold value inplace"),
    ("RReLU", "nn.RReLU(0.1, 0.2)", "lower upper inplace"),
    ("LocalResponseNorm", "nn.LocalResponseNorm(2)", "size alpha beta k"),
)

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
    ("Hardtanh.min_val", "min_val", "nn.Hardtanh(-2.0, 2.0)"),
    ("Hardtanh.max_val", "max_val", "nn.ReLU6()"),
    ("Flatten.start_dim", "start_axis", "nn.Flatten(2)"),
    ("Flatten.end_dim", "stop_axis", "nn.Flatten(0, 1)"),
    ("Unflatten.dim", "axis", "nn.Unflatten(1, (2, 2))"),
    ("Unflatten.unflattened_size", "shape", "nn.Unflatten(1, (2, 2))"),
    ("Softplus.beta", "_beta", "nn.Softplus(2.0)"),
    ("Softplus.threshold", "_threshold", "nn.Softplus(2.0, 10.0)"),
)
for _member, _name, _layer in _PRIVATE:
    rules.row(
        f"torch.nn.{_member}",
        "{self}." + _name,
        cases=[f"l = {_layer}\nl.{_member.rpartition('.')[2]}"],
    )
for _name in (
    "ReLU",
    "SiLU",
    "Mish",
    "Hardswish",
    "Hardsigmoid",
    "SELU",
    "ELU",
    "LeakyReLU",
    "Hardtanh",
):
    rules.row(
        f"torch.nn.{_name}.inplace",
        "{self}.inplace",
        store=("{self}.inplace", "{value}"),
        cases=[
            f"l, k = nn.{_name}(), nn.{_name}(inplace=True)\nk.inplace = False\nv = x * 1\n"
            "r = l.inplace, k.inplace, k(v) is v"
        ],
    )

# Methods of the same name ----------------------------------------------------------------------

_METHODS = (
    ("Linear.reset_parameters", "l = nn.Linear(4, 3)\nl.reset_parameters()\nl.weight.shape"),
    ("Bilinear.reset_parameters", "l = nn.Bilinear(4, 2, 3)\nl.reset_parameters()\nl.bias.shape"),
    (
        "modules.conv._ConvNd.reset_parameters",
        "l = nn.Conv2d(3, 4, 3)\nl.reset_parameters()\nl.weight.shape",
    ),
    (
        "modules.batchnorm._NormBase.reset_parameters",
        "l = nn.BatchNorm2d(3)\nv = l(img)\nl.reset_parameters()\nl.running_var, l.weight",
    ),
    (
        "modules.batchnorm._NormBase.reset_running_stats",
        "l = nn.BatchNorm2d(3)\nv = l(img)\nl.reset_running_stats()\nl.running_mean",
    ),
    ("LayerNorm.reset_parameters", "l = nn.LayerNorm(4)\nl.reset_parameters()\nl.weight"),
    ("RMSNorm.reset_parameters", "l = nn.RMSNorm(4)\nl.reset_parameters()\nl.weight"),
    (
        "Embedding.reset_parameters",
        "l = nn.Embedding(4, 3, padding_idx=1)\nl.reset_parameters()\nl.weight[1]",
    ),
    ("PReLU.reset_parameters", "l = nn.PReLU(3)\nl.reset_parameters()\nl.weight"),
    (
        "EmbeddingBag.reset_parameters",
        "l = nn.EmbeddingBag(4, 3)\nl.reset_parameters()\nl.weight.shape",
    ),
    ("RNNBase.reset_parameters", "l = nn.LSTM(4, 3)\nl.reset_parameters()\nlen(l.all_weights)"),
    ("RNNBase.flatten_parameters", "l = nn.LSTM(4, 3)\nl.flatten_parameters()"),
    (
        "RNNCellBase.reset_parameters",
        "l = nn.LSTMCell(4, 3)\nl.reset_parameters()\nl.weight_ih.shape",
    ),
    ("GroupNorm.reset_parameters", "l = nn.GroupNorm(2, 4)\nl.reset_parameters()\nl.weight"),
)
for _name, _case in _METHODS:
    rules.keep(f"torch.nn.{_name}", cases=[_case])
