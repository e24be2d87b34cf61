"""Quantization: results that are numbers, and tensors that Paddle does not have."""

from __future__ import annotations

from workbench.rules.rule import RuleSet
from workbench.words import words

rules = RuleSet()

_T = "torch.Tensor."
rules.row(
    "torch.fake_quantize_per_tensor_affine",
    "torch_fake_quantize({input}, {scale}, {zero_point}, {quant_min}, {quant_max})",
)
rules.row(
    "torch.fake_quantize_per_channel_affine",
    "torch_fake_quantize({input}, {scale}, {zero_point}, {quant_min}, {quant_max}, {axis})",
)
_LEVELS = (
    "the result is a float tensor that holds the dequantized values and remembers their"
    " integers: results computed from it are not quantized"
)
_WORD = "it is a string, which names the dtype in calls that quantize"
for _name in ("quint8", "qint8", "qint32"):
    rules.row(f"torch.{_name}", f"'torch.{_name}'", note=_WORD)
for _name in (
    "per_tensor_affine",
    "per_channel_affine",
    "per_tensor_symmetric",
    "per_channel_symmetric",
    "per_channel_affine_float_qparams",
):
    rules.row(f"torch.{_name}", f"'torch.{_name}'", note="it is a string, for comparisons")
rules.row(
    "torch.quantize_per_tensor",
    "torch_quantize({input}, {scale}, {zero_point}, {dtype})",
    caveat=_LEVELS,
)
rules.row(
    "torch.quantize_per_channel",
    "torch_quantize({input}, {scales}, {zero_points}, {dtype}, {axis})",
    caveat=_LEVELS,
)
for _name, _template in (
    ("dequantize", "torch_dequantize({0})"),
    ("int_repr", "torch_quantization({0}).levels"),
    ("q_scale", "torch_quantization({0}).scale"),
    ("q_zero_point", "torch_quantization({0}).zero_point"),
    ("q_per_channel_axis", "torch_quantization({0}).axis"),
    ("q_per_channel_scales", "torch_quantization({0}).scale"),
    ("q_per_channel_zero_points", "torch_quantization({0}).zero_point"),
    ("qscheme", "torch_quantization({0}).scheme"),
):
    rules.row(f"{_T}{_name}", _template.format("{self}"))
    if _name in {"dequantize", "qscheme"}:
        continue
    rules.row(f"torch.{_name}", _template.format("{input}"))
rules.row(f"{_T}is_quantized", "hasattr({self}, 'quantization')")
rules.row("torch.dequantize", "torch_dequantize({input})")
rules.refuse(
    "torch.qscheme",
    "torch.choose_qparams_optimized",
    "torch.empty_quantized",
    "torch.fused_moving_avg_obs_fake_quant",
    "torch.quantize_per_tensor_dynamic",
    *[
        f"torch.quantized_{name}"
        for name in words(
            "batch_norm gru gru_cell lstm lstm_cell max_pool1d max_pool2d max_pool3d "
            "rnn_relu_cell rnn_tanh_cell"
        )
    ],
    *[
        f"torch.fbgemm_{name}"
        for name in words(
            "linear_fp16_weight linear_fp16_weight_fp32_activation linear_int8_weight "
            "linear_int8_weight_fp32_activation linear_quantize_weight pack_gemm_matrix_fp16 "
            "pack_quantized_matrix"
        )
    ],
    reason="Paddle has no quantized tensors like torch's",
    instead="paddle.quantization",
)
