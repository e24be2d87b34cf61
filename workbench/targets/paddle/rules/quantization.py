"""Quantization: what comes back from it as numbers, and tensors that Paddle does not have."""

from __future__ import annotations

from workbench.rules.rule import RuleSet

rules = RuleSet()

_T = "torch.Tensor."
rules.row(
    "torch.fake_quantize_per_tensor_affine",
    "torch_fake_quantize({input}, {scale}, {zero_point}, {quant_min}, {quant_max})",
    cases=[
        "torch.fake_quantize_per_tensor_affine(x, 0.1, 3, 0, 255)",
        "r = torch.fake_quantize_per_tensor_affine(w, 0.25, zero_point=2, quant_min=0, "
        "quant_max=7)\nr.sum().backward()\ng = w.grad",
        "torch.fake_quantize_per_tensor_affine(x * 4, torch.tensor(0.5), "
        "torch.tensor(3, dtype=torch.int32), 0, 15)",
    ],
)
rules.row(
    "torch.fake_quantize_per_channel_affine",
    "torch_fake_quantize({input}, {scale}, {zero_point}, {quant_min}, {quant_max}, {axis})",
    cases=[
        "torch.fake_quantize_per_channel_affine(x, p[:, 0], torch.zeros(3), 0, 0, 255)",
        "k = torch.tensor([1, 2, 0, 3], dtype=torch.int32)\n"
        "r = torch.fake_quantize_per_channel_affine(w, p[0], k, axis=1, quant_min=-8, "
        "quant_max=7)\nr.sum().backward()\ng = w.grad",
    ],
)
_QUANTIZED = (
    "dequantize",
    "int_repr",
    "q_per_channel_axis",
    "q_per_channel_scales",
    "q_per_channel_zero_points",
    "q_scale",
    "q_zero_point",
)
rules.refuse(
    *[f"{_T}{name}" for name in (*_QUANTIZED, "qscheme")],
    *[f"torch.{name}" for name in (*_QUANTIZED, "qscheme")],
    "torch.choose_qparams_optimized",
    "torch.empty_quantized",
    "torch.fused_moving_avg_obs_fake_quant",
    "torch.per_channel_affine",
    "torch.per_channel_affine_float_qparams",
    "torch.per_channel_symmetric",
    "torch.per_tensor_affine",
    "torch.per_tensor_symmetric",
    "torch.quantize_per_channel",
    "torch.quantize_per_tensor",
    "torch.quantize_per_tensor_dynamic",
    *[
        f"torch.quantized_{name}"
        for name in (
            "batch_norm",
            "gru",
            "gru_cell",
            "lstm",
            "lstm_cell",
            "max_pool1d",
            "max_pool2d",
            "max_pool3d",
            "rnn_relu_cell",
            "rnn_tanh_cell",
        )
    ],
    *[
        f"torch.fbgemm_{name}"
        for name in (
            "linear_fp16_weight",
            "linear_fp16_weight_fp32_activation",
            "linear_int8_weight",
            "linear_int8_weight_fp32_activation",
            "linear_quantize_weight",
            "pack_gemm_matrix_fp16",
            "pack_quantized_matrix",
        )
    ],
    reason="Paddle has no quantized tensors of torch's kind",
    instead="paddle.quantization",
)
