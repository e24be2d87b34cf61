"""Signatures: layers and their functions."""

from __future__ import annotations

SIGNATURES: dict[str, tuple[str, ...]] = {
    "torch.nn.attention.SDPBackend": ("(value)",),
    "torch.nn.Sequential.__getitem__": ("(idx, module=None)",),
    "torch.nn.Sequential.__setitem__": ("(idx, module=None)",),
    "torch.nn.Sequential.__delitem__": ("(idx, module=None)",),
    "torch.nn.ModuleDict": ("(modules=None)",),
    "torch.nn.functional.interpolate": (
        (
            "(input: Tensor, size=None, scale_factor=None, mode: str='nearest', "
            "align_corners=None, recompute_scale_factor=None, antialias: bool=False) -> Tensor"
        ),
    ),
    "torch.nn.utils.rnn.pad_packed_sequence": (
        "(sequence, batch_first=False, padding_value=0.0, total_length=None)",
    ),
}
