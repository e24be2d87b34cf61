"""Training: what optax and flax have otherwise."""

import jax
import jax.numpy as jnp
import numpy as np
import optax


def torch_clip_grad_norm(grads, max_norm):
    """Gradients scaled down to a norm of at most `max_norm`, as torch does it."""
    scale = jnp.minimum(max_norm / (optax.tree.norm(grads) + 1e-6), 1.0)
    return jax.tree.map(lambda grad: grad * scale, grads)


def torch_rate(optimizer):
    """The learning rate of an optimizer, with the digits that 32 bits hold."""
    return float(str(np.float32(optimizer.opt_state.hyperparams["learning_rate"].item())))


def torch_with_mode(model, training=True):
    """The model itself, in training or in evaluation."""
    if training:
        model.train()
    else:
        model.eval()
    return model
