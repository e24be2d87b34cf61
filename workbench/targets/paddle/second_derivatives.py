"""Operations without a second or third derivative in Paddle."""

from __future__ import annotations

from itertools import product

# Names whose plain forms have no second derivative in Paddle, while their helpers have.
ONCE = frozenset(
    [
        *("torch.log_softmax", "torch.Tensor.log_softmax", "torch.nn.LogSoftmax"),
        *("torch.logsumexp", "torch.Tensor.logsumexp", "torch.lerp", "torch.Tensor.lerp"),
        *("torch.addmm", "torch.Tensor.addmm", "torch.sort", "torch.Tensor.sort"),
        *("torch.baddbmm", "torch.Tensor.baddbmm", "torch.median", "torch.Tensor.median"),
        *("torch.Tensor.unfold", "torch.nn.Upsample", "torch.nn.PixelShuffle"),
        *("torch.nn.CrossEntropyLoss", "torch.nn.NLLLoss", "torch.nn.BCELoss"),
        *("torch.nn.SmoothL1Loss", "torch.nn.HuberLoss", "torch.nn.PReLU"),
        *("torch.prelu", "torch.Tensor.prelu", "torch.nn.Embedding", "torch.nn.Dropout"),
        *(
            f"torch.nn.functional.{name}"
            for name in (
                *("log_softmax", "cross_entropy", "nll_loss", "binary_cross_entropy"),
                *("smooth_l1_loss", "huber_loss", "interpolate", "pixel_shuffle", "prelu"),
                *("embedding", "dropout"),
            )
        ),
    ]
)
_FUNCTIONS = """
    softmax softmin gelu selu mish hardtanh relu6 logsigmoid hardswish softsign tanhshrink
    layer_norm group_norm normalize pairwise_distance l1_loss unfold grid_sample
    binary_cross_entropy_with_logits conv_transpose1d conv_transpose2d conv_transpose3d max_pool1d
    max_pool2d max_pool3d adaptive_max_pool1d adaptive_max_pool2d adaptive_max_pool3d bilinear
    pixel_unshuffle norm vector_norm matrix_norm prod cumsum cumprod cummax cummin amax amin aminmax
    topk kthvalue log1p log2 log10 expm1 atan arctan atan2 arctan2 asin arcsin acos arccos sinh cosh
    tan asinh acosh atanh erf erfc triu tril einsum reciprocal roll diagonal diag trace fmod
    remainder inverse inv det logdet slogdet cholesky solve lgamma digamma kron mv cross renorm
    fft rfft ifft irfft multi_head_attention_forward
"""
_LAYERS = """
    Softmax Softmax2d Softmin GELU SELU Mish Hardtanh ReLU6 LogSigmoid Hardswish Softsign Tanhshrink
    LayerNorm GroupNorm PairwiseDistance L1Loss Unfold BCEWithLogitsLoss
    ConvTranspose1d ConvTranspose2d ConvTranspose3d MaxPool1d MaxPool2d MaxPool3d AdaptiveMaxPool1d
    AdaptiveMaxPool2d AdaptiveMaxPool3d Bilinear PixelUnshuffle GRU LSTM RNN GRUCell LSTMCell
    RNNCell MultiheadAttention TransformerEncoderLayer TransformerDecoderLayer Transformer
"""
_ROOMS = ("torch", "torch.Tensor", "torch.nn.functional", "torch.special", "torch.linalg")
# Names without a second derivative in Paddle, in plain forms and in helpers alike.
NEVER = frozenset(
    [
        *(".".join(one) for one in product((*_ROOMS, "torch.fft"), _FUNCTIONS.split())),
        *(f"torch.nn.{name}" for name in _LAYERS.split()),
        "torch.dropout",
    ]
)
_TWICE = """
    softplus elu relu leaky_relu sqrt rsqrt square clamp clip std var mse_loss pad batch_norm
    instance_norm avg_pool1d avg_pool2d avg_pool3d adaptive_avg_pool1d adaptive_avg_pool2d
    adaptive_avg_pool3d div divide true_divide conv1d conv2d conv3d
"""
_LAYERS_TWICE = """
    Softplus ELU ReLU LeakyReLU MSELoss AvgPool1d AvgPool2d AvgPool3d AdaptiveAvgPool1d
    AdaptiveAvgPool2d AdaptiveAvgPool3d BatchNorm1d BatchNorm2d BatchNorm3d InstanceNorm1d
    InstanceNorm2d InstanceNorm3d Conv1d Conv2d Conv3d
"""
# Names without a third derivative in Paddle.
NOT_THRICE = frozenset(
    [
        *(".".join(one) for one in product(_ROOMS, _TWICE.split())),
        *(f"torch.nn.{name}" for name in _LAYERS_TWICE.split()),
    ]
)
