"""Every operation that JAX runs, told as it happens: its primitives, called one by one."""

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
# Those that stand between a user and such a function.
_BETWEEN = frozenset({"deferring_binary_op", "wrapper", "fn", "op", "f", "bind", "meth", "asarray"})
_BETWEEN |= {"promote_args_inexact", "promote_args", "promote_dtypes"}
# What only prepares a draw, whose values are torch's.
_SILENT = ("random_", "threefry")


Note = Callable[[Any], None]


class Taps:
    """What is to be told of the gradients of values; each value told passes through one tap.

    `closed` says that a backward pass is running, whose own operations nobody asks about.
    """

    def __init__(self) -> None:
        self.closed = False
        self._wanted: dict[int, list[Note]] = defaultdict(list)
        self._alive: list[Any] = []

    def forget(self) -> None:
        """Ask for none any more."""
        self._wanted.clear()
        self._alive.clear()

    def ask(self, value: Any, note: Note) -> None:
        """Have the gradient of a value told that a primitive gave."""
        if isinstance(value, jax.core.Tracer):
            self._wanted[id(value)].append(note)
            self._alive.append(value)

    def through(self, value: Any) -> Any:
        """The value, having passed."""
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
    """Tell every primitive of this thread while open; one within another is not told.

    What is compiled is one operation, so that this stands within `jax.disable_jit`.
    """
    inside, own = False, get_ident()

    def make(original: Any) -> Any:
        def bind(primitive: Any, *args: Any, **settings: Any) -> Any:
            nonlocal inside
            if inside or taps.closed or get_ident() != own:
                return original(primitive, *args, **settings)
            inside = True  # and what is done to tell it is not told
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
    """The function of JAX's that the user's line called, or the primitive."""
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
    told = (repr(v) for v in settings.values() if isinstance(v, kinds) and v != ())
    return ", ".join(told)
