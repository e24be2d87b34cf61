"""Data members of layers, for which the layers of converted code have torch's names."""

from __future__ import annotations

from workbench.rules.rule import RuleSet
from workbench.words import words

rules = RuleSet()

# The class that defines the members, and the members.
_MEMBERS = (
    ("Linear", "weight bias in_features out_features"),
    ("Bilinear", "weight bias in1_features in2_features out_features"),
    (
        "modules.conv._ConvNd",
        "weight bias in_channels out_channels kernel_size stride padding dilation groups "
        "output_padding padding_mode transposed",
    ),
    (
        "modules.batchnorm._NormBase",
        "weight bias num_features eps momentum affine track_running_stats running_mean running_var "
        "num_batches_tracked",
    ),
    ("LayerNorm", "weight bias normalized_shape eps elementwise_affine"),
    ("RMSNorm", "weight normalized_shape eps elementwise_affine"),
    ("GroupNorm", "weight bias num_groups num_channels eps affine"),
    (
        "Embedding",
        "weight num_embeddings embedding_dim padding_idx max_norm norm_type scale_grad_by_freq "
        "sparse",
    ),
    (
        "EmbeddingBag",
        "weight num_embeddings embedding_dim padding_idx max_norm norm_type scale_grad_by_freq "
        "sparse mode include_last_offset",
    ),
    ("modules.dropout._DropoutNd", "p inplace"),
    (
        "modules.pooling._MaxPoolNd",
        "kernel_size stride padding dilation return_indices ceil_mode",
    ),
    ("AvgPool1d", "kernel_size stride padding ceil_mode count_include_pad"),
    (
        "AvgPool2d",
        "kernel_size stride padding ceil_mode count_include_pad divisor_override",
    ),
    (
        "AvgPool3d",
        "kernel_size stride padding ceil_mode count_include_pad divisor_override",
    ),
    ("modules.pooling._AdaptiveAvgPoolNd", "output_size"),
    ("modules.pooling._AdaptiveMaxPoolNd", "output_size return_indices"),
    ("modules.pooling._LPPoolNd", "norm_type kernel_size stride ceil_mode"),
    *((f"MaxPool{dims}d", "kernel_size stride padding dilation") for dims in (1, 2, 3)),
    *((f"AdaptiveAvgPool{d}d", "output_size") for d in (1, 2, 3)),
    *((f"AdaptiveMaxPool{d}d", "output_size") for d in (1, 2, 3)),
    *((f"LPPool{d}d", "kernel_size stride") for d in (1, 2, 3)),
    *(
        (f"{kind}Pad{dims}d", "padding")
        for kind in ("Constant", "Reflection", "Replication", "Circular")
        for dims in (1, 2, 3)
    ),
    ("modules.padding._ConstantPadNd", "value"),
    ("PixelShuffle", "upscale_factor"),
    ("PixelUnshuffle", "downscale_factor"),
    ("ChannelShuffle", "groups"),
    ("Unfold", "kernel_size dilation padding stride"),
    ("Fold", "output_size kernel_size dilation padding stride"),
    (
        "Upsample",
        "size scale_factor mode align_corners recompute_scale_factor",
    ),
    ("PairwiseDistance", "norm eps keepdim"),
    ("CosineSimilarity", "dim eps"),
    (
        "MultiheadAttention",
        "embed_dim num_heads dropout batch_first head_dim add_zero_attn kdim vdim in_proj_weight "
        "in_proj_bias q_proj_weight k_proj_weight v_proj_weight bias_k bias_v out_proj",
    ),
    (
        "TransformerEncoderLayer",
        "self_attn linear1 linear2 norm1 norm2 dropout dropout1 dropout2 norm_first activation",
    ),
    (
        "TransformerDecoderLayer",
        "self_attn multihead_attn linear1 linear2 norm1 norm2 norm3 dropout dropout1 dropout2 "
        "dropout3 norm_first activation",
    ),
    (
        "TransformerEncoder",
        "layers norm num_layers enable_nested_tensor mask_check",
    ),
    (
        "TransformerDecoder",
        "layers norm num_layers",
    ),
    ("Transformer", "encoder decoder d_model nhead batch_first"),
    (
        "RNNBase",
        "mode input_size hidden_size num_layers bias batch_first dropout bidirectional proj_size "
        "all_weights",
    ),
    ("RNN", "nonlinearity"),
    ("RNNCell", "nonlinearity"),
    (
        "RNNCellBase",
        "input_size hidden_size bias weight_ih weight_hh bias_ih bias_hh",
    ),
    ("modules.loss._WeightedLoss", "weight"),
    ("BCEWithLogitsLoss", "weight pos_weight"),
    ("modules.loss._Loss", "reduction"),
    ("CTCLoss", "blank zero_infinity"),
    ("CosineEmbeddingLoss", "margin"),
    ("CrossEntropyLoss", "ignore_index label_smoothing"),
    ("GaussianNLLLoss", "full eps"),
    ("HingeEmbeddingLoss", "margin"),
    ("HuberLoss", "delta"),
    ("KLDivLoss", "log_target"),
    ("MarginRankingLoss", "margin"),
    ("MultiMarginLoss", "p margin"),
    ("NLLLoss", "ignore_index"),
    ("PoissonNLLLoss", "log_input full eps"),
    ("SmoothL1Loss", "beta"),
    ("TripletMarginLoss", "margin p eps swap"),
    ("TripletMarginWithDistanceLoss", "margin swap"),
    ("PReLU", "weight num_parameters init"),
    ("Softmin", "dim"),
    ("CELU", "alpha inplace"),
    ("Hardshrink", "lambd"),
    ("Softshrink", "lambd"),
    ("Threshold", "threshold value inplace"),
    ("RReLU", "lower upper inplace"),
    ("LocalResponseNorm", "size alpha beta k"),
)

for _owner, _names in _MEMBERS:
    for _name in _names.split():
        rules.row(
            f"torch.nn.{_owner}.{_name}", "{self}." + _name, store=("{self}." + _name, "{value}")
        )

# Paddle's own layers have other names.
_PRIVATE = (
    ("Softmax.dim", "_axis"),
    ("LogSoftmax.dim", "_axis"),
    ("GLU.dim", "_axis"),
    ("ELU.alpha", "_alpha"),
    ("LeakyReLU.negative_slope", "_negative_slope"),
    ("Hardtanh.min_val", "min_val"),
    ("Hardtanh.max_val", "max_val"),
    ("Flatten.start_dim", "start_axis"),
    ("Flatten.end_dim", "stop_axis"),
    ("Unflatten.dim", "axis"),
    ("Unflatten.unflattened_size", "shape"),
    ("Softplus.beta", "_beta"),
    ("Softplus.threshold", "_threshold"),
)
for _member, _name in _PRIVATE:
    rules.row(f"torch.nn.{_member}", "{self}." + _name)
for _name in words("ReLU SiLU Mish Hardswish Hardsigmoid SELU ELU LeakyReLU Hardtanh"):
    rules.row(f"torch.nn.{_name}.inplace", "{self}.inplace", store=("{self}.inplace", "{value}"))

# Methods of the same name ----------------------------------------------------------------------

_METHODS = words(
    "Linear.reset_parameters Bilinear.reset_parameters modules.conv._ConvNd.reset_parameters "
    "modules.batchnorm._NormBase.reset_parameters "
    "modules.batchnorm._NormBase.reset_running_stats LayerNorm.reset_parameters "
    "RMSNorm.reset_parameters Embedding.reset_parameters PReLU.reset_parameters "
    "EmbeddingBag.reset_parameters RNNBase.reset_parameters RNNBase.flatten_parameters "
    "RNNCellBase.reset_parameters GroupNorm.reset_parameters"
)
for _name in _METHODS:
    rules.keep(f"torch.nn.{_name}")
