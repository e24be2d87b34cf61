"""Reports of every operation that Paddle runs.

Paddle's Python code calls its kernels as attributes of `paddle._C_ops`, and some by names imported
from there. Arithmetic and indexing are methods of its tensors.
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
# Operations whose result is followed by values for a backward pass, or by settings.
_KEEPING = frozenset({"einsum", "batch_norm", "layer_norm", "group_norm", "instance_norm"})
# An operation whose result is preceded by values for a backward pass.
_KEPT_FIRST = "cross_entropy_with_softmax"
_KERNELS = tuple(
    name for name in dir(_C_ops) if not name.startswith("_") and callable(getattr(_C_ops, name))
)
_BY_KERNEL = {id(getattr(_C_ops, name)): name for name in _KERNELS}  # before any is patched


@contextmanager
def noting(note: Callable[[Called], None]) -> Iterator[None]:
    """While open, report every operation of this thread, except those called by another one."""
    inside, own = False, get_ident()

    def make(name: str) -> Callable[[Any], Any]:
        def wrap(original: Any) -> Any:
            def run(*args: Any, **kwargs: Any) -> Any:
                nonlocal inside
                if inside or get_ident() != own:  # a data loader has its own thread
                    return original(*args, **kwargs)
                inside = True  # and operations of the report are not reported
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
    """Return kernels that Paddle's modules import: module, local name and kernel."""
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
        if value._is_initialized():  # kernels return empty ones for a backward pass
            yield value
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _tensors(item)


def _plain(values: list[Any]) -> str:
    kinds = (bool, int, float, str)
    return ", ".join(repr(value) for value in values if isinstance(value, kinds))
