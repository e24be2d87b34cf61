"""Models of transformers over sequences: speech, time series, state spaces, experts, and results
with losses, caches and all states."""

from __future__ import annotations

from typing import Any

import torch
from zoo_parts import BOTH, DECODER, IMAGE, TEXT, Inputs, Recipe, ids, masked, series, words

_SERIES: dict[str, Any] = {
    **BOTH,
    "prediction_length": 4,
    "context_length": 8,
    "num_time_features": 2,
    "lags_sequence": [1, 2, 3],
}
_SPEECH: dict[str, Any] = {
    "vocab_size": 32,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 64,
    "conv_dim": (16, 16),
    "conv_kernel": (4, 4),
    "conv_stride": (4, 4),
    "num_feat_extract_layers": 2,
    "num_conv_pos_embeddings": 16,
    "num_conv_pos_embedding_groups": 2,
}
_STATES: dict[str, Any] = {
    "mamba_n_heads": 8,
    "mamba_n_groups": 1,
    "mamba_d_state": 8,
    "mamba_d_head": 8,
    "mamba_chunk_size": 4,
}
_LATENT: dict[str, Any] = {
    **DECODER,
    "num_key_value_heads": 4,
    "moe_intermediate_size": 16,
    "n_routed_experts": 4,
    "n_group": 2,
    "topk_group": 1,
    "num_experts_per_tok": 2,
    "q_lora_rank": 16,
    "kv_lora_rank": 16,
    "qk_rope_head_dim": 8,
    "qk_nope_head_dim": 8,
    "v_head_dim": 8,
    "first_k_dense_replace": 1,
}
_GPT: dict[str, Any] = {
    "vocab_size": 99,
    "n_positions": 64,
    "n_embd": 32,
    "n_layer": 2,
    "n_head": 4,
}


def _channels() -> Inputs:
    return {"past_values": torch.randn(2, 16, 2)}


def _wave(length: int = 400) -> Inputs:
    return {"input_values": torch.randn(2, length)}


def _trajectory() -> Inputs:
    return {
        "states": torch.randn(2, 6, 5),
        "actions": torch.randn(2, 6, 3),
        "rewards": torch.randn(2, 6, 1),
        "returns_to_go": torch.randn(2, 6, 1),
        "timesteps": torch.arange(6).repeat(2, 1),
        "attention_mask": torch.ones(2, 6, dtype=torch.long),
    }


def _pair() -> Inputs:
    return {**words(), "decoder_input_ids": ids(4)}


SEQUENCES: dict[str, Recipe] = {
    "AST": (
        "ASTModel",
        "ASTConfig",
        {
            **{k: v for k, v in IMAGE.items() if k != "image_size"},
            "patch_size": 4,
            "frequency_stride": 4,
            "time_stride": 4,
            "max_length": 24,
            "num_mel_bins": 16,
        },
        lambda: {"input_values": torch.randn(2, 24, 16)},
    ),
    "Wav2Vec2ForCTC": (
        "Wav2Vec2ForCTC",
        "Wav2Vec2Config",
        _SPEECH,
        lambda: {**_wave(), "attention_mask": torch.ones(2, 400, dtype=torch.long)},
    ),
    "Hubert": ("HubertModel", "HubertConfig", _SPEECH, _wave),
    "SEW": ("SEWModel", "SEWConfig", {**_SPEECH, "squeeze_factor": 2}, _wave),
    "Wav2Vec2Conformer": (
        "Wav2Vec2ConformerModel",
        "Wav2Vec2ConformerConfig",
        {**_SPEECH, "conv_depthwise_kernel_size": 3},
        _wave,
    ),
    "Whisper": (
        "WhisperForConditionalGeneration",
        "WhisperConfig",
        {
            **BOTH,
            "vocab_size": 99,
            "num_mel_bins": 8,
            "max_source_positions": 16,
            "max_target_positions": 32,
            "pad_token_id": 0,
            "bos_token_id": 1,
            "eos_token_id": 2,
            "decoder_start_token_id": 1,
        },
        lambda: {"input_features": torch.randn(2, 8, 32), "decoder_input_ids": ids(4)},
    ),
    "Dac": (
        "DacModel",
        "DacConfig",
        {
            "encoder_hidden_size": 8,
            "decoder_hidden_size": 32,
            "downsampling_ratios": [2, 4],
            "upsampling_ratios": [4, 2],
            "n_codebooks": 2,
            "codebook_size": 16,
            "codebook_dim": 4,
        },
        lambda: {"input_values": torch.randn(2, 1, 160)},
    ),
    "TimeSeriesTransformer": (
        "TimeSeriesTransformerModel",
        "TimeSeriesTransformerConfig",
        _SERIES,
        series,
    ),
    "Autoformer": (
        "AutoformerModel",
        "AutoformerConfig",
        {**_SERIES, "moving_average": 3, "label_length": 4},
        series,
    ),
    "PatchTST": (
        "PatchTSTModel",
        "PatchTSTConfig",
        {
            "num_input_channels": 2,
            "context_length": 16,
            "patch_length": 4,
            "patch_stride": 4,
            "d_model": 16,
            "num_attention_heads": 2,
            "num_hidden_layers": 2,
            "ffn_dim": 32,
        },
        _channels,
    ),
    "PatchTSMixer": (
        "PatchTSMixerModel",
        "PatchTSMixerConfig",
        {
            "num_input_channels": 2,
            "context_length": 16,
            "patch_length": 4,
            "patch_stride": 4,
            "d_model": 16,
            "num_layers": 2,
        },
        _channels,
    ),
    "DecisionTransformer": (
        "DecisionTransformerModel",
        "DecisionTransformerConfig",
        {
            "state_dim": 5,
            "act_dim": 3,
            "hidden_size": 32,
            "n_layer": 2,
            "n_head": 4,
            "max_ep_len": 20,
            "use_cache": False,
        },
        _trajectory,
    ),
    "Reformer": (
        "ReformerModel",
        "ReformerConfig",
        {
            "vocab_size": 99,
            "hidden_size": 32,
            "num_attention_heads": 4,
            "attention_head_size": 8,
            "feed_forward_size": 32,
            "attn_layers": ["local", "local"],
            "local_attn_chunk_length": 4,
            "axial_pos_embds": False,
            "max_position_embeddings": 64,
            "is_decoder": False,
        },
        lambda: words(8),
    ),
    "BigBirdSparse": (
        "BigBirdModel",
        "BigBirdConfig",
        {
            **TEXT,
            "max_position_embeddings": 256,
            "attention_type": "block_sparse",
            "block_size": 4,
            "num_random_blocks": 2,
        },
        lambda: masked(64),
    ),
    "LongT5": (
        "LongT5Model",
        "LongT5Config",
        {
            "vocab_size": 99,
            "d_model": 32,
            "d_kv": 8,
            "d_ff": 64,
            "num_layers": 2,
            "num_heads": 4,
            "local_radius": 3,
            "use_cache": False,
            "encoder_attention_type": "transient-global",
            "global_block_size": 4,
        },
        lambda: {**masked(12), "decoder_input_ids": ids(4)},
    ),
    "Mamba2": (
        "Mamba2Model",
        "Mamba2Config",
        {
            "vocab_size": 99,
            "hidden_size": 32,
            "num_hidden_layers": 2,
            "state_size": 8,
            "num_heads": 8,
            "head_dim": 8,
            "n_groups": 2,
            "chunk_size": 4,
            "use_cache": False,
        },
        words,
    ),
    "Bamba": (
        "BambaModel",
        "BambaConfig",
        {**DECODER, **_STATES, "attn_layer_indices": [1]},
        words,
    ),
    "Mixtral": (
        "MixtralModel",
        "MixtralConfig",
        {**DECODER, "num_local_experts": 4, "num_experts_per_tok": 2},
        words,
    ),
    "DeepseekV3": ("DeepseekV3Model", "DeepseekV3Config", _LATENT, words),
    "BertForQuestionAnswering": (
        "BertForQuestionAnswering",
        "BertConfig",
        TEXT,
        masked,
    ),
    "BertWithLoss": (
        "BertForSequenceClassification",
        "BertConfig",
        TEXT,
        lambda: {**words(), "labels": torch.tensor([0, 1])},
    ),
    "GPT2WithLoss": (
        "GPT2LMHeadModel",
        "GPT2Config",
        {**_GPT, "use_cache": False},
        lambda: {**words(), "labels": ids()},
    ),
    "GPT2WithCache": ("GPT2LMHeadModel", "GPT2Config", _GPT, words),
    "LlamaWithCache": ("LlamaForCausalLM", "LlamaConfig", {**DECODER, "use_cache": True}, words),
    "GPT2WithStates": (
        "GPT2Model",
        "GPT2Config",
        {
            **_GPT,
            "output_hidden_states": True,
            "output_attentions": True,
            "attn_implementation": "eager",
        },
        words,
    ),
    "T5ForConditionalGeneration": (
        "T5ForConditionalGeneration",
        "T5Config",
        {"vocab_size": 99, "d_model": 32, "d_kv": 8, "d_ff": 64, "num_layers": 2, "num_heads": 4},
        lambda: {**masked(), "decoder_input_ids": ids(4)},
    ),
    "MBartForConditionalGeneration": (
        "MBartForConditionalGeneration",
        "MBartConfig",
        {**BOTH, "vocab_size": 99, "max_position_embeddings": 64},
        _pair,
    ),
}
