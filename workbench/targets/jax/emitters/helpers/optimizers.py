"""Optimizers that optax has none of, or another one of the name."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import optax


def _each(start: Any, update: Any) -> Any:
    """A transformation of each gradient by itself, which keeps what `start` makes of its weight.

    `update(gradient, kept, weight, count)` gives the step and what is kept next; `count` is the
    number of the step from 1 on, in float64.
    """

    def init(params: Any) -> Any:
        return jnp.zeros([], "int64"), [start(p) for p in jax.tree.leaves(params)]

    def transform(grads: Any, state: Any, params: Any) -> Any:
        count, kept = state
        leaves, tree = jax.tree.flatten(grads)
        each = zip(leaves, kept, jax.tree.leaves(params), strict=True)
        found = [update(g, k, p, (count + 1).astype("float64")) for g, k, p in each]
        steps = [step.astype(g.dtype) for (step, _), g in zip(found, leaves, strict=True)]
        return tree.unflatten(steps), (count + 1, [k for _, k in found])

    return optax.GradientTransformation(init, transform)


def _sgd(rate: float, momentum: float, dampening: float, nesterov: bool) -> Any:
    """SGD whose momentum takes the first gradient whole, and the others dampened."""

    def update(g: Any, kept: Any, p: Any, count: Any) -> Any:
        kept = jnp.where(count == 1, g, momentum * kept + (1 - dampening) * g)
        return -rate * (g + momentum * kept if nesterov else kept), kept

    return _each(jnp.zeros_like, update)


def _adagrad(rate: float, decay: float, first: float, eps: float) -> Any:
    """Adagrad with eps outside the root."""

    def update(g: Any, total: Any, p: Any, count: Any) -> Any:
        total = total + g * g
        now = (rate / (1 + (count - 1) * decay)).astype(g.dtype)
        return -now * g / (jnp.sqrt(total) + eps), total

    return _each(lambda p: jnp.full_like(p, first), update)


def _amsgrad(rate: float, b1: float, b2: float, eps: float) -> Any:
    """Adam by the largest second moment so far, before its correction."""

    def update(g: Any, kept: Any, p: Any, count: Any) -> Any:
        m, v, most = kept
        m, v = m + (1 - b1) * (g - m), b2 * v + (1 - b2) * g * g
        most = jnp.maximum(most, v)
        size = (rate / (1 - b1**count)).astype(g.dtype)
        root = jnp.sqrt(1 - b2**count).astype(g.dtype)
        return -size * m / (jnp.sqrt(most) / root + eps), (m, v, most)

    return _each(lambda p: (jnp.zeros_like(p),) * 3, update)


def _nadam(rate: float, b1: float, b2: float, eps: float, decay: float) -> Any:
    """NAdam, whose momentum follows a schedule of its own."""

    def update(g: Any, kept: Any, p: Any, count: Any) -> Any:
        m, v, product = kept
        now = b1 * (1 - 0.5 * 0.96 ** (count * decay))
        then = b1 * (1 - 0.5 * 0.96 ** ((count + 1) * decay))
        # torch keeps the product in its default dtype.
        product = (product * now).astype("float32")
        m, v = m + (1 - b1) * (g - m), b2 * v + (1 - b2) * g * g
        root = jnp.sqrt(v / (1 - b2**count).astype(g.dtype)) + eps
        own = (rate * (1 - now) / (1 - product.astype("float64"))).astype(g.dtype)
        past = (rate * then / (1 - product.astype("float64") * then)).astype(g.dtype)
        return -(own * g + past * m) / root, (m, v, product)

    return _each(lambda p: (jnp.zeros_like(p), jnp.zeros_like(p), jnp.ones([], "float32")), update)


def _radam(rate: float, b1: float, b2: float, eps: float) -> Any:
    """RAdam, which scales by the second moment once its variance can be told."""
    limit = 2 / (1 - b2) - 1

    def update(g: Any, kept: Any, p: Any, count: Any) -> Any:
        m, v = kept
        m, v = m + (1 - b1) * (g - m), b2 * v + (1 - b2) * g * g
        second = 1 - b2**count
        length = limit - 2 * count * b2**count / second
        safe = jnp.where(length > 5, length, 6.0)
        share = (safe - 4) * (safe - 2) * limit / ((limit - 4) * (limit - 2) * safe)
        scale = jnp.sqrt(share * second).astype(g.dtype) / (jnp.sqrt(v) + eps)
        size = (rate / (1 - b1**count)).astype(g.dtype)
        return -size * m * jnp.where(length > 5, scale, 1), (m, v)

    return _each(lambda p: (jnp.zeros_like(p),) * 2, update)


def _asgd(rate: float, decay: float, power: float) -> Any:
    """Averaged SGD; the average itself is not kept, since no step depends on it."""

    def update(g: Any, eta: Any, p: Any, count: Any) -> Any:
        # torch keeps the rate in its default dtype.
        now = (rate / (1 + decay * rate * count) ** power).astype("float32")
        size = eta.astype("float64").astype(g.dtype)
        return -decay * size * p - size * g, now

    return _each(lambda p: jnp.array(rate, "float32"), update)


def _rprop(rate: float, etas: Any, sizes: Any) -> Any:
    """Rprop: steps by sign, which grow while the sign stays."""

    def update(g: Any, kept: Any, p: Any, count: Any) -> Any:
        past, size = kept
        sign = jnp.sign(g * past)
        factor = jnp.where(sign > 0, etas[1], jnp.where(sign < 0, etas[0], 1.0)).astype(g.dtype)
        size = jnp.clip(size * factor, sizes[0], sizes[1])
        g = jnp.where(sign < 0, 0, g)
        return -jnp.sign(g) * size, (g, size)

    return _each(lambda p: (jnp.zeros_like(p), jnp.full_like(p, rate)), update)


def _by_group(groups: Any, transforms: Any) -> Any:
    """A transformation for each group of weights, by their names; other weights stay."""
    label = {name: str(number) for number, names in enumerate(groups) for name in names}

    def labels(params: Any) -> Any:
        def of(path: Any, _: Any) -> str:
            parts = [getattr(key, "key", getattr(key, "idx", None)) for key in path]
            return label.get(".".join(str(part) for part in parts if part is not None), "frozen")

        return jax.tree_util.tree_map_with_path(of, params)

    each = {str(number): transform for number, transform in enumerate(transforms)}
    return optax.partition({**each, "frozen": optax.set_to_zero()}, labels)
