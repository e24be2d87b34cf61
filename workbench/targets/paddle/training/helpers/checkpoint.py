"""Recomputing instead of keeping what a backward pass needs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import paddle


def torch_checkpoint(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """`torch.utils.checkpoint.checkpoint`: the random state is kept, as torch keeps it."""
    return paddle.distributed.fleet.utils.recompute(function, *args, **kwargs)


def torch_checkpoint_sequential(functions: Any, segments: int, input: Any) -> Any:
    """`torch.utils.checkpoint.checkpoint_sequential`: the last part is not recomputed."""
    layers = list(functions.children()) if isinstance(functions, paddle.nn.Layer) else functions
    layers = list(layers)
    size = len(layers) // segments

    def part(start: int, end: int) -> Callable[[Any], Any]:
        def run(value: Any) -> Any:
            for layer in layers[start:end]:
                value = layer(value)
            return value

        return run

    for start in range(0, size * (segments - 1), max(size, 1)):
        input = torch_checkpoint(part(start, start + size), input)
    return part(size * (segments - 1), len(layers))(input)
