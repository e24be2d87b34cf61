"""Inputs for a model whose inputs nobody wrote down, guessed from its first layers."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterator
from typing import Any

import torch
from torch import nn

from workbench.subjects import read_input

_IMAGES = (32, 64, 224)


def guessed_inputs(model: Any, module: Any) -> tuple[str, ...]:
    """Return inputs that a model runs with, as `verify` takes them; empty if none is found.

    Args:
        model: the original's model.
        module: its Python module.
    """
    count = _required(model)
    if not count:
        return ()
    for shape in dict.fromkeys(_shapes(model)):
        inputs = (shape,) * count
        if runs(model, inputs, module) is None:
            return inputs
    return ()


def runs(model: Any, inputs: tuple[str, ...], module: Any) -> str | None:
    """Return why a model of torch does not run with inputs, or None if it does."""
    torch.manual_seed(0)
    try:
        args: list[Any] = []
        kwargs: dict[str, Any] = {}
        for text in inputs:
            name, mark, value = text.partition("=")
            if mark and name.isidentifier():
                kwargs[name] = read_input(value, module)
            else:
                args.append(read_input(text, module))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model(*args, **kwargs)
    except Exception as error:
        return f"{type(error).__name__}: {error}".partition("\n")[0]
    return None


def _required(model: Any) -> int:
    """Return how many inputs a model requires."""
    try:
        taken = inspect.signature(getattr(model, "forward", model)).parameters.values()
    except (TypeError, ValueError):
        return 1
    plain = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    several = any(one.kind is one.VAR_POSITIONAL for one in taken)
    needed = sum(one.default is one.empty and one.kind in plain for one in taken)
    return needed or int(several)


def _shapes(model: Any) -> Iterator[str]:
    """Yield shapes that the first layers with a size suggest, then common ones."""
    layers = list(model.modules()) if isinstance(model, nn.Module) else []
    for layer in [one for one in layers if not list(one.children())][:8]:
        yield from _of_layer(layer)
    yield from ("2x4", "2x3x8", "2x3x16x16", "2x3x32x32")


def _of_layer(layer: nn.Module) -> Iterator[str]:
    if isinstance(layer, nn.Linear):
        size = layer.in_features
        yield from (f"2x{size}", f"2x5x{size}")
    elif isinstance(layer, nn.Embedding):
        yield f"2x8:int64:{layer.num_embeddings}"
    elif isinstance(layer, nn.Conv1d):
        yield from (f"2x{layer.in_channels}x{size}" for size in (32, 256))
    elif isinstance(layer, nn.Conv2d):
        yield from (f"2x{layer.in_channels}x{size}x{size}" for size in _IMAGES)
    elif isinstance(layer, nn.Conv3d):
        yield f"2x{layer.in_channels}x8x32x32"
    elif isinstance(layer, nn.RNNBase):
        yield f"2x5x{layer.input_size}"
    elif isinstance(layer, nn.LayerNorm):
        sizes = "x".join(map(str, layer.normalized_shape))
        yield from (f"2x{sizes}", f"2x5x{sizes}")
    elif isinstance(layer, nn.modules.batchnorm._BatchNorm):
        channels = layer.num_features
        yield from (f"4x{channels}", f"4x{channels}x8", f"4x{channels}x16x16")
