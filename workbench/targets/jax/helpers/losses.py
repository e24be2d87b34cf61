"""Losses as torch computes them."""

import jax
import jax.numpy as jnp


def torch_reduced(losses, reduction):
    """All losses, their sum or their mean."""
    if reduction == "none":
        return losses
    return losses.sum() if reduction == "sum" else losses.mean()


def torch_cross_entropy(
    input, target, weight=None, ignore_index=-100, reduction="mean", label_smoothing=0.0
):
    """Cross entropy of scores, whose classes are the second dimension, and labels or shares."""
    axis = 0 if input.ndim == 1 else 1
    scores = jax.nn.log_softmax(input, axis=axis)
    weights = jnp.ones(input.shape[axis], input.dtype) if weight is None else weight
    shape = [-1 if place == axis else 1 for place in range(input.ndim)]
    if jnp.issubdtype(target.dtype, jnp.floating):
        target = target * (1 - label_smoothing) + label_smoothing / input.shape[axis]
        losses = -(scores * target * weights.reshape(shape)).sum(axis)
        count = losses.size
        return losses.sum() / count if reduction == "mean" else torch_reduced(losses, reduction)
    valid = target != ignore_index
    label = jnp.where(valid, target, 0)
    picked = jnp.take_along_axis(scores, jnp.expand_dims(label, axis), axis=axis).squeeze(axis)
    own = jnp.where(valid, weights[label], 0)
    losses = jnp.where(valid, -picked * own, 0)
    smooth = jnp.where(valid, -(scores * weights.reshape(shape)).sum(axis), 0) / input.shape[axis]
    losses = (1 - label_smoothing) * losses + label_smoothing * smooth
    return losses.sum() / own.sum() if reduction == "mean" else torch_reduced(losses, reduction)


def torch_nll_loss(input, target, weight=None, ignore_index=-100, reduction="mean"):
    """Negative log-likelihood of labels; the classes are the second dimension."""
    axis = 0 if input.ndim == 1 else 1
    weights = jnp.ones(input.shape[axis], input.dtype) if weight is None else weight
    valid = target != ignore_index
    label = jnp.where(valid, target, 0)
    picked = jnp.take_along_axis(input, jnp.expand_dims(label, axis), axis=axis).squeeze(axis)
    own = jnp.where(valid, weights[label], 0)
    losses = jnp.where(valid, -picked * own, 0)
    return losses.sum() / own.sum() if reduction == "mean" else torch_reduced(losses, reduction)


def torch_mse_loss(input, target, reduction="mean"):
    return torch_reduced((input - target) ** 2, reduction)


def torch_l1_loss(input, target, reduction="mean"):
    gap = input - target
    return torch_reduced(jnp.sign(gap) * gap, reduction)  # the gradient at zero is zero


def torch_smooth_l1_loss(input, target, reduction="mean", beta=1.0):
    gap = input - target
    size = jnp.sign(gap) * gap
    if beta == 0:
        return torch_reduced(size, reduction)
    losses = jnp.where(size < beta, 0.5 * gap**2 / beta, size - 0.5 * beta)
    return torch_reduced(losses, reduction)


def torch_huber_loss(input, target, reduction="mean", delta=1.0):
    gap = input - target
    size = jnp.sign(gap) * gap
    losses = jnp.where(size < delta, 0.5 * gap**2, delta * (size - 0.5 * delta))
    return torch_reduced(losses, reduction)


def torch_binary_cross_entropy(input, target, weight=None, reduction="mean"):
    """Each logarithm is at least -100."""

    def log(x):
        return jnp.maximum(jnp.log(x), -100)

    losses = -(target * log(input) + (1 - target) * log(1 - input))
    return torch_reduced(losses if weight is None else losses * weight, reduction)


def torch_binary_cross_entropy_with_logits(
    input, target, weight=None, reduction="mean", pos_weight=None
):
    positive = target if pos_weight is None else target * pos_weight
    losses = -positive * jax.nn.log_sigmoid(input) - (1 - target) * jax.nn.log_sigmoid(-input)
    return torch_reduced(losses if weight is None else losses * weight, reduction)


def torch_kl_div(input, target, reduction="mean", log_target=False):
    """Divergence of log-probabilities from target probabilities."""
    if log_target:
        losses = jnp.exp(target) * (target - input)
    else:
        losses = jax.scipy.special.xlogy(target, target) - target * input
    if reduction == "batchmean":
        return losses.sum() / losses.shape[0]
    return torch_reduced(losses, reduction)
