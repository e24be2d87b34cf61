"""The public models that the bench runs: random weights, small configurations, fixed seeds.

Each entry builds a model in eval mode and its example inputs. A library's small form of a model,
such as `vit_test`, is preferred: the architecture's operations matter, not its size.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from decided_zoo import DECIDED
from image_zoo import IMAGES
from sequence_zoo import SEQUENCES
from text_zoo import TEXT
from timm_zoo import TIMM
from zoo_parts import Recipe

from workbench.upstream.vision import declare_operators

Built = tuple[torch.nn.Module, tuple[Any, ...], dict[str, Any]]


@dataclass(frozen=True)
class Entry:
    """One model of the bench: `library/name`, and how to build it."""

    library: str
    name: str
    build: Callable[[], Built]

    @property
    def id(self) -> str:
        return f"{self.library}/{self.name}"


def _timm(name: str, options: dict[str, Any]) -> Built:
    declare_operators()
    import timm

    options = dict(options)
    size = options.pop("size", options.get("img_size", 64))
    model = timm.create_model(options.pop("name", name), num_classes=10, **options)
    return model.eval(), (torch.randn(1, 3, size, size),), {}


TORCHVISION = {
    "alexnet": 64,
    "squeezenet1_1": 64,
    "googlenet": 64,
    "inception_v3": 96,
    "mobilenet_v2": 64,
    "mobilenet_v3_small": 64,
    "shufflenet_v2_x0_5": 64,
    "mnasnet0_5": 64,
    "resnet18": 64,
    "wide_resnet50_2": 64,
    "resnext50_32x4d": 64,
    "densenet121": 64,
    "efficientnet_b0": 64,
    "efficientnet_v2_s": 64,
    "regnet_y_400mf": 64,
    "convnext_tiny": 64,
    "vgg11": 64,
    "swin_t": 64,
    "swin_v2_t": 64,
    "maxvit_t": 224,
}
SEGMENTATION = ("fcn_resnet50", "deeplabv3_mobilenet_v3_large", "lraspp_mobilenet_v3_large")
DETECTION = (
    "fasterrcnn_mobilenet_v3_large_fpn",
    "retinanet_resnet50_fpn",
    "ssdlite320_mobilenet_v3_large",
)
VIDEO = ("r3d_18", "r2plus1d_18", "mc3_18", "swin3d_t")


def _torchvision(name: str, family: str, shape: tuple[int, ...]) -> Built:
    declare_operators()
    import torchvision.models as models

    home = models if family == "" else getattr(models, family)
    options: dict[str, Any] = {"weights": None, "num_classes": 10}
    if name in ("googlenet", "inception_v3"):
        options |= {"aux_logits": False, "init_weights": False}
    if family == "segmentation":
        options |= {"weights_backbone": None}
    return getattr(home, name)(**options).eval(), (torch.randn(*shape),), {}


def _detection(name: str) -> Built:
    """Return the part of a detector that a graph holds: its backbone, with the pyramid on it."""
    declare_operators()
    import torchvision.models.detection as home

    model = getattr(home, name)(weights=None, weights_backbone=None, num_classes=10)
    return model.backbone.eval(), (torch.randn(1, 3, 64, 64),), {}


def _flow() -> Built:
    declare_operators()
    from torchvision.models.optical_flow import raft_small

    frames = torch.randn(1, 3, 128, 128), torch.randn(1, 3, 128, 128)
    return raft_small().eval(), frames, {"num_flow_updates": 2}


_TEXT: dict[str, Any] = {
    "vocab_size": 99,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 37,
    "max_position_embeddings": 64,
}
_LLAMA = {**_TEXT, "num_key_value_heads": 2, "use_cache": False}
TRANSFORMERS: dict[str, dict[str, Any]] = {
    "Bert": {**_TEXT},
    "Roberta": {**_TEXT, "pad_token_id": 1},
    "Electra": {**_TEXT, "embedding_size": 32},
    "Albert": {**_TEXT, "embedding_size": 16},
    "DistilBert": {
        "vocab_size": 99,
        "dim": 32,
        "n_layers": 2,
        "n_heads": 4,
        "hidden_dim": 37,
    },
    "MPNet": {**_TEXT, "pad_token_id": 1},
    "Deberta": {**_TEXT},
    "DebertaV2": {**_TEXT},
    "ModernBert": {**_TEXT, "global_attn_every_n_layers": 2, "pad_token_id": 0},
    "ConvBert": {**_TEXT, "embedding_size": 32},
    "FNet": {**_TEXT},
    "RoFormer": {**_TEXT, "embedding_size": 32},
    "XLMRoberta": {**_TEXT, "pad_token_id": 1},
    "Camembert": {**_TEXT, "pad_token_id": 1},
    "GPT2": {
        "vocab_size": 99,
        "n_positions": 64,
        "n_embd": 32,
        "n_layer": 2,
        "n_head": 4,
        "use_cache": False,
    },
    "GPTNeoX": {**_TEXT, "use_cache": False},
    "GPTNeo": {
        "vocab_size": 99,
        "hidden_size": 32,
        "num_layers": 2,
        "num_heads": 4,
        "attention_types": [[["global", "local"], 1]],
        "max_position_embeddings": 64,
        "use_cache": False,
    },
    "GPTJ": {
        "vocab_size": 99,
        "n_positions": 64,
        "n_embd": 32,
        "n_layer": 2,
        "n_head": 4,
        "rotary_dim": 4,
        "use_cache": False,
    },
    "OPT": {
        **_TEXT,
        "ffn_dim": 37,
        "word_embed_proj_dim": 32,
        "use_cache": False,
    },
    "Bloom": {
        "vocab_size": 99,
        "hidden_size": 32,
        "n_layer": 2,
        "n_head": 4,
        "use_cache": False,
    },
    "Llama": _LLAMA,
    "Mistral": _LLAMA,
    "Qwen2": _LLAMA,
    "Qwen3": {**_LLAMA, "head_dim": 8},
    "Gemma": {**_LLAMA, "head_dim": 8},
    "Gemma2": {**_LLAMA, "head_dim": 8},
    "Phi": _LLAMA,
    "Phi3": {**_LLAMA, "pad_token_id": 0},
    "StableLm": _LLAMA,
    "Cohere": _LLAMA,
    "Olmo": _LLAMA,
    "Granite": _LLAMA,
    "Starcoder2": _LLAMA,
}
_IMAGE = {
    "image_size": 32,
    "patch_size": 8,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 37,
}
VISION: dict[str, tuple[dict[str, Any], int]] = {
    "ViT": (_IMAGE, 32),
    "DeiT": (_IMAGE, 32),
    "Beit": (_IMAGE, 32),
    "Dinov2": (_IMAGE, 32),
    "ResNet": ({"embedding_size": 8, "hidden_sizes": [8, 16], "depths": [1, 1]}, 32),
    "ConvNext": ({"hidden_sizes": [8, 16], "depths": [1, 1], "num_stages": 2}, 32),
    "MobileNetV2": ({}, 32),
    "Segformer": ({"hidden_sizes": [8, 16, 16, 32]}, 64),
    "PoolFormer": ({"hidden_sizes": [8, 16, 16, 32]}, 64),
    "Swin": (
        {
            "image_size": 32,
            "patch_size": 4,
            "embed_dim": 12,
            "window_size": 4,
            "depths": [1, 1],
            "num_heads": [3, 6],
        },
        32,
    ),
}


def _transformers(name: str, options: dict[str, Any]) -> Built:
    import transformers

    config = getattr(transformers, f"{name}Config")(**options)
    model = getattr(transformers, f"{name}Model")(config).eval()
    ids = torch.arange(2, 14).reshape(2, 6)
    return model, (ids,), {}


def _vision(name: str, options: dict[str, Any], size: int) -> Built:
    import transformers

    config = getattr(transformers, f"{name}Config")(**options)
    model = getattr(transformers, f"{name}Model")(config).eval()
    return model, (torch.randn(1, 3, size, size),), {}


def _t5() -> Built:
    import transformers

    config = transformers.T5Config(
        vocab_size=99, d_model=32, d_kv=8, d_ff=37, num_layers=2, num_heads=4, use_cache=False
    )
    ids = torch.arange(2, 14).reshape(2, 6)
    model = transformers.T5Model(config).eval()
    return model, (), {"input_ids": ids, "decoder_input_ids": ids[:, :4]}


def _whisper_encoder() -> Built:
    import transformers

    config = transformers.WhisperConfig(
        d_model=32,
        encoder_layers=2,
        encoder_attention_heads=4,
        encoder_ffn_dim=37,
        num_mel_bins=8,
        max_source_positions=16,
    )
    from transformers.models.whisper.modeling_whisper import WhisperEncoder

    return WhisperEncoder(config).eval(), (torch.randn(1, 8, 32),), {}


def _clip() -> Built:
    import transformers

    text = {**_TEXT, "eos_token_id": 98}
    config = transformers.CLIPConfig(
        text_config=text, vision_config={**_IMAGE, "image_size": 32}, projection_dim=16
    )
    ids = torch.arange(2, 14).reshape(2, 6)
    ids[:, -1] = 98
    model = transformers.CLIPModel(config).eval()
    return model, (), {"input_ids": ids, "pixel_values": torch.randn(2, 3, 32, 32)}


def _made(recipe: Recipe) -> Built:
    import transformers

    kind, config, options, inputs = recipe
    given = options() if callable(options) else options
    model = getattr(transformers, kind)(getattr(transformers, config)(**given))
    return model.eval(), (), inputs()


def entries() -> list[Entry]:
    """Return every model of the bench, in a fixed order."""
    found = [Entry("timm", name, partial(_timm, name, options)) for name, options in TIMM.items()]
    found += [
        Entry("torchvision", name, partial(_torchvision, name, "", (1, 3, size, size)))
        for name, size in TORCHVISION.items()
    ]
    found += [
        Entry("torchvision", name, partial(_torchvision, name, "segmentation", (1, 3, 64, 64)))
        for name in SEGMENTATION
    ]
    found += [
        Entry("torchvision", name, partial(_torchvision, name, "video", (1, 3, 8, 32, 32)))
        for name in VIDEO
    ]
    found += [Entry("torchvision", name, partial(_detection, name)) for name in DETECTION]
    found += [Entry("torchvision", "raft_small", _flow)]
    found += [
        Entry("transformers", name, partial(_transformers, name, options))
        for name, options in {**TRANSFORMERS, **TEXT}.items()
    ]
    found += [
        Entry("transformers", name, partial(_vision, name, *options))
        for name, options in VISION.items()
    ]
    found += [
        Entry("transformers", "T5", _t5),
        Entry("transformers", "WhisperEncoder", _whisper_encoder),
        Entry("transformers", "CLIP", _clip),
    ]
    found += [
        Entry("transformers", name, partial(_made, recipe))
        for name, recipe in {**IMAGES, **SEQUENCES, **DECIDED}.items()
    ]
    return found
