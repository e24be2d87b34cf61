"""What a run hears while Paddle executes: losses, and first calls of layers with fresh weights."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import paddle

from workbench.streams.torch_recorder import FreshWeights, patched
from workbench.targets.bridge import Hooks


@contextmanager
def watching(hooks: Hooks, fresh: FreshWeights) -> Iterator[None]:
    """Report to `hooks` while open."""

    def backward(original: Any) -> Any:
        def run(tensor: Any, *args: Any, **kwargs: Any) -> Any:
            hooks.loss(tensor)
            return original(tensor, *args, **kwargs)

        return run

    def call(original: Any) -> Any:
        def run(layer: Any, *args: Any, **kwargs: Any) -> Any:
            if hasattr(layer, "has_uninitialized_params"):
                layer.initialize_parameters(*args, **kwargs)
            if fresh and any(tensor in fresh for tensor in layer.parameters()):
                hooks.fresh_call(layer)
                for tensor in layer.parameters():
                    fresh.discard(tensor)
            return original(layer, *args, **kwargs)

        return run

    with (
        patched(paddle.Tensor, "backward", backward),
        patched(paddle.nn.Layer, "__call__", call),
    ):
        yield
