"""Quantization: results that are numbers, and tensors that Paddle does not have."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike

_WHOLE = "k = torch.quantize_per_tensor(x, 0.1, 3, torch.quint8)\n"
_PARTED = (
    "k = torch.quantize_per_channel(x, torch.tensor([0.1, 0.25, 0.5]), "
    "torch.tensor([3, 1, 0]), 0, torch.qint8)\n"
)

CASES: dict[str, tuple[str, ...]] = {
    "torch.fake_quantize_per_tensor_affine": (
        "torch.fake_quantize_per_tensor_affine(x, 0.1, 3, 0, 255)",
        (
            "r = torch.fake_quantize_per_tensor_affine(w, 0.25, zero_point=2, "
            "quant_min=0, quant_max=7)\nr.sum().backward()\ng = w.grad"
        ),
        (
            "torch.fake_quantize_per_tensor_affine(x * 4, torch.tensor(0.5), "
            "torch.tensor(3, dtype=torch.int32), 0, 15)"
        ),
    ),
    "torch.fake_quantize_per_channel_affine": (
        "torch.fake_quantize_per_channel_affine(x, p[:, 0], torch.zeros(3), 0, 0, 255)",
        (
            "k = torch.tensor([1, 2, 0, 3], dtype=torch.int32)\n"
            "r = torch.fake_quantize_per_channel_affine(w, p[0], k, axis=1, "
            "quant_min=-8, quant_max=7)\nr.sum().backward()\ng = w.grad"
        ),
    ),
    **alike(
        "torch",
        "quint8 qint8 qint32",
        "r = torch.quantize_per_tensor(x, 0.1, 3, torch.{name}).int_repr()",
    ),
    "torch.per_tensor_affine": (
        ("r = str(torch.per_tensor_affine), torch.per_tensor_affine == torch.per_tensor_affine"),
    ),
    **alike(
        "torch",
        "per_channel_affine per_tensor_symmetric per_channel_symmetric "
        "per_channel_affine_float_qparams",
        "r = str(torch.{name}), torch.{name} == torch.per_tensor_affine",
    ),
    "torch.quantize_per_tensor": (
        (_WHOLE + "r = k.int_repr(), k.dequantize(), k.shape, k.is_quantized\nk = None"),
        # No halves: torch 2.13 rounds after the zero point is added, 2.14 before.
        (
            "t = torch.tensor([-1.6, -0.4, 0.6, 1.4, 2.7, 300.0])\n"
            "torch.quantize_per_tensor(t, scale=1.0, zero_point=3, "
            "dtype=torch.quint8).int_repr()"
        ),
        ("torch.quantize_per_tensor(x, torch.tensor(0.1), torch.tensor(2), torch.qint8).q_scale()"),
        (
            "k = torch.quantize_per_tensor([x, y], torch.tensor([0.1, 0.2]), "
            "torch.tensor([0, 1]), torch.qint8)\nr = [one.int_repr() for one in k]\nk = None"
        ),
    ),
    "torch.quantize_per_channel": (
        (
            _PARTED + "r = k.int_repr(), k.dequantize(), k.qscheme() == torch.per_channel_affine\n"
            "k = None"
        ),
    ),
    **alike(
        "torch.Tensor",
        "dequantize int_repr q_scale q_zero_point",
        (_WHOLE + "r = k.{name}()\nk = None"),
    ),
    **alike("torch", "int_repr q_scale q_zero_point", (_WHOLE + "r = torch.{name}(k)\nk = None")),
    **alike(
        "torch.Tensor",
        "q_per_channel_axis q_per_channel_scales q_per_channel_zero_points",
        (_PARTED + "r = k.{name}()\nk = None"),
    ),
    **alike(
        "torch",
        "q_per_channel_axis q_per_channel_scales q_per_channel_zero_points",
        (_PARTED + "r = torch.{name}(k)\nk = None"),
    ),
    "torch.Tensor.qscheme": ((_WHOLE + "r = str(k.qscheme())\nk = None"),),
    "torch.Tensor.is_quantized": (
        "x.is_quantized",
        (_WHOLE + "r = k.is_quantized\nk = None"),
    ),
    "torch.dequantize": (
        (
            _WHOLE
            + "r = torch.dequantize(k), torch.dequantize([k, k]), torch.dequantize(x)\nk = None"
        ),
    ),
}
