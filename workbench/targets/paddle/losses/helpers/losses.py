"""Losses as torch computes them: of classes, and of values element by element."""

from __future__ import annotations

import math
from typing import Any

import paddle

from workbench.targets.paddle.layers.helpers.activation import torch_log_softmax
from workbench.targets.paddle.math.helpers.dtypes import torch_inexact
from workbench.targets.paddle.tensors.helpers.shapes import torch_broadcast_tensors


def torch_reduce(loss: paddle.Tensor, reduction: str) -> paddle.Tensor:
    """A loss as a mean, a sum, or as it is."""
    if reduction == "mean":
        return loss.mean()
    if reduction == "sum":
        return loss.sum()
    if reduction != "none":
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return loss


def torch_reduction(size_average: Any, reduce: Any, reduction: str) -> str:
    """What torch's older arguments, where one of them is given, say about the reduction."""
    if size_average is None and reduce is None:
        return reduction
    if reduce is not None and not reduce:
        return "none"
    return "sum" if size_average is not None and not size_average else "mean"


def torch_floats(*tensors: paddle.Tensor) -> list[paddle.Tensor]:
    """Integers and truth values in the dtype of the floating operands, which Paddle needs."""
    floats = [tensor.dtype for tensor in tensors if tensor.is_floating_point()]
    return [
        tensor.astype(floats[0]) if floats and not tensor.is_floating_point() else tensor
        for tensor in tensors
    ]


def torch_weighted_loss(
    loss: paddle.Tensor, input: paddle.Tensor, weight: Any, reduction: str
) -> paddle.Tensor:
    """A loss reduced with weights, by whose sum its mean is divided."""
    if weight is None:
        return torch_reduce(loss, reduction)
    if weight.shape != input.shape:
        raise ValueError("Weights and input must have the same size.")
    weight = weight.astype(loss.dtype)
    loss = loss * weight
    return loss.sum() / weight.sum() if reduction == "mean" else torch_reduce(loss, reduction)


def torch_mse_loss(
    input: paddle.Tensor,
    target: paddle.Tensor,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    weight: Any = None,
) -> paddle.Tensor:
    """`torch.nn.functional.mse_loss`, with weights and the older arguments."""
    reduction = torch_reduction(size_average, reduce, reduction)
    input, target = torch_floats(input, target)
    return torch_weighted_loss((input - target).square(), input, weight, reduction)


def torch_l1_loss(
    input: paddle.Tensor,
    target: paddle.Tensor,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    weight: Any = None,
) -> paddle.Tensor:
    """`torch.nn.functional.l1_loss`, with weights and the older arguments."""
    reduction = torch_reduction(size_average, reduce, reduction)
    input, target = torch_floats(input, target)
    return torch_weighted_loss((input - target).abs(), input, weight, reduction)


def torch_nll_loss(
    input: paddle.Tensor,
    target: paddle.Tensor,
    weight: paddle.Tensor | None = None,
    size_average: Any = None,
    ignore_index: int = -100,
    reduce: Any = None,
    reduction: str = "mean",
) -> paddle.Tensor:
    """`torch.nn.functional.nll_loss`: classes are dimension 1; the mean is a weighted one."""
    reduction = torch_reduction(size_average, reduce, reduction)
    axis = 0 if input.ndim == 1 else 1
    ignored = target == ignore_index
    place = paddle.where(ignored, paddle.zeros_like(target), target).astype("int64")
    picked = paddle.take_along_axis(input, place.unsqueeze(axis), axis, broadcast=False)
    share = paddle.ones_like(picked.squeeze(axis))
    if weight is not None:
        share = paddle.gather(weight, place.flatten()).reshape(place.shape)
    zero = paddle.zeros_like(share)
    share = paddle.where(ignored, zero, share)
    loss = paddle.where(ignored, zero, -picked.squeeze(axis) * share)
    if reduction == "mean":  # a copy: the gradient of a quotient needs it, and it may be added to
        return (loss.sum() / share.sum()).clone()
    return torch_reduce(loss, reduction)


def torch_cross_entropy(
    input: paddle.Tensor,
    target: paddle.Tensor,
    weight: paddle.Tensor | None = None,
    size_average: Any = None,
    ignore_index: int = -100,
    reduce: Any = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> paddle.Tensor:
    """`torch.nn.functional.cross_entropy`, of class indices or of class probabilities.

    Classes are dimension 1, in Paddle the last one; the mean over indices is weighted.
    """
    reduction = torch_reduction(size_average, reduce, reduction)
    axis = 0 if input.ndim == 1 else 1
    classes = input.shape[axis]
    log_p = torch_log_softmax(input, axis)
    spread = [1 if i != axis else classes for i in range(input.ndim)]
    weighted = log_p if weight is None else log_p * weight.reshape(spread)
    if paddle.is_floating_point(target):
        smooth = target * (1 - label_smoothing) + label_smoothing / classes
        loss = -(weighted * smooth).sum(axis=axis)
        return (
            loss.sum() / (input.size // classes)
            if reduction == "mean"
            else torch_reduce(loss, reduction)
        )
    loss = torch_nll_loss(log_p, target, weight, ignore_index=ignore_index, reduction=reduction)
    if label_smoothing == 0.0:
        return loss
    ignored = target == ignore_index
    every = -weighted.sum(axis=axis)
    every = paddle.where(ignored, paddle.zeros_like(every), every)
    if reduction == "mean":
        each = -paddle.ones_like(log_p)
        ones = torch_nll_loss(each, target, weight, ignore_index=ignore_index, reduction="sum")
        every = every.sum() / ones
    else:
        every = torch_reduce(every, reduction)
    return (1 - label_smoothing) * loss + every * (label_smoothing / classes)


def torch_binary_cross_entropy(
    input: paddle.Tensor,
    target: paddle.Tensor,
    weight: paddle.Tensor | None = None,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> paddle.Tensor:
    """`torch.nn.functional.binary_cross_entropy`: logarithms end at -100."""
    reduction = torch_reduction(size_average, reduce, reduction)
    if input.shape != target.shape:
        raise ValueError(f"target of shape {target.shape} for an input of shape {input.shape}")

    def log(value: paddle.Tensor) -> paddle.Tensor:
        possible = paddle.where(value > 0, value, paddle.ones_like(value)).log()
        low = paddle.full_like(value, -100.0)
        return paddle.where(value > 0, paddle.maximum(possible, low), low)

    loss = -(target * log(input) + (1 - target) * log(1 - input))
    # At certain inputs torch's slope is large, where that of what a logarithm ends at is zero.
    spread = input * (1 - input)
    slope = ((input - target) / paddle.clip(spread, min=1e-12)).detach()
    steep = loss.detach() + slope * (input - input.detach())
    loss = paddle.where(spread < 1e-12, steep, loss)
    return torch_reduce(loss if weight is None else loss * weight, reduction)


def torch_binary_cross_entropy_with_logits(
    input: paddle.Tensor,
    target: paddle.Tensor,
    weight: paddle.Tensor | None = None,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    pos_weight: paddle.Tensor | None = None,
) -> paddle.Tensor:
    """`torch.nn.functional.binary_cross_entropy_with_logits`; shapes must agree."""
    reduction = torch_reduction(size_average, reduce, reduction)
    if input.shape != target.shape:
        raise ValueError(f"target of shape {target.shape} for an input of shape {input.shape}")
    log_p = paddle.nn.functional.log_sigmoid(input)
    if pos_weight is not None:
        log_p = log_p * ((pos_weight.astype(target.dtype) - 1) * target + 1)
    loss = (1 - target) * input - log_p
    if loss.dtype != target.dtype:  # the target's tells, in torch
        loss = loss.astype(target.dtype)
    return torch_reduce(loss if weight is None else loss * weight.astype(loss.dtype), reduction)


def torch_broadcast_logits_loss(
    input: paddle.Tensor, target: paddle.Tensor, **options: Any
) -> paddle.Tensor:
    """`torch.binary_cross_entropy_with_logits`, under which shapes need not agree."""
    return torch_binary_cross_entropy_with_logits(
        *torch_broadcast_tensors([input, target]), **options
    )


def torch_kl_div(
    input: paddle.Tensor,
    target: paddle.Tensor,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    log_target: bool = False,
) -> paddle.Tensor:
    """`torch.nn.functional.kl_div`; a target of 0 adds nothing."""
    reduction = torch_reduction(size_average, reduce, reduction)
    if log_target:
        loss = target.exp() * (target - input)
    else:
        safe = paddle.where(target == 0, paddle.ones_like(target), target)
        entropy = paddle.where(target == 0, paddle.zeros_like(target), target * safe.log())
        loss = entropy - target * input
    if reduction == "batchmean":
        return loss.sum() / input.shape[0] if input.ndim else loss
    return torch_reduce(loss, reduction)


def torch_smooth_l1_loss(
    input: paddle.Tensor,
    target: paddle.Tensor,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    beta: float = 1.0,
) -> paddle.Tensor:
    """`torch.nn.functional.smooth_l1_loss`: quadratic below beta."""
    reduction = torch_reduction(size_average, reduce, reduction)
    input, target = torch_floats(input, target)
    gap = (input - target).abs()
    if beta == 0:
        return torch_reduce(gap, reduction)
    return torch_reduce(
        paddle.where(gap < beta, 0.5 * gap * gap / beta, gap - 0.5 * beta), reduction
    )


def torch_huber_loss(
    input: paddle.Tensor,
    target: paddle.Tensor,
    reduction: str = "mean",
    delta: float = 1.0,
    weight: paddle.Tensor | None = None,
) -> paddle.Tensor:
    """`torch.nn.functional.huber_loss`: quadratic up to delta."""
    input, target = torch_floats(input, target)
    gap = (input - target).abs()
    loss = paddle.where(gap <= delta, 0.5 * gap * gap, delta * (gap - 0.5 * delta))
    return torch_reduce(loss if weight is None else loss * weight, reduction)


def torch_poisson_nll_loss(
    input: paddle.Tensor,
    target: paddle.Tensor,
    log_input: bool = True,
    full: bool = False,
    size_average: Any = None,
    eps: float = 1e-8,
    reduce: Any = None,
    reduction: str = "mean",
) -> paddle.Tensor:
    """`torch.nn.functional.poisson_nll_loss`."""
    reduction = torch_reduction(size_average, reduce, reduction)
    input, target = (torch_inexact(each) for each in torch_floats(input, target))
    loss = input.exp() - target * input if log_input else input - target * (input + eps).log()
    if full:
        many = target > 1
        safe = paddle.where(many, target, paddle.full_like(target, 2.0))
        term = safe * safe.log() - safe + 0.5 * (2 * math.pi * safe).log()
        loss = loss + paddle.where(many, term, paddle.zeros_like(term))
    return torch_reduce(loss, reduction)


def torch_gaussian_nll_loss(
    input: paddle.Tensor,
    target: paddle.Tensor,
    var: Any,
    full: bool = False,
    eps: float = 1e-6,
    reduction: str = "mean",
) -> paddle.Tensor:
    """`torch.nn.functional.gaussian_nll_loss`; a variance for each value or for each row."""
    if not isinstance(var, paddle.Tensor):
        var = paddle.full_like(input, var)
    elif var.shape != input.shape and var.shape == input.shape[:-1]:
        var = var.unsqueeze(-1)
    input, target, var = torch_floats(input, target, var)
    if bool((var < 0).any()):
        raise ValueError("var has negative entry/entries")
    # The bound changes the value, not the gradient.
    var = var + (paddle.clip(var, min=eps) - var).detach()
    loss = 0.5 * (var.log() + (input - target) ** 2 / var)
    return torch_reduce(loss + 0.5 * math.log(2 * math.pi) if full else loss, reduction)


def torch_soft_margin_loss(
    input: paddle.Tensor,
    target: paddle.Tensor,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> paddle.Tensor:
    """`torch.nn.functional.soft_margin_loss`."""
    reduction = torch_reduction(size_average, reduce, reduction)
    input, target = torch_floats(input, target)
    return torch_reduce(paddle.log1p(paddle.exp(-target * input)), reduction)


def torch_above_zero(value: paddle.Tensor) -> paddle.Tensor:
    """What `clamp_min(0)` gives: at exactly 0 its slope is 1, that of relu is 0."""
    return paddle.where(value < 0, paddle.zeros_like(value), value)


def torch_hinge_embedding_loss(
    input: paddle.Tensor,
    target: paddle.Tensor,
    margin: float = 1.0,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> paddle.Tensor:
    """`torch.nn.functional.hinge_embedding_loss`."""
    reduction = torch_reduction(size_average, reduce, reduction)
    zero = paddle.zeros_like(input)
    if not input.is_floating_point():
        margin = int(margin)
    below = paddle.where(target != 1, torch_above_zero(margin - input), zero)
    return torch_reduce(below + paddle.where(target != -1, input, zero), reduction)


def torch_margin_ranking_loss(
    input1: paddle.Tensor,
    input2: paddle.Tensor,
    target: paddle.Tensor,
    margin: float = 0.0,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> paddle.Tensor:
    """`torch.nn.functional.margin_ranking_loss`."""
    reduction = torch_reduction(size_average, reduce, reduction)
    gap = torch_above_zero(-target.astype(input1.dtype) * (input1 - input2) + margin)
    return torch_reduce(gap, reduction)
