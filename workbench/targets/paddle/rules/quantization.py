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
_LEVELS = (
    "a quantized tensor is one of the values that it stands for, which remembers its levels: "
    "what is computed from it is not quantized"
)
_WORD = "it stands for what torch quantizes to, in calls that quantize"
for _name in ("quint8", "qint8", "qint32"):
    rules.row(
        f"torch.{_name}",
        f"'torch.{_name}'",
        note=_WORD,
        cases=[f"r = torch.quantize_per_tensor(x, 0.1, 3, torch.{_name}).int_repr()"],
    )
for _name in (
    "per_tensor_affine",
    "per_channel_affine",
    "per_tensor_symmetric",
    "per_channel_symmetric",
    "per_channel_affine_float_qparams",
):
    rules.row(
        f"torch.{_name}",
        f"'torch.{_name}'",
        note="a word stands in its place",
        cases=[f"r = str(torch.{_name}), torch.{_name} == torch.per_tensor_affine"],
    )
_WHOLE = "k = torch.quantize_per_tensor(x, 0.1, 3, torch.quint8)\n"
_PARTED = (
    "k = torch.quantize_per_channel(x, torch.tensor([0.1, 0.25, 0.5]), torch.tensor([3, 1, 0]), "
    "0, torch.qint8)\n"
)
rules.row(
    "torch.quantize_per_tensor",
    "torch_quantize({input}, {scale}, {zero_point}, {dtype})",
    signature="(input, scale, zero_point, dtype)",
    caveat=_LEVELS,
    cases=[
        f"{_WHOLE}r = k.int_repr(), k.dequantize(), k.shape, k.is_quantized\nk = None",
        "t = torch.tensor([-1.5, -0.5, 0.5, 1.5, 2.5, 300.0])\n"
        "torch.quantize_per_tensor(t, scale=1.0, zero_point=3, dtype=torch.quint8).int_repr()",
        "torch.quantize_per_tensor(x, torch.tensor(0.1), torch.tensor(2), torch.qint8).q_scale()",
        "k = torch.quantize_per_tensor([x, y], torch.tensor([0.1, 0.2]), torch.tensor([0, 1]), "
        "torch.qint8)\nr = [one.int_repr() for one in k]\nk = None",
    ],
)
rules.row(
    "torch.quantize_per_channel",
    "torch_quantize({input}, {scales}, {zero_points}, {dtype}, {axis})",
    caveat=_LEVELS,
    cases=[
        f"{_PARTED}r = k.int_repr(), k.dequantize(), k.qscheme() == torch.per_channel_affine\n"
        "k = None"
    ],
)
for _name, _template, _case in (
    ("dequantize", "torch_dequantize({0})", f"{_WHOLE}r = {{0}}\nk = None"),
    ("int_repr", "torch_quantization({0}).levels", f"{_WHOLE}r = {{0}}\nk = None"),
    ("q_scale", "torch_quantization({0}).scale", f"{_WHOLE}r = {{0}}\nk = None"),
    ("q_zero_point", "torch_quantization({0}).zero_point", f"{_WHOLE}r = {{0}}\nk = None"),
    ("q_per_channel_axis", "torch_quantization({0}).axis", f"{_PARTED}r = {{0}}\nk = None"),
    ("q_per_channel_scales", "torch_quantization({0}).scale", f"{_PARTED}r = {{0}}\nk = None"),
    (
        "q_per_channel_zero_points",
        "torch_quantization({0}).zero_point",
        f"{_PARTED}r = {{0}}\nk = None",
    ),
    ("qscheme", "torch_quantization({0}).scheme", f"{_WHOLE}r = str({{0}})\nk = None"),
):
    rules.row(f"{_T}{_name}", _template.format("{self}"), cases=[_case.format(f"k.{_name}()")])
    if _name in {"dequantize", "qscheme"}:
        continue
    rules.row(
        f"torch.{_name}",
        _template.format("{input}"),
        signature="(input)",
        cases=[_case.format(f"torch.{_name}(k)")],
    )
rules.row(
    f"{_T}is_quantized",
    "hasattr({self}, 'quantization')",
    cases=["x.is_quantized", f"{_WHOLE}r = k.is_quantized\nk = None"],
)
rules.row(
    "torch.dequantize",
    "torch_dequantize({input})",
    signature="(input)",
    cases=[
        f"{_WHOLE}r = torch.dequantize(k), torch.dequantize([k, k]), torch.dequantize(x)\nk = None"
    ],
)
rules.refuse(
    "torch.qscheme",
    "torch.choose_qparams_optimized",
    "torch.empty_quantized",
    "torch.fused_moving_avg_obs_fake_quant",
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
