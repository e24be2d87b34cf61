"""Models of transformers that see: detection, depth, segmentation, video, documents, captions."""

from __future__ import annotations

from typing import Any

import torch
from zoo_parts import BOTH, DECODER, IMAGE, TEXT, Inputs, Recipe, ids, pixels, words

_WINDOWS: dict[str, Any] = {
    "image_size": 32,
    "patch_size": 4,
    "embed_dim": 12,
    "window_size": 4,
    "depths": [1, 1],
    "num_heads": [3, 6],
}


def _frames(count: int) -> Inputs:
    return {"pixel_values": torch.randn(2, count, 3, 32, 32)}


def _backbone(*stages: str) -> Any:
    import transformers

    return transformers.ResNetConfig(
        embedding_size=8,
        hidden_sizes=[8, 16, 24, 32],
        depths=[1, 1, 1, 1],
        out_features=list(stages),
    )


def _detector(*stages: str, **more: Any) -> dict[str, Any]:
    return {
        "backbone_config": _backbone(*stages),
        "use_timm_backbone": False,
        "backbone": None,
        "num_queries": 5,
        **BOTH,
        **more,
    }


def _dab() -> dict[str, Any]:
    options = _detector("stage4")
    return {**options, "hidden_size": options.pop("d_model")}


def _depth() -> dict[str, Any]:
    import transformers

    seen = transformers.Dinov2Config(
        **IMAGE,
        out_features=["stage1", "stage2"],
        apply_layernorm=True,
        reshape_hidden_states=False,
    )
    return {
        "backbone_config": seen,
        "patch_size": 8,
        "reassemble_hidden_size": 32,
        "reassemble_factors": [2, 1],
        "neck_hidden_sizes": [16, 16],
        "fusion_hidden_size": 16,
        "head_hidden_size": 8,
    }


def _pyramid() -> dict[str, Any]:
    import transformers

    stages = [f"stage{n}" for n in range(1, 5)]
    seen = transformers.ConvNextConfig(
        hidden_sizes=[8, 8, 16, 16], depths=[1, 1, 1, 1], out_features=stages
    )
    return {
        "backbone_config": seen,
        "hidden_size": 16,
        "auxiliary_in_channels": 16,
        "auxiliary_channels": 8,
        "num_labels": 5,
    }


def _real_time() -> dict[str, Any]:
    import transformers

    seen = transformers.RTDetrResNetConfig(
        embedding_size=8,
        hidden_sizes=[8, 16, 24, 32],
        depths=[1, 1, 1, 1],
        layer_type="basic",
        out_features=["stage2", "stage3", "stage4"],
    )
    return {
        **BOTH,
        "backbone_config": seen,
        "encoder_hidden_dim": 32,
        "encoder_in_channels": [16, 24, 32],
        "decoder_in_channels": [32, 32, 32],
        "num_queries": 5,
        "encoder_layers": 1,
        "disable_custom_kernels": True,
        "num_denoising": 0,
    }


def _llava() -> dict[str, Any]:
    import transformers

    return {
        "text_config": transformers.LlamaConfig(**DECODER),
        "vision_config": transformers.CLIPVisionConfig(**IMAGE),
        "image_token_index": 5,
        "vision_feature_layer": -1,
        "image_seq_length": 16,
    }


def _image_among_words() -> Inputs:
    return {"input_ids": torch.tensor([[6, *[5] * 16, 7, 8]] * 2), **pixels()}


def _document() -> Inputs:
    boxes = (ids(24).reshape(2, 6, 4) % 16).cumsum(-1)
    return {**words(), "bbox": boxes, **pixels()}


def _regions() -> Inputs:
    return {
        **words(),
        "visual_feats": torch.randn(2, 5, 16),
        "visual_pos": torch.rand(2, 5, 4),
    }


IMAGES: dict[str, Recipe] = {
    "Detr": ("DetrModel", "DetrConfig", lambda: _detector("stage4"), lambda: pixels(64)),
    "ConditionalDetr": (
        "ConditionalDetrModel",
        "ConditionalDetrConfig",
        lambda: _detector("stage4"),
        lambda: pixels(64),
    ),
    "DabDetr": ("DabDetrModel", "DabDetrConfig", _dab, lambda: pixels(64)),
    "DeformableDetr": (
        "DeformableDetrModel",
        "DeformableDetrConfig",
        lambda: _detector(
            "stage2", "stage3", "stage4", num_feature_levels=3, disable_custom_kernels=True
        ),
        lambda: pixels(64),
    ),
    "RTDetr": ("RTDetrModel", "RTDetrConfig", _real_time, lambda: pixels(64)),
    "DepthAnything": (
        "DepthAnythingForDepthEstimation",
        "DepthAnythingConfig",
        _depth,
        pixels,
    ),
    "UperNet": (
        "UperNetForSemanticSegmentation",
        "UperNetConfig",
        _pyramid,
        lambda: pixels(64),
    ),
    "Swinv2": ("Swinv2Model", "Swinv2Config", _WINDOWS, pixels),
    "DonutSwin": ("DonutSwinModel", "DonutSwinConfig", _WINDOWS, pixels),
    "Swin2SR": (
        "Swin2SRForImageSuperResolution",
        "Swin2SRConfig",
        {**_WINDOWS, "image_size": 16, "patch_size": 1, "num_heads": [2, 2]},
        lambda: pixels(16),
    ),
    "ConvNextV2": (
        "ConvNextV2Model",
        "ConvNextV2Config",
        {"hidden_sizes": [8, 16], "depths": [1, 1], "num_stages": 2},
        pixels,
    ),
    "MobileViTV2": (
        "MobileViTV2Model",
        "MobileViTV2Config",
        {"image_size": 64, "width_multiplier": 0.25},
        lambda: pixels(64),
    ),
    "Timesformer": (
        "TimesformerModel",
        "TimesformerConfig",
        {**IMAGE, "num_frames": 2},
        lambda: _frames(2),
    ),
    "VideoMAE": (
        "VideoMAEForVideoClassification",
        "VideoMAEConfig",
        {**IMAGE, "num_frames": 4, "tubelet_size": 2},
        lambda: _frames(4),
    ),
    "LayoutLMv3": (
        "LayoutLMv3Model",
        "LayoutLMv3Config",
        {
            **TEXT,
            "pad_token_id": 1,
            "input_size": 32,
            "patch_size": 8,
            "coordinate_size": 6,
            "shape_size": 4,
            "rel_pos_bins": 8,
            "rel_2d_pos_bins": 8,
        },
        _document,
    ),
    "Lxmert": (
        "LxmertModel",
        "LxmertConfig",
        {
            **{k: v for k, v in TEXT.items() if k != "num_hidden_layers"},
            "l_layers": 2,
            "x_layers": 1,
            "r_layers": 1,
            "visual_feat_dim": 16,
        },
        _regions,
    ),
    "Llava": ("LlavaForConditionalGeneration", "LlavaConfig", _llava, _image_among_words),
    "BlipForImageTextRetrieval": (
        "BlipForImageTextRetrieval",
        "BlipConfig",
        {
            "text_config": {**TEXT, "encoder_hidden_size": 32},
            "vision_config": IMAGE,
            "projection_dim": 16,
            "image_text_hidden_size": 16,
        },
        lambda: {**words(), **pixels()},
    ),
    "Blip2QFormer": (
        "Blip2QFormerModel",
        "Blip2QFormerConfig",
        {**TEXT, "encoder_hidden_size": 32},
        lambda: {
            "query_embeds": torch.randn(2, 4, 32),
            "encoder_hidden_states": torch.randn(2, 5, 32),
        },
    ),
    "Perceiver": (
        "PerceiverModel",
        "PerceiverConfig",
        {
            "num_latents": 8,
            "d_latents": 16,
            "d_model": 16,
            "num_blocks": 1,
            "num_self_attends_per_block": 2,
            "num_self_attention_heads": 2,
            "num_cross_attention_heads": 2,
        },
        lambda: {"inputs": torch.randn(2, 10, 16)},
    ),
}
