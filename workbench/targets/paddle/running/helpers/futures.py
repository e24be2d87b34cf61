"""Futures under the names of torch's."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import Any

from workbench.targets.paddle.modules.helpers.class_names import torch_named


@torch_named
class TorchFuture(Future):  # type: ignore[type-arg]  # as users may write it
    """`torch.futures.Future`, by Python's future."""

    def __init__(self, *, devices: Any = None) -> None:
        super().__init__()

    def wait(self) -> Any:
        return self.result()

    def value(self) -> Any:
        if not self.done():
            raise RuntimeError("the future is not complete")
        return self.result()

    def set_result(self, result: Any) -> None:
        if self.done():
            raise RuntimeError("the future is complete already")
        super().set_result(result)

    def then(self, callback: Callable[[Any], Any]) -> Any:
        following = TorchFuture()

        def call(future: Any) -> None:
            try:
                following.set_result(callback(future))
            except Exception as error:
                text = f"{type(error).__name__}: {error}"
                following.set_exception(RuntimeError(f"the callback raised {text}"))

        self.add_done_callback(call)
        return following


def torch_fork(func: Callable[..., Any], /, *args: Any, **kwargs: Any) -> TorchFuture:
    """`torch.jit.fork` outside TorchScript: call the function at once."""
    future = TorchFuture()
    future.set_result(func(*args, **kwargs))
    return future


def torch_collect_all(futures: list[TorchFuture]) -> TorchFuture:
    """`torch.futures.collect_all`, which waits for all futures here."""
    all_done = TorchFuture()
    wait(futures)
    errors = [one.exception() for one in futures if one.exception() is not None]
    if errors:
        all_done.set_exception(errors[0])
    else:
        all_done.set_result(list(futures))
    return all_done
