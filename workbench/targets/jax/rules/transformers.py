"""Attention and the layers of transformers."""

from __future__ import annotations

from workbench.rules.difference import unless
from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Refusal, Rewrite
from workbench.rules.rule import RuleSet

rules = RuleSet()
_N = "torch.nn."
_NESTED = unless(
    "if it gets a padding mask in evaluation: torch gives zeros at padded places where it uses"
    " nested tensors"
)


def _options(match: Match, names: str) -> str:
    return "".join(f", {one}={{{one}}}" for one in names.split() if match.given(one))


def _left(match: Match) -> frozenset[str]:
    return frozenset(one for one in match.arguments if match.is_default(one) or one == "device")


@rules.rule(_N + "MultiheadAttention")
def attention(match: Match) -> Outcome:
    """Write the short layer, for keys and values as wide as queries."""
    if match.given("add_bias_kv", "add_zero_attn", "kdim", "vdim", "dtype"):
        return Refusal("only keys and values as wide as queries are converted")
    options = _options(match, "dropout bias batch_first")
    return Rewrite(
        f"TorchMultiheadAttention({{embed_dim}}, {{num_heads}}{options}, rngs=rngs)",
        consumed=_left(match),
    )


@rules.rule(_N + "TransformerEncoderLayer")
def encoder_layer(match: Match) -> Outcome:
    """Write the short layer with torch's order of norms."""
    if match.given("dtype"):
        return Refusal("only layers of 32 bits are converted")
    options = _options(
        match,
        "dim_feedforward dropout activation layer_norm_eps batch_first norm_first bias",
    )
    return Rewrite(
        f"TorchTransformerEncoderLayer({{d_model}}, {{nhead}}{options}, rngs=rngs)",
        consumed=_left(match),
    )


@rules.rule(_N + "TransformerEncoder")
def encoder(match: Match) -> Outcome:
    """Write the stack of copies."""
    nested = match.constant("enable_nested_tensor", True) is not False
    return Rewrite(
        f"TorchTransformerEncoder({{encoder_layer}}, {{num_layers}}{_options(match, 'norm')})",
        consumed=_left(match) | ({"enable_nested_tensor", "mask_check"} & match.arguments.keys()),
        differs=_NESTED if nested else (),
    )


for _name in (
    "MultiheadAttention",
    "TransformerEncoderLayer",
    "TransformerEncoder",
    "EmbeddingBag",
):
    rules.row(f"{_N}{_name}.forward", "{self}.__call__(...)", value="{self}.__call__")
for _name in ("num_heads", "batch_first", "in_proj_weight", "in_proj_bias", "out_proj"):
    rules.keep(f"{_N}MultiheadAttention.{_name}")
rules.keep(f"{_N}TransformerEncoder.layers")
