"""Control flow, and the way into torch and back."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax import lax


def _cast_items(items: Any, dtypes: list[Any]) -> Any:
    """A tuple with some of its items in another dtype."""
    pairs = zip(items, dtypes, strict=True)
    return tuple(item if dtype is None else item.astype(dtype) for item, dtype in pairs)


def _map(body: Any, over: list[Any]) -> Any:
    """The body's results for each row of the inputs, stacked."""
    return lax.map(lambda rows: list(body(*rows)), over)


def _scan(body: Any, carried: list[Any], over: list[Any]) -> Any:
    """What a step hands to the next one at the end, and what each step yields, stacked."""
    count = len(carried)

    def step(state: Any, rows: Any) -> Any:
        found = list(body(*state, *rows))
        return found[:count], found[count:]

    last, stacked = lax.scan(step, carried, over)
    return [*last, *stacked]


def _repeat(check: Any, body: Any, state: list[Any]) -> Any:
    """A loop that goes on while the check holds."""
    return lax.while_loop(lambda s: check(*s), lambda s: list(body(*s)), state)


def _own_backward(backward: Any, results: Any, saved: Any, inputs: Any) -> Any:
    """The results, whose gradients reach the inputs as `backward` says, which takes what is saved
    and the results' gradients.
    """

    @jax.custom_vjp
    def attached(results: Any, saved: Any, inputs: Any) -> Any:
        return results

    def forward(results: Any, saved: Any, inputs: Any) -> Any:
        return results, saved

    def pull(saved: Any, grads: Any) -> Any:
        found = backward(*saved, *(g.conj() if jnp.iscomplexobj(g) else g for g in grads))
        # The gradient of a complex value is the conjugate of JAX's.
        return None, None, [g.conj() if g is not None and jnp.iscomplexobj(g) else g for g in found]

    attached.defvjp(forward, pull)
    given = attached(results, saved, inputs)
    return given if len(given) > 1 else given[0]


class _TorchIsland:
    """Runs a function of torch tensors, forward and backward, under `jax.jit` as well."""

    @staticmethod
    def apply(function: Any, *inputs: Any) -> Any:
        import torch

        def held(arrays: Any) -> list[Any]:
            made = [torch.utils.dlpack.from_dlpack(jax.numpy.array(x)).clone() for x in arrays]
            floats = [x.dtype.is_floating_point or x.dtype.is_complex for x in made]
            return [x.requires_grad_(f) for x, f in zip(made, floats, strict=True)]

        def array(x: Any) -> Any:
            return jax.numpy.array(jax.numpy.from_dlpack(x.detach().contiguous()))

        def forward(*arrays: Any) -> Any:
            return tuple(array(x) for x in function(*held(arrays)))

        def backward(arrays: Any, grads: Any) -> Any:
            given = held(arrays)
            with torch.enable_grad():
                every = function(*given)
            results, back = [], []
            for result, grad in zip(every, grads, strict=True):
                if result.requires_grad:
                    results.append(result)
                    # The gradient of a complex value is the conjugate of JAX's.
                    back.append(torch.utils.dlpack.from_dlpack(jax.numpy.conj(grad)))
                elif result.dtype.is_floating_point and bool(jax.numpy.any(grad)):
                    raise NotImplementedError("torch has no gradient of what runs in torch here")
            wanted = [x for x in given if x.requires_grad]
            found = iter(torch.autograd.grad(results, wanted, back, allow_unused=True))
            each = [next(found) if x.requires_grad else None for x in given]
            return tuple(
                array(torch.zeros_like(x) if g is None else g.conj().resolve_conj())
                for x, g in zip(given, each, strict=True)
                if x.requires_grad
            )

        def like(x: Any) -> Any:
            return jax.ShapeDtypeStruct(x.shape, x.dtype)

        traced = any(isinstance(x, jax.core.Tracer) for x in inputs)
        if not traced:
            return forward(*inputs)
        with torch._subclasses.FakeTensorMode() as mode:
            fakes = [
                mode.from_tensor(torch.empty(x.shape, dtype=getattr(torch, str(x.dtype))))
                for x in inputs
            ]
            shapes = tuple(
                jax.ShapeDtypeStruct(tuple(x.shape), str(x.dtype).removeprefix("torch."))
                for x in function(*fakes)
            )

        @jax.custom_vjp
        def island(*arrays: Any) -> Any:
            return jax.pure_callback(forward, shapes, *arrays)

        def run(*arrays: Any) -> Any:
            return island(*arrays), arrays

        def pull(arrays: Any, grads: Any) -> Any:
            floats = [jax.numpy.issubdtype(x.dtype, jax.numpy.inexact) for x in arrays]
            wanted = tuple(like(x) for x, f in zip(arrays, floats, strict=True) if f)
            grads = tuple(
                jax.numpy.zeros(s.shape, s.dtype) if g.dtype == jax.dtypes.float0 else g
                for g, s in zip(grads, shapes, strict=True)
            )
            back = iter(jax.pure_callback(backward, wanted, arrays, grads))
            return tuple(next(back) if f else None for f in floats)

        island.defvjp(run, pull)
        return island(*inputs)
