"""Models of transformers whose code decides by their data, or by whether they are traced."""

from __future__ import annotations

from typing import Any

from zoo_parts import BOTH, DECODER, IMAGE, TEXT, Inputs, Recipe, ids, pixels, series, words


def _both() -> Inputs:
    return {**words(8), "decoder_input_ids": ids(4)}


_SPEECH: dict[str, Any] = {
    "vocab_size": 40,
    "hidden_size": 32,
    "num_mel_bins": 16,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "encoder_num_attention_heads": 2,
    "decoder_num_attention_heads": 2,
    "encoder_linear_units": 32,
    "decoder_linear_units": 32,
    "speech_decoder_postnet_units": 16,
}

DECIDED: dict[str, Recipe] = {
    "Longformer": (
        "LongformerModel",
        "LongformerConfig",
        {**TEXT, "attention_window": 4, "pad_token_id": 1},
        lambda: words(8),
    ),
    "LED": (
        "LEDModel",
        "LEDConfig",
        {
            **BOTH,
            "vocab_size": 99,
            "attention_window": 4,
            "max_encoder_position_embeddings": 64,
            "max_decoder_position_embeddings": 64,
            "use_cache": False,
        },
        _both,
    ),
    "FSMT": (
        "FSMTModel",
        "FSMTConfig",
        {**BOTH, "src_vocab_size": 99, "tgt_vocab_size": 99, "use_cache": False},
        _both,
    ),
    "Dbrx": (
        "DbrxModel",
        "DbrxConfig",
        {
            "vocab_size": 99,
            "d_model": 32,
            "n_heads": 4,
            "n_layers": 2,
            "max_seq_len": 64,
            "attn_config": {"kv_n_heads": 2, "clip_qkv": 8.0, "rope_theta": 10000.0},
            "ffn_config": {"ffn_hidden_size": 16, "moe_num_experts": 4, "moe_top_k": 2},
            "use_cache": False,
        },
        words,
    ),
    "FastSpeech2Conformer": (
        "FastSpeech2ConformerModel",
        "FastSpeech2ConformerConfig",
        _SPEECH,
        lambda: {"input_ids": ids() % 40},
    ),
    "Informer": (
        "InformerModel",
        "InformerConfig",
        {
            **BOTH,
            "d_model": 16,
            "prediction_length": 4,
            "context_length": 8,
            "num_time_features": 2,
            "lags_sequence": [1, 2, 3],
        },
        series,
    ),
    "PaliGemmaText": (
        "PaliGemmaModel",
        "PaliGemmaConfig",
        {
            "text_config": {**DECODER, "model_type": "gemma", "head_dim": 8},
            "vision_config": {**IMAGE, "projection_dim": 32},
            "projection_dim": 32,
            "image_token_id": 98,
        },
        words,
    ),
    "Radio": (
        "RadioModel",
        "RadioConfig",
        {**IMAGE},
        pixels,
    ),
}
