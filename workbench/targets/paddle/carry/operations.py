"""Every operation that Paddle runs, told as it happens.

Paddle's Python code reaches its kernels as attributes of `paddle._C_ops`, and some by names that
its modules import from there; arithmetic and indexing are methods of its tensors.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from threading import get_ident
from typing import Any

import paddle
from paddle import _C_ops

from workbench.streams.torch_recorder import patched
from workbench.targets.port import Called

_ARITHMETIC = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul")
_METHODS = (
    *(f"__{name}__" for name in _ARITHMETIC),
    *(f"__r{name}__" for name in _ARITHMETIC),
    *("__div__", "__rdiv__", "__neg__", "__abs__", "__getitem__", "__setitem__"),
    *("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"),
    *("__and__", "__or__", "__xor__", "__invert__", "detach"),
)
# What gives its result first, and then what it keeps for a backward pass, or of its settings.
_KEEPING = frozenset({"einsum", "batch_norm", "layer_norm", "group_norm", "instance_norm"})
# What gives what it keeps first.
_KEPT_FIRST = "cross_entropy_with_softmax"
_KERNELS = tuple(
    name for name in dir(_C_ops) if not name.startswith("_") and callable(getattr(_C_ops, name))
)
_BY_KERNEL = {id(getattr(_C_ops, name)): name for name in _KERNELS}  # before any is patched


@contextmanager
def noting(note: Callable[[Called], None]) -> Iterator[None]:
    """Tell every operation of this thread while open; one within another is not told."""
    inside, own = False, get_ident()

    def make(name: str) -> Callable[[Any], Any]:
        def wrap(original: Any) -> Any:
            def run(*args: Any, **kwargs: Any) -> Any:
                nonlocal inside
                if inside or get_ident() != own:  # a loader of data has a thread of its own
                    return original(*args, **kwargs)
                inside = True  # and what is done to tell it is not told
                try:
                    result = original(*args, **kwargs)
                    into = args[0] if name == "setitem" else result
                    if name in _KEEPING and isinstance(into, list | tuple):
                        into = into[0]
                    elif name == _KEPT_FIRST:
                        into = into[::-1]
                    given = [*args, *kwargs.values()]
                    note(Called(name, tuple(_tensors(given)), tuple(_tensors(into)), _plain(given)))
                finally:
                    inside = False
                return result

            return run

        return wrap

    with ExitStack() as stack:
        for name in _KERNELS:
            stack.enter_context(patched(_C_ops, name, make(name)))
        for module, name, kernel in _imported_kernels():
            stack.enter_context(patched(module, name, make(kernel)))
        for name in _METHODS:
            if hasattr(paddle.Tensor, name):
                stack.enter_context(patched(paddle.Tensor, name, make(name.strip("_"))))
        yield


@cache
def _imported_kernels() -> list[tuple[Any, str, str]]:
    """Kernels that Paddle's modules hold under names of their own: module, name and kernel."""
    modules = [
        module
        for name, module in sys.modules.items()
        if name.startswith("paddle.") and not name.startswith(("paddle.base.", "paddle._"))
    ]
    return [
        (module, name, _BY_KERNEL[id(value)])
        for module in modules
        for name, value in vars(module).items()
        if id(value) in _BY_KERNEL
    ]


def _tensors(value: Any) -> Iterator[Any]:
    if isinstance(value, paddle.Tensor):
        if value._is_initialized():  # kernels give empty ones, to keep for a backward pass
            yield value
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _tensors(item)


def _plain(values: list[Any]) -> str:
    kinds = (bool, int, float, str)
    return ", ".join(repr(value) for value in values if isinstance(value, kinds))
