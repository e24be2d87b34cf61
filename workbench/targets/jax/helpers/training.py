"""Training: what optax and flax have otherwise."""

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import nnx


def torch_clip_grad_norm(grads, max_norm):
    """Gradients scaled down to a norm of at most `max_norm`, as torch does it."""
    scale = jnp.minimum(max_norm / (optax.tree.norm(grads) + 1e-6), 1.0)
    return jax.tree.map(lambda grad: grad * scale, grads)


def torch_rate(optimizer):
    """The learning rate of an optimizer, with the digits that 32 bits hold."""
    return float(str(np.float32(optimizer.opt_state.hyperparams["learning_rate"].item())))


def torch_load_optimizer(optimizer, saved):
    """Set the state of an optimizer from a dict of its arrays."""
    state = nnx.state(optimizer)
    nnx.replace_by_pure_dict(state, saved)
    nnx.update(optimizer, state)


def torch_with_mode(model, training=True):
    """The model itself, in training or in evaluation."""
    if training:
        model.train()
    else:
        model.eval()
    return model


def torch_is_training(model):
    """Whether a model is in training, as its first layer says that has a mode."""
    for _, layer in nnx.iter_modules(model):
        for flag in ("deterministic", "use_running_average"):
            if getattr(layer, flag, None) is not None:
                return not getattr(layer, flag)
    return True
