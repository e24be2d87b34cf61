"""Signatures: names outside the larger namespaces."""

from __future__ import annotations

SIGNATURES: dict[str, tuple[str, ...]] = {
    "torch.quantize_per_tensor": ("(input, scale, zero_point, dtype)",),
    "torch.int_repr": ("(input)",),
    "torch.q_scale": ("(input)",),
    "torch.q_zero_point": ("(input)",),
    "torch.q_per_channel_axis": ("(input)",),
    "torch.q_per_channel_scales": ("(input)",),
    "torch.q_per_channel_zero_points": ("(input)",),
    "torch.dequantize": ("(input)",),
}
