"""Parts of the zoo's entries: small configurations, and inputs of a batch of two."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

Inputs = dict[str, Any]
Options = dict[str, Any] | Callable[[], dict[str, Any]]
TEXT: dict[str, Any] = {
    "vocab_size": 99,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 64,
    "max_position_embeddings": 64,
}
DECODER = {**TEXT, "num_key_value_heads": 2, "use_cache": False, "pad_token_id": 0}
IMAGE: dict[str, Any] = {
    "image_size": 32,
    "patch_size": 8,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 64,
}
BOTH: dict[str, Any] = {
    "d_model": 32,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
    "encoder_ffn_dim": 64,
    "decoder_ffn_dim": 64,
}


def ids(length: int = 6) -> torch.Tensor:
    """Return ids of two sentences, the same on every run."""
    return torch.arange(3, 3 + 2 * length).reshape(2, length) % 90


def pixels(size: int = 32) -> Inputs:
    """Two images."""
    return {"pixel_values": torch.randn(2, 3, size, size)}


def words(length: int = 6) -> Inputs:
    """Two sentences."""
    return {"input_ids": ids(length)}


def masked(length: int = 6) -> Inputs:
    """Two sentences, the second of them padded."""
    mask = torch.ones(2, length, dtype=torch.long)
    mask[1, -2:] = 0
    return {**words(length), "attention_mask": mask}


# A class of transformers, its configuration's class, options, inputs.
Recipe = tuple[str, str, Options, Callable[[], Inputs]]


def series() -> Inputs:
    """Two series of one variable, with features of their times and what comes after."""
    return {
        "past_values": torch.randn(2, 11),
        "past_time_features": torch.randn(2, 11, 2),
        "past_observed_mask": torch.ones(2, 11),
        "future_values": torch.randn(2, 4),
        "future_time_features": torch.randn(2, 4, 2),
    }
