"""Inputs that fit a model, guessed from its first layer with a size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Inputs:
    """An expression that makes the inputs, and the layer that says so."""

    text: str
    layer: str


def guess_inputs(model: Any) -> Inputs | None:
    """Return inputs for a batch of two, or None if no layer shows its input."""
    for name, layer in model.named_modules():
        text = _expression(layer)
        if text is not None:
            label = f"{name} ({type(layer).__name__})" if name else type(layer).__name__
            return Inputs(text + _suffix(model), label)
    return None


def _expression(layer: Any) -> str | None:
    from torch import nn

    match layer:
        case nn.modules.lazy.LazyModuleMixin():
            return None
        case nn.TransformerEncoderLayer() | nn.TransformerEncoder():
            width = next(p.shape[-1] for p in layer.parameters())
            return f"torch.randn(2, 16, {width})"
        case nn.MultiheadAttention():
            return ", ".join([f"torch.randn(2, 16, {layer.embed_dim})"] * 3)
        case nn.Embedding():
            return f"torch.randint({layer.num_embeddings}, (2, 16))"
        case nn.RNNBase():
            return f"torch.randn(2, 16, {layer.input_size})"
        case nn.Conv1d():
            return f"torch.randn(2, {layer.in_channels}, 32)"
        case nn.Conv2d():
            return f"torch.randn(2, {layer.in_channels}, 32, 32)"
        case nn.Conv3d():
            return f"torch.randn(2, {layer.in_channels}, 8, 32, 32)"
        case nn.BatchNorm2d():
            return f"torch.randn(2, {layer.num_features}, 32, 32)"
        case nn.Linear():
            return f"torch.randn(2, {layer.in_features})"
        case nn.LayerNorm():
            return f"torch.randn(2, {', '.join(map(str, layer.normalized_shape))})"
    return None


def _suffix(model: Any) -> str:
    """Return the call that moves inputs to the model's device, or an empty text for a CPU."""
    parameter = next(iter(model.parameters()), None)
    if parameter is None or parameter.device.type == "cpu":
        return ""
    return f'.to("{parameter.device}")'
