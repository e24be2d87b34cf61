"""More language models of transformers for the bench: each in a configuration of a few layers."""

from __future__ import annotations

from typing import Any

_PLAIN = {
    "vocab_size": 99,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 37,
    "max_position_embeddings": 64,
}
_PADDED = {**_PLAIN, "pad_token_id": 1}
_DECODER = {**_PLAIN, "num_key_value_heads": 2, "use_cache": False}
_HEADS = {**_DECODER, "head_dim": 8}
_SHORT = {
    "vocab_size": 99,
    "n_positions": 64,
    "n_embd": 32,
    "n_layer": 2,
    "n_head": 4,
    "use_cache": False,
}
_BOTH = {
    "vocab_size": 99,
    "d_model": 32,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
    "encoder_ffn_dim": 37,
    "decoder_ffn_dim": 37,
    "max_position_embeddings": 64,
    "use_cache": False,
    "pad_token_id": 1,
}
_EXPERTS = {**_DECODER, "num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 16}

TEXT: dict[str, dict[str, Any]] = {
    "Bart": _BOTH,
    "MBart": _BOTH,
    "PLBart": _BOTH,
    "Electra": {**_PLAIN, "embedding_size": 32},
    "Ernie": _PLAIN,
    "MegatronBert": _PLAIN,
    "Nystromformer": _PLAIN,
    "MobileBert": {**_PLAIN, "embedding_size": 32, "intra_bottleneck_size": 32},
    "BigBird": {**_PLAIN, "attention_type": "original_full"},
    "Data2VecText": _PADDED,
    "RobertaPreLayerNorm": _PADDED,
    "IBert": _PADDED,
    "LayoutLM": _PLAIN,
    "Splinter": _PLAIN,
    "RemBert": {**_PLAIN, "input_embedding_size": 32},
    "XLNet": {"vocab_size": 99, "d_model": 32, "n_layer": 2, "n_head": 4, "d_inner": 37},
    "XLM": {"vocab_size": 99, "emb_dim": 32, "n_layers": 2, "n_heads": 4, "use_lang_emb": False},
    "CTRL": {**_SHORT, "dff": 37},
    "OpenAIGPT": _SHORT,
    "GPTBigCode": _SHORT,
    "CodeGen": {**_SHORT, "n_ctx": 64, "rotary_dim": 4},
    "Falcon": {
        "vocab_size": 99,
        "hidden_size": 32,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "use_cache": False,
    },
    "Mpt": {
        "vocab_size": 99,
        "d_model": 32,
        "n_layers": 2,
        "n_heads": 4,
        "max_seq_len": 64,
        "use_cache": False,
    },
    "Persimmon": _DECODER,
    "Nemotron": _DECODER,
    "Glm": {**_HEADS, "pad_token_id": 0},
    "Glm4": {**_HEADS, "pad_token_id": 0},
    "Olmo2": _DECODER,
    "Olmo3": _DECODER,
    "SmolLM3": {**_DECODER, "pad_token_id": 0},
    "Helium": _HEADS,
    "Cohere2": _DECODER,
    "Exaone4": _DECODER,
    "Apertus": _DECODER,
    "Arcee": _DECODER,
    "SeedOss": _HEADS,
    "Qwen2Moe": {**_EXPERTS, "shared_expert_intermediate_size": 16},
    "Qwen3Moe": {**_EXPERTS, "head_dim": 8},
    "Mamba": {
        "vocab_size": 99,
        "hidden_size": 32,
        "num_hidden_layers": 2,
        "state_size": 4,
        "use_cache": False,
    },
    "XGLM": {
        "vocab_size": 99,
        "d_model": 32,
        "num_layers": 2,
        "attention_heads": 4,
        "ffn_dim": 37,
        "max_position_embeddings": 64,
        "use_cache": False,
    },
    "BioGpt": {**_PLAIN, "use_cache": False},
    "Gemma3Text": _HEADS,
    "DiffLlama": _DECODER,
    "NomicBert": _PLAIN,
    "GPTNeoXJapanese": {**_PLAIN, "intermediate_multiple_size": 1, "use_cache": False},
}
