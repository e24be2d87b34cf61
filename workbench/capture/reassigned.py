"""Buffers that a model rebinds to another tensor, which `torch.export` does not detect.

`self.mean = 0.9 * self.mean + 0.1 * x.mean(0)` would silently leave a buffer of an inner module
unchanged. The new value is written into the buffer when the call ends.
"""

from __future__ import annotations

import functools
import inspect
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def written_back(module: torch.nn.Module) -> Iterator[None]:
    """Make a call of the module update buffers in place that it rebinds, while open."""
    own = module.__dict__.get("forward")
    forward = module.forward

    @functools.wraps(forward)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        held = [
            (owner, name, buffer)
            for owner in module.modules()
            for name, buffer in owner._buffers.items()
            if buffer is not None
        ]
        result = forward(*args, **kwargs)
        changed = [
            (owner, name, buffer, value.detach().clone())
            for owner, name, buffer in held
            if (value := owner._buffers.get(name)) is not buffer
            and value is not None
            and (value.shape, value.dtype) == (buffer.shape, buffer.dtype)
        ]
        for owner, name, buffer, value in changed:
            owner._buffers[name] = buffer
            with torch.no_grad():
                buffer.copy_(value)
        return result

    # That of the bound method: the function's own signature includes `self`.
    wrapped.__signature__ = inspect.signature(forward)  # type: ignore[attr-defined]
    module.forward = wrapped
    try:
        yield
    finally:
        del module.forward
        if own is not None:
            module.forward = own
