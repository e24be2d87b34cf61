"""Reports of events while JAX runs, and draws that the functions of `jax.random` do not make."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import jax
import numpy as np
from flax import nnx

from workbench.streams.draws import Kind, Stream
from workbench.streams.torch_recorder import patched
from workbench.targets.bridge import Hooks
from workbench.targets.jax.carry import replay

_LOADER = "TorchDataLoader"  # the helper class whose own generator shuffles
_open: list[Stream] = []  # the streams of the statements that run


@contextmanager
def watching(hooks: Hooks) -> Iterator[None]:
    """While open, report losses, and first calls of modules that were made since."""
    fresh: dict[int, Any] = {}
    calls = 0

    def constructed(original: Any) -> Any:
        def make(kind: Any, module: Any, *args: Any, **kwargs: Any) -> None:
            original(kind, module, *args, **kwargs)
            if isinstance(module, nnx.Module) and _is_drawn(module):
                fresh[id(module)] = module

        return make

    def call(original: Any) -> Any:
        def run(module: Any, *args: Any, **kwargs: Any) -> Any:
            nonlocal calls
            if not calls and id(module) in fresh:
                hooks.fresh_call(module)
                for _, part in nnx.iter_modules(module):
                    fresh.pop(id(part), None)
            calls += 1
            try:
                return original(module, *args, **kwargs)
            finally:
                calls -= 1

        return run

    with ExitStack() as stack:
        stack.enter_context(patched(type(nnx.Module), "_pytree_meta_construct", constructed))
        for kind in _kinds(nnx.Module):
            if "__call__" in vars(kind):
                stack.enter_context(patched(kind, "__call__", call))
        reporting = _reporting(hooks)
        for owner in (nnx, jax):
            stack.enter_context(patched(owner, "value_and_grad", reporting))
        yield


def _reporting(hooks: Hooks) -> Callable[[Any], Any]:
    """Return a `make` for `patched` that reports the values of a differentiated function."""
    running = False  # flax's function calls JAX's

    def make(original: Any) -> Any:
        def value_and_grad(*args: Any, **kwargs: Any) -> Any:
            function = original(*args, **kwargs)

            def run(*given: Any, **named: Any) -> Any:
                nonlocal running
                if running:
                    return function(*given, **named)
                running = True
                try:
                    result = function(*given, **named)
                finally:
                    running = False
                value = result[0][0] if kwargs.get("has_aux") else result[0]
                if not isinstance(value, jax.core.Tracer):
                    hooks.loss(value)
                return result

            return run

        return value_and_grad

    return make


def _is_drawn(module: Any) -> bool:
    """Return whether a module has parameters that are not constant, as after a random draw."""
    found = nnx.to_flat_state(nnx.state(module, nnx.Param))
    values = [one[...] for _, one in found if one[...].size > 1]
    return any(bool((value != value.flatten()[0]).any()) for value in values)


def _kinds(kind: type[Any]) -> Iterator[type[Any]]:
    for below in kind.__subclasses__():
        yield below
        yield from _kinds(below)


@contextmanager
def drawing(stream: Stream) -> Iterator[None]:
    """While open, serve the draws of `nnx.Rngs` and of loaders that shuffle from the stream.

    Layers draw their first weights from one stream of keys, which stays its own.
    """
    with ExitStack() as stack:
        for name in replay.REPLACED:
            replaced = getattr(jax.random, name)

            def make(original: Any, draw: Any = replaced) -> Any:
                return lambda rngs, *args, **kwargs: draw(rngs(), *args, **kwargs)

            stack.enter_context(patched(nnx.Rngs, name, make))
        stack.enter_context(patched(np.random, "default_rng", _for_loaders))
        _open.append(stream)
        try:
            yield
        finally:
            _open.remove(stream)


class _Shuffler:
    """A loader's generator that shuffles as torch's sampler did."""

    def __init__(self, own: Any) -> None:
        self._own = own

    def shuffle(self, order: Any) -> None:
        """Put the places into torch's order."""
        found = _open[-1].take((Kind.PERMUTATION,), (len(order),)) if _open else None
        if found is None:
            self._own.shuffle(order)
        else:
            order[:] = found.value.numpy()


def _for_loaders(original: Any) -> Any:
    """Return a `default_rng` that gives a loader a generator which follows torch's draws."""

    def default_rng(*args: Any, **kwargs: Any) -> Any:
        own = original(*args, **kwargs)
        frame = inspect.currentframe()
        caller = {} if frame is None or frame.f_back is None else frame.f_back.f_locals
        return _Shuffler(own) if type(caller.get("self")).__name__ == _LOADER else own

    return default_rng
