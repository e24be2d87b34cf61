"""Data members of layers: the layers that converted code creates keep torch's names."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike
from workbench.upstream.cases.preludes import SEED

CASES: dict[str, tuple[str, ...]] = {
    **alike(
        "torch.nn.Linear",
        "weight bias in_features out_features",
        (SEED + "l = _seed(nn.Linear(4, 3))\nl.{name}"),
    ),
    **alike(
        "torch.nn.Bilinear",
        "weight bias in1_features in2_features out_features",
        (SEED + "l = _seed(nn.Bilinear(4, 2, 3))\nl.{name}"),
    ),
    **alike(
        "torch.nn.modules.conv._ConvNd",
        "weight bias in_channels out_channels kernel_size stride dilation groups "
        "output_padding padding_mode transposed",
        (SEED + "l = _seed(nn.Conv2d(3, 4, 3, padding=(1, 0)))\nl.{name}"),
    ),
    "torch.nn.modules.conv._ConvNd.padding": (
        (SEED + "l = _seed(nn.Conv2d(3, 4, 3, padding=(1, 0)))\nl.padding"),
    ),
    **alike(
        "torch.nn.modules.batchnorm._NormBase",
        "weight bias num_features eps momentum affine track_running_stats "
        "running_mean running_var num_batches_tracked",
        (SEED + "l = _seed(nn.BatchNorm2d(3))\nl.{name}"),
    ),
    **alike(
        "torch.nn.LayerNorm",
        "weight bias normalized_shape eps elementwise_affine",
        (SEED + "l = _seed(nn.LayerNorm((3, 4)))\nl.{name}"),
    ),
    **alike(
        "torch.nn.RMSNorm",
        "weight normalized_shape eps elementwise_affine",
        (SEED + "l = _seed(nn.RMSNorm((3, 4)))\nl.{name}"),
    ),
    **alike(
        "torch.nn.GroupNorm",
        "weight bias num_groups num_channels eps affine",
        (SEED + "l = _seed(nn.GroupNorm(2, 4))\nl.{name}"),
    ),
    **alike(
        "torch.nn.Embedding",
        "weight num_embeddings embedding_dim max_norm norm_type scale_grad_by_freq sparse",
        (SEED + "l = _seed(nn.Embedding(4, 3, padding_idx=-1))\nl.{name}"),
    ),
    "torch.nn.Embedding.padding_idx": (
        (SEED + "l = _seed(nn.Embedding(4, 3, padding_idx=-1))\nl.padding_idx"),
    ),
    **alike(
        "torch.nn.EmbeddingBag",
        "weight num_embeddings embedding_dim padding_idx max_norm norm_type "
        "scale_grad_by_freq sparse mode include_last_offset",
        (SEED + "l = _seed(nn.EmbeddingBag(4, 3))\nl.{name}"),
    ),
    **alike(
        "torch.nn.modules.dropout._DropoutNd",
        "p inplace",
        (SEED + "l = _seed(nn.Dropout(0.3))\nl.{name}"),
    ),
    **alike(
        "torch.nn.modules.pooling._MaxPoolNd",
        "kernel_size stride dilation return_indices ceil_mode",
        (SEED + "l = _seed(nn.MaxPool2d(2, padding=1))\nl.{name}"),
    ),
    "torch.nn.modules.pooling._MaxPoolNd.padding": (
        (SEED + "l = _seed(nn.MaxPool2d(2, padding=1))\nl.padding"),
    ),
    **alike(
        "torch.nn.AvgPool1d",
        "kernel_size stride padding ceil_mode count_include_pad",
        (SEED + "l = _seed(nn.AvgPool1d(2, 1))\nl.{name}"),
    ),
    **alike(
        "torch.nn.AvgPool2d",
        "kernel_size stride padding ceil_mode count_include_pad divisor_override",
        (SEED + "l = _seed(nn.AvgPool2d((2, 3)))\nl.{name}"),
    ),
    **alike(
        "torch.nn.AvgPool3d",
        "kernel_size stride padding ceil_mode count_include_pad divisor_override",
        (SEED + "l = _seed(nn.AvgPool3d(2))\nl.{name}"),
    ),
    "torch.nn.modules.pooling._AdaptiveAvgPoolNd.output_size": (
        (SEED + "l = _seed(nn.AdaptiveAvgPool2d((None, 3)))\nl.output_size"),
    ),
    **alike(
        "torch.nn",
        "modules.pooling._AdaptiveMaxPoolNd.output_size "
        "modules.pooling._AdaptiveMaxPoolNd.return_indices AdaptiveMaxPool2d.output_size",
        (SEED + "l = _seed(nn.AdaptiveMaxPool2d(2))\nl.{name}"),
    ),
    **alike(
        "torch.nn",
        "modules.pooling._LPPoolNd.norm_type modules.pooling._LPPoolNd.kernel_size "
        "modules.pooling._LPPoolNd.stride modules.pooling._LPPoolNd.ceil_mode "
        "LPPool2d.kernel_size LPPool2d.stride",
        (SEED + "l = _seed(nn.LPPool2d(2, 3))\nl.{name}"),
    ),
    **alike(
        "torch.nn.MaxPool1d",
        "kernel_size stride padding dilation",
        (SEED + "l = _seed(nn.MaxPool1d(2, 1))\nl.{name}"),
    ),
    **alike(
        "torch.nn.MaxPool2d",
        "kernel_size stride padding dilation",
        (SEED + "l = _seed(nn.MaxPool2d(2, 1))\nl.{name}"),
    ),
    **alike(
        "torch.nn.MaxPool3d",
        "kernel_size stride padding dilation",
        (SEED + "l = _seed(nn.MaxPool3d(2, 1))\nl.{name}"),
    ),
    **alike(
        "torch.nn",
        "AdaptiveAvgPool1d.output_size AdaptiveAvgPool2d.output_size "
        "AdaptiveAvgPool3d.output_size AdaptiveMaxPool1d.output_size "
        "AdaptiveMaxPool3d.output_size",
        (SEED + "l = _seed(nn.{owner}(2))\nl.output_size"),
    ),
    **alike(
        "torch.nn.LPPool1d", "kernel_size stride", (SEED + "l = _seed(nn.LPPool1d(2, 3))\nl.{name}")
    ),
    **alike(
        "torch.nn.LPPool3d", "kernel_size stride", (SEED + "l = _seed(nn.LPPool3d(2, 3))\nl.{name}")
    ),
    **alike(
        "torch.nn",
        "ConstantPad1d.padding ConstantPad2d.padding ConstantPad3d.padding",
        (SEED + "l = _seed(nn.{owner}(1, 0.5))\nl.padding"),
    ),
    **alike(
        "torch.nn",
        "ReflectionPad1d.padding ReflectionPad2d.padding ReflectionPad3d.padding "
        "ReplicationPad1d.padding ReplicationPad2d.padding "
        "ReplicationPad3d.padding CircularPad1d.padding CircularPad2d.padding "
        "CircularPad3d.padding",
        (SEED + "l = _seed(nn.{owner}(1))\nl.padding"),
    ),
    "torch.nn.modules.padding._ConstantPadNd.value": (
        (SEED + "l = _seed(nn.ConstantPad2d(1, 0.5))\nl.value"),
    ),
    **alike(
        "torch.nn",
        "PixelShuffle.upscale_factor PixelUnshuffle.downscale_factor ChannelShuffle.groups",
        (SEED + "l = _seed(nn.{owner}(2))\nl.{name}"),
    ),
    **alike(
        "torch.nn.Unfold",
        "kernel_size dilation padding stride",
        (SEED + "l = _seed(nn.Unfold(2))\nl.{name}"),
    ),
    **alike(
        "torch.nn.Fold",
        "output_size kernel_size dilation padding stride",
        (SEED + "l = _seed(nn.Fold((8, 8), 2))\nl.{name}"),
    ),
    "torch.nn.Upsample.size": ((SEED + "l = _seed(nn.Upsample(scale_factor=2))\nl.size"),),
    "torch.nn.Upsample.scale_factor": (
        (SEED + "l = _seed(nn.Upsample(scale_factor=2))\nl.scale_factor"),
    ),
    **alike(
        "torch.nn.Upsample",
        "mode align_corners recompute_scale_factor",
        (SEED + "l = _seed(nn.Upsample(scale_factor=2))\nl.{name}"),
    ),
    **alike(
        "torch.nn.PairwiseDistance",
        "norm eps keepdim",
        (SEED + "l = _seed(nn.PairwiseDistance(1.0))\nl.{name}"),
    ),
    **alike(
        "torch.nn.CosineSimilarity",
        "dim eps",
        (SEED + "l = _seed(nn.CosineSimilarity(0))\nl.{name}"),
    ),
    **alike(
        "torch.nn.MultiheadAttention",
        "embed_dim num_heads dropout batch_first head_dim add_zero_attn vdim "
        "in_proj_weight in_proj_bias q_proj_weight k_proj_weight v_proj_weight "
        "bias_k bias_v out_proj",
        (SEED + "l = _seed(nn.MultiheadAttention(4, 2, 0.1, kdim=3))\nl.{name}"),
    ),
    "torch.nn.MultiheadAttention.kdim": (
        (SEED + "l = _seed(nn.MultiheadAttention(4, 2, 0.1, kdim=3))\nl.kdim"),
    ),
    **alike(
        "torch.nn.TransformerEncoderLayer",
        "self_attn linear1 linear2 norm1 norm2 dropout dropout1 dropout2 norm_first activation",
        (SEED + "l = _seed(nn.TransformerEncoderLayer(4, 2, 8))\nl.{name}"),
    ),
    **alike(
        "torch.nn.TransformerDecoderLayer",
        "self_attn multihead_attn linear1 linear2 norm1 norm2 norm3 dropout "
        "dropout1 dropout2 dropout3 norm_first activation",
        (SEED + "l = _seed(nn.TransformerDecoderLayer(4, 2, 8))\nl.{name}"),
    ),
    **alike(
        "torch.nn.TransformerEncoder",
        "layers norm num_layers enable_nested_tensor mask_check",
        (
            SEED
            + "l = _seed(nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8), 2))\nl.{name}"
        ),
    ),
    **alike(
        "torch.nn.TransformerDecoder",
        "layers norm num_layers",
        (
            SEED
            + "l = _seed(nn.TransformerDecoder(nn.TransformerDecoderLayer(4, 2, 8), 2))\nl.{name}"
        ),
    ),
    **alike(
        "torch.nn.Transformer",
        "encoder decoder d_model nhead batch_first",
        (SEED + "l = _seed(nn.Transformer(4, 2, 1, 1, 8))\nl.{name}"),
    ),
    **alike(
        "torch.nn.RNNBase",
        "mode input_size hidden_size bias batch_first dropout bidirectional proj_size all_weights",
        (SEED + "l = _seed(nn.LSTM(4, 3, num_layers=2))\nl.{name}"),
    ),
    "torch.nn.RNNBase.num_layers": (
        (SEED + "l = _seed(nn.LSTM(4, 3, num_layers=2))\nl.num_layers"),
    ),
    **alike(
        "torch.nn",
        "RNN.nonlinearity RNNCell.nonlinearity",
        (SEED + "l = _seed(nn.{owner}(4, 3))\nl.nonlinearity"),
    ),
    **alike(
        "torch.nn.RNNCellBase",
        "input_size hidden_size bias weight_ih weight_hh bias_ih bias_hh",
        (SEED + "l = _seed(nn.LSTMCell(4, 3))\nl.{name}"),
    ),
    "torch.nn.modules.loss._WeightedLoss.weight": (
        (SEED + "l = _seed(nn.CrossEntropyLoss(x[0]))\nl.weight"),
    ),
    "torch.nn.BCEWithLogitsLoss.weight": (
        (SEED + "l = _seed(nn.BCEWithLogitsLoss(x, pos_weight=y))\nl.weight"),
    ),
    "torch.nn.BCEWithLogitsLoss.pos_weight": (
        (SEED + "l = _seed(nn.BCEWithLogitsLoss(x, pos_weight=y))\nl.pos_weight"),
    ),
    "torch.nn.modules.loss._Loss.reduction": (
        (SEED + "l = _seed(nn.MSELoss(reduction='sum'))\nl.reduction"),
    ),
    **alike(
        "torch.nn.CTCLoss", "blank zero_infinity", (SEED + "l = _seed(nn.CTCLoss(1))\nl.{name}")
    ),
    "torch.nn.CosineEmbeddingLoss.margin": (
        (SEED + "l = _seed(nn.CosineEmbeddingLoss(0.5))\nl.margin"),
    ),
    **alike(
        "torch.nn.CrossEntropyLoss",
        "ignore_index label_smoothing",
        (SEED + "l = _seed(nn.CrossEntropyLoss())\nl.{name}"),
    ),
    **alike(
        "torch.nn.GaussianNLLLoss", "full eps", (SEED + "l = _seed(nn.GaussianNLLLoss())\nl.{name}")
    ),
    **alike(
        "torch.nn",
        "HingeEmbeddingLoss.margin MarginRankingLoss.margin",
        (SEED + "l = _seed(nn.{owner}())\nl.margin"),
    ),
    **alike(
        "torch.nn",
        "HuberLoss.delta KLDivLoss.log_target NLLLoss.ignore_index SmoothL1Loss.beta",
        (SEED + "l = _seed(nn.{owner}())\nl.{name}"),
    ),
    **alike(
        "torch.nn.MultiMarginLoss", "p margin", (SEED + "l = _seed(nn.MultiMarginLoss())\nl.{name}")
    ),
    **alike(
        "torch.nn.PoissonNLLLoss",
        "log_input full eps",
        (SEED + "l = _seed(nn.PoissonNLLLoss())\nl.{name}"),
    ),
    **alike(
        "torch.nn.TripletMarginLoss",
        "margin p eps swap",
        (SEED + "l = _seed(nn.TripletMarginLoss())\nl.{name}"),
    ),
    **alike(
        "torch.nn.TripletMarginWithDistanceLoss",
        "margin swap",
        (SEED + "l = _seed(nn.TripletMarginWithDistanceLoss())\nl.{name}"),
    ),
    **alike(
        "torch.nn.PReLU", "weight num_parameters init", (SEED + "l = _seed(nn.PReLU(3))\nl.{name}")
    ),
    "torch.nn.Softmin.dim": ((SEED + "l = _seed(nn.Softmin(1))\nl.dim"),),
    **alike("torch.nn.CELU", "alpha inplace", (SEED + "l = _seed(nn.CELU(0.5))\nl.{name}")),
    **alike(
        "torch.nn",
        "Hardshrink.lambd Softshrink.lambd",
        (SEED + "l = _seed(nn.{owner}(0.3))\nl.lambd"),
    ),
    **alike(
        "torch.nn.Threshold",
        "threshold inplace",
        (SEED + "l = _seed(nn.Threshold(0.1, 2.0))\nl.{name}"),
    ),
    "torch.nn.Threshold.value": ((SEED + "l = _seed(nn.Threshold(0.1, 2.0))\nl.value"),),
    **alike(
        "torch.nn.RReLU", "lower upper inplace", (SEED + "l = _seed(nn.RReLU(0.1, 0.2))\nl.{name}")
    ),
    "torch.nn.LocalResponseNorm.size": ((SEED + "l = _seed(nn.LocalResponseNorm(2))\nl.size"),),
    **alike(
        "torch.nn.LocalResponseNorm",
        "alpha beta k",
        (SEED + "l = _seed(nn.LocalResponseNorm(2))\nl.{name}"),
    ),
    "torch.nn.Softmax.dim": ("l = nn.Softmax(1)\nl.dim",),
    "torch.nn.LogSoftmax.dim": ("l = nn.LogSoftmax()\nl.dim",),
    "torch.nn.GLU.dim": ("l = nn.GLU(0)\nl.dim",),
    "torch.nn.ELU.alpha": ("l = nn.ELU(0.5)\nl.alpha",),
    "torch.nn.LeakyReLU.negative_slope": ("l = nn.LeakyReLU(0.2, True)\nl.negative_slope",),
    "torch.nn.Hardtanh.min_val": ("l = nn.Hardtanh(-2.0, 2.0)\nl.min_val",),
    "torch.nn.Hardtanh.max_val": ("l = nn.ReLU6()\nl.max_val",),
    "torch.nn.Flatten.start_dim": ("l = nn.Flatten(2)\nl.start_dim",),
    "torch.nn.Flatten.end_dim": ("l = nn.Flatten(0, 1)\nl.end_dim",),
    "torch.nn.Unflatten.dim": ("l = nn.Unflatten(1, (2, 2))\nl.dim",),
    "torch.nn.Unflatten.unflattened_size": ("l = nn.Unflatten(1, (2, 2))\nl.unflattened_size",),
    "torch.nn.Softplus.beta": ("l = nn.Softplus(2.0)\nl.beta",),
    "torch.nn.Softplus.threshold": ("l = nn.Softplus(2.0, 10.0)\nl.threshold",),
    **alike(
        "torch.nn",
        "ReLU.inplace SiLU.inplace Mish.inplace Hardswish.inplace "
        "Hardsigmoid.inplace SELU.inplace ELU.inplace LeakyReLU.inplace Hardtanh.inplace",
        (
            "l, k = nn.{owner}(), nn.{owner}(inplace=True)\nk.inplace = False\nv = x * 1\n"
            "r = l.inplace, k.inplace, k(v) is v"
        ),
    ),
    "torch.nn.Linear.reset_parameters": (
        "l = nn.Linear(4, 3)\nl.reset_parameters()\nl.weight.shape",
    ),
    "torch.nn.Bilinear.reset_parameters": (
        "l = nn.Bilinear(4, 2, 3)\nl.reset_parameters()\nl.bias.shape",
    ),
    "torch.nn.modules.conv._ConvNd.reset_parameters": (
        "l = nn.Conv2d(3, 4, 3)\nl.reset_parameters()\nl.weight.shape",
    ),
    "torch.nn.modules.batchnorm._NormBase.reset_parameters": (
        "l = nn.BatchNorm2d(3)\nv = l(img)\nl.reset_parameters()\nl.running_var, l.weight",
    ),
    "torch.nn.modules.batchnorm._NormBase.reset_running_stats": (
        "l = nn.BatchNorm2d(3)\nv = l(img)\nl.reset_running_stats()\nl.running_mean",
    ),
    "torch.nn.LayerNorm.reset_parameters": ("l = nn.LayerNorm(4)\nl.reset_parameters()\nl.weight",),
    "torch.nn.RMSNorm.reset_parameters": ("l = nn.RMSNorm(4)\nl.reset_parameters()\nl.weight",),
    "torch.nn.Embedding.reset_parameters": (
        "l = nn.Embedding(4, 3, padding_idx=1)\nl.reset_parameters()\nl.weight[1]",
    ),
    "torch.nn.PReLU.reset_parameters": ("l = nn.PReLU(3)\nl.reset_parameters()\nl.weight",),
    "torch.nn.EmbeddingBag.reset_parameters": (
        "l = nn.EmbeddingBag(4, 3)\nl.reset_parameters()\nl.weight.shape",
    ),
    "torch.nn.RNNBase.reset_parameters": (
        "l = nn.LSTM(4, 3)\nl.reset_parameters()\nlen(l.all_weights)",
    ),
    "torch.nn.RNNBase.flatten_parameters": ("l = nn.LSTM(4, 3)\nl.flatten_parameters()",),
    "torch.nn.RNNCellBase.reset_parameters": (
        "l = nn.LSTMCell(4, 3)\nl.reset_parameters()\nl.weight_ih.shape",
    ),
    "torch.nn.GroupNorm.reset_parameters": (
        "l = nn.GroupNorm(2, 4)\nl.reset_parameters()\nl.weight",
    ),
}
