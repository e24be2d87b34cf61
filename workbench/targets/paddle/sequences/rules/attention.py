"""Attention and transformer layers."""

from __future__ import annotations

from workbench.rules.rule import RuleSet

rules = RuleSet()


def _same(name: str, *, note: str | None = None) -> None:
    rules.counterpart(f"torch.nn.{name}", f"Torch{name}", note=note)


rules.counterpart(
    "torch.nn.functional.scaled_dot_product_attention", "torch_scaled_dot_product_attention"
)
_same("MultiheadAttention")
_same("TransformerEncoderLayer")
_same("TransformerDecoderLayer")
_same(
    "TransformerEncoder",
    note="at padded positions torch returns zeros if gradients are off; this encoder returns"
    " computed values",
)
_same("TransformerDecoder")
_same("Transformer")
rules.row(
    "torch.nn.Transformer.generate_square_subsequent_mask",
    "torch_subsequent_mask({sz}, device={device}, dtype={dtype})",
)
