"""Reports of events while Paddle runs: losses, steps, first calls of fresh layers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import paddle

from workbench.streams.torch_recorder import FreshWeights, outermost, patched, with_own
from workbench.targets.bridge import Hooks


@contextmanager
def watching(hooks: Hooks, fresh: FreshWeights) -> Iterator[None]:
    """While open, report to `hooks`."""

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

    def step(run: Callable[[], Any], optimizer: Any) -> Any:
        hooks.step(_parameters(optimizer))
        return run()

    def load(original: Any) -> Any:
        def run(path: Any, *args: Any, **kwargs: Any) -> Any:
            value = hooks.load(path)
            return original(path, *args, **kwargs) if value is None else value

        return run

    with ExitStack() as stack:
        stack.enter_context(patched(paddle, "load", load))
        stack.enter_context(patched(paddle.Tensor, "backward", backward))
        stack.enter_context(patched(paddle.nn.Layer, "__call__", call))
        stepped = outermost(step)
        for kind in with_own(paddle.optimizer.Optimizer, "step"):
            stack.enter_context(patched(kind, "step", stepped))
        yield


def _parameters(optimizer: Any) -> list[Any]:
    """Return the parameters that an optimizer updates, including those in groups."""
    found: list[Any] = []
    for one in getattr(optimizer, "_parameter_list", None) or ():
        found += one["params"] if isinstance(one, dict) else [one]
    return found
