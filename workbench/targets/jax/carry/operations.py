"""Reports of every operation that JAX runs, primitive by primitive."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import get_ident
from types import FrameType
from typing import Any

import jax
import jax.numpy as jnp
from jax.extend.core import Primitive

from workbench.streams.torch_recorder import patched
from workbench.targets.port import Called

# Files whose functions a user calls by their names.
_PUBLIC = tuple(f"/jax/_src/{part}/" for part in ("numpy", "nn", "lax", "scipy"))
# Functions that are called between a user's code and such a function.
_BETWEEN = frozenset({"deferring_binary_op", "wrapper", "fn", "op", "f", "bind", "meth", "asarray"})
_BETWEEN |= {"promote_args_inexact", "promote_args", "promote_dtypes"}
# Primitives that only prepare a draw, whose values are torch's.
_SILENT = ("random_", "threefry")


Note = Callable[[Any], None]


class Taps:
    """Callbacks for the gradients of values; each reported value passes through one tap.

    `closed` is true during a backward pass, whose own operations are not reported.
    """

    def __init__(self) -> None:
        self.closed = False
        self._wanted: dict[int, list[Note]] = defaultdict(list)
        self._alive: list[Any] = []

    def forget(self) -> None:
        """Forget all callbacks."""
        self._wanted.clear()
        self._alive.clear()

    def ask(self, value: Any, note: Note) -> None:
        """Register a callback for the gradient of a primitive's result."""
        if isinstance(value, jax.core.Tracer):
            self._wanted[id(value)].append(note)
            self._alive.append(value)

    def through(self, value: Any) -> Any:
        """Return the value after it has passed a tap."""
        if not isinstance(value, jax.core.Tracer) or not jnp.issubdtype(value.dtype, jnp.floating):
            return value
        place: list[int] = []

        def back(_: None, gradient: Any) -> tuple[Any]:
            for note in self._wanted.get(place[0], ()):
                note(gradient)
            return (gradient,)

        tap = jax.custom_vjp(lambda x: x)
        tap.defvjp(lambda x: (x, None), back)
        passed = tap(value)
        place.append(id(passed))
        return passed


@contextmanager
def noting(note: Callable[[Called], None], taps: Taps) -> Iterator[None]:
    """While open, report every primitive of this thread, except those called by another one.

    A compiled function counts as one operation; use `jax.disable_jit` to see inside it.
    """
    inside, own = False, get_ident()

    def make(original: Any) -> Any:
        def bind(primitive: Any, *args: Any, **settings: Any) -> Any:
            nonlocal inside
            if inside or taps.closed or get_ident() != own:
                return original(primitive, *args, **settings)
            inside = True  # and operations of the report are not reported
            try:
                result = original(primitive, *args, **settings)
                several = isinstance(result, list | tuple)
                result = [taps.through(v) for v in result] if several else taps.through(result)
                given, made = list(_arrays(args)), list(_arrays(result))
                if made and not primitive.name.startswith(_SILENT):
                    note(Called(_name(primitive), tuple(given), tuple(made), _plain(settings)))
            finally:
                inside = False
            return result

        return bind

    with patched(Primitive, "bind", make):
        yield


def _name(primitive: Any) -> str:
    """Return the JAX function that the user's line called, or else the primitive."""
    frame: FrameType | None = sys._getframe(2)
    name = ""
    while frame is not None and not _is_users(frame):
        called = frame.f_code.co_name
        public = any(part in Path(frame.f_code.co_filename).as_posix() for part in _PUBLIC)
        if public and not called.startswith(("_", "<")) and called not in _BETWEEN:
            name = called
        frame = frame.f_back
    return name or str(primitive.name)


def _is_users(frame: FrameType) -> bool:
    file = Path(frame.f_code.co_filename).as_posix()
    return not any(part in file for part in ("/jax/", "/flax/", "/workbench/", "contextlib"))


def _arrays(value: Any) -> Iterator[Any]:
    if isinstance(value, jax.Array):
        if not jax.dtypes.issubdtype(value.dtype, jax.dtypes.extended):
            yield value
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _arrays(item)


def _plain(settings: dict[str, Any]) -> str:
    kinds = (bool, int, float, str, tuple)
    shown = (repr(v) for v in settings.values() if isinstance(v, kinds) and v != ())
    return ", ".join(shown)
