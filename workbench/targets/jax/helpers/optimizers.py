"""Optimizers that optax has not, or computes otherwise."""

import jax
import jax.numpy as jnp
import optax


def torch_sgd(learning_rate, momentum=0.0, dampening=0.0, nesterov=False):
    """SGD whose momentum takes the first gradient whole, and the others dampened."""

    def init(params):
        return jnp.zeros([], int), jax.tree.map(jnp.zeros_like, params)

    def update(grads, state, params=None):
        count, kept = state

        def next_kept(k, g):
            return jnp.where(count == 0, g, momentum * k + (1 - dampening) * g)

        kept = jax.tree.map(next_kept, kept, grads)
        steps = jax.tree.map(lambda k, g: g + momentum * k, kept, grads) if nesterov else kept
        return jax.tree.map(lambda s: -learning_rate * s, steps), (count + 1, kept)

    return optax.GradientTransformation(init, update)


def torch_adagrad(learning_rate, lr_decay=0.0, initial_accumulator_value=0.0, eps=1e-10):
    """Adagrad with eps outside the root."""

    def init(params):
        total = jax.tree.map(lambda p: jnp.full_like(p, initial_accumulator_value), params)
        return jnp.zeros([], int), total

    def update(grads, state, params=None):
        count, total = state
        rate = learning_rate / (1 + count * lr_decay)
        total = jax.tree.map(lambda t, g: t + g * g, total, grads)
        steps = jax.tree.map(lambda g, t: -rate * g / (jnp.sqrt(t) + eps), grads, total)
        return steps, (count + 1, total)

    return optax.GradientTransformation(init, update)


def torch_amsgrad(learning_rate, b1=0.9, b2=0.999, eps=1e-8, weight_decay=0.0):
    """Adam or AdamW by the largest second moment so far, before its correction."""

    def init(params):
        zeros = jax.tree.map(jnp.zeros_like, params)
        return jnp.zeros([], int), zeros, zeros, zeros

    def update(grads, state, params):
        count, m, v, most = state
        count += 1
        m = jax.tree.map(lambda m, g: b1 * m + (1 - b1) * g, m, grads)
        v = jax.tree.map(lambda v, g: b2 * v + (1 - b2) * g * g, v, grads)
        most = jax.tree.map(jnp.maximum, most, v)
        first, second = 1 - b1**count, 1 - b2**count

        def step(p, m, v):
            return -learning_rate * (weight_decay * p + m / first / (jnp.sqrt(v / second) + eps))

        return jax.tree.map(step, params, m, most), (count, m, v, most)

    return optax.GradientTransformation(init, update)


def torch_nadam(learning_rate, b1=0.9, b2=0.999, eps=1e-8, momentum_decay=4e-3):
    """NAdam, whose momentum follows its own schedule."""

    def init(params):
        zeros = jax.tree.map(jnp.zeros_like, params)
        return jnp.zeros([], int), jnp.ones([]), zeros, zeros

    def update(grads, state, params=None):
        count, product, m, v = state
        count += 1
        now = b1 * (1 - 0.5 * 0.96 ** (count * momentum_decay))
        then = b1 * (1 - 0.5 * 0.96 ** ((count + 1) * momentum_decay))
        share = -jnp.expm1(count * jnp.log1p(b2 - 1))  # 1 - b2**count loses digits
        product *= now
        m = jax.tree.map(lambda m, g: b1 * m + (1 - b1) * g, m, grads)
        v = jax.tree.map(lambda v, g: b2 * v + (1 - b2) * g * g, v, grads)

        def step(g, m, v):
            mean = (1 - now) / (1 - product) * g + then / (1 - product * then) * m
            return -learning_rate * mean / (jnp.sqrt(v / share) + eps)

        return jax.tree.map(step, grads, m, v), (count, product, m, v)

    return optax.GradientTransformation(init, update)


def torch_radam(learning_rate, b1=0.9, b2=0.999, eps=1e-8):
    """RAdam, which scales by the second moment once its variance is defined.

    The length of the average is the ratio of two sums, which keeps its digits in 32 bits.
    """
    limit = 2 / (1 - b2) - 1

    def init(params):
        zeros = jax.tree.map(jnp.zeros_like, params)
        return jnp.zeros([], int), jnp.zeros([]), jnp.zeros([]), zeros, zeros

    def update(grads, state, params=None):
        count, total, weighted, m, v = state
        power = b2**count
        count += 1
        total, weighted = total + power, weighted + count * power
        m = jax.tree.map(lambda m, g: b1 * m + (1 - b1) * g, m, grads)
        v = jax.tree.map(lambda v, g: b2 * v + (1 - b2) * g * g, v, grads)
        length = 2 * weighted / total - 1
        safe = jnp.where(length > 5, length, 6.0)
        share = (safe - 4) * (safe - 2) * limit / ((limit - 4) * (limit - 2) * safe)
        scale = jnp.sqrt(share * (1 - b2) * total)

        def step(m, v):
            size = learning_rate / (1 - b1**count) * m
            return -jnp.where(length > 5, size * scale / (jnp.sqrt(v) + eps), size)

        return jax.tree.map(step, m, v), (count, total, weighted, m, v)

    return optax.GradientTransformation(init, update)


def torch_rprop(learning_rate, etas=(0.5, 1.2), step_sizes=(1e-6, 50)):
    """Rprop: steps by sign, which grow while the sign stays."""

    def init(params):
        sizes = jax.tree.map(lambda p: jnp.full_like(p, learning_rate), params)
        return jax.tree.map(jnp.zeros_like, params), sizes

    def update(grads, state, params=None):
        past, sizes = state
        signs = jax.tree.map(lambda g, p: jnp.sign(g * p), grads, past)

        def next_size(size, sign):
            factor = jnp.where(sign > 0, etas[1], jnp.where(sign < 0, etas[0], 1.0))
            return jnp.clip(size * factor, *step_sizes)

        sizes = jax.tree.map(next_size, sizes, signs)
        grads = jax.tree.map(lambda g, sign: jnp.where(sign < 0, 0.0, g), grads, signs)
        steps = jax.tree.map(lambda g, size: -jnp.sign(g) * size, grads, sizes)
        return steps, (grads, sizes)

    return optax.GradientTransformation(init, update)
