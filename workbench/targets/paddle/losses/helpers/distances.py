"""Distances, and the losses of distances, margins and alignments, as torch computes them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import paddle

from workbench.targets.paddle.losses.helpers.losses import (
    torch_above_zero,
    torch_floats,
    torch_reduce,
    torch_reduction,
)
from workbench.targets.paddle.math.helpers.dtypes import torch_inexact
from workbench.targets.paddle.tensors.helpers.inplace import torch_out
from workbench.targets.paddle.tensors.helpers.shapes import torch_broadcast_tensors


def torch_pairwise_distance(
    x1: paddle.Tensor, x2: paddle.Tensor, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False
) -> paddle.Tensor:
    """`torch.nn.functional.pairwise_distance`."""
    x1, x2 = torch_floats(x1, x2)
    return paddle.linalg.norm(x1 - x2 + eps, p=float(p), axis=-1, keepdim=keepdim)


def torch_normalize(
    input: paddle.Tensor,
    p: float = 2.0,
    dim: Any = 1,
    eps: float = 1e-12,
    out: paddle.Tensor | None = None,
) -> paddle.Tensor:
    """`torch.nn.functional.normalize`: the norm is at least eps."""
    rows = input if input.ndim else input.reshape([1])
    norm = paddle.clip(paddle.linalg.vector_norm(rows, float(p), dim, keepdim=True), min=eps)
    output = (rows / norm).reshape(input.shape)
    return output if out is None else torch_out(output, out)


def torch_pdist(input: paddle.Tensor, p: float = 2.0) -> paddle.Tensor:
    """`torch.pdist`: the distances of all pairs of rows; equal rows have no slope."""
    first, second = paddle.triu_indices(input.shape[0], input.shape[0], 1)
    gaps = input[first] - input[second]
    if not 0 < p < 1:
        return paddle.linalg.vector_norm(gaps, float(p), axis=-1)
    apart = gaps.abs()
    safe = paddle.where(apart > 0, apart, paddle.ones_like(apart))
    sums = paddle.where(apart > 0, safe**p, paddle.zeros_like(apart)).sum(axis=-1)
    filled = paddle.where(sums > 0, sums, paddle.ones_like(sums))
    return paddle.where(sums > 0, filled ** (1 / p), paddle.zeros_like(sums))


def torch_cosine_similarity(
    x1: paddle.Tensor, x2: paddle.Tensor, dim: int = 1, eps: float = 1e-8
) -> paddle.Tensor:
    """`torch.nn.functional.cosine_similarity`: each norm is at least eps."""
    x1, x2 = torch_broadcast_tensors(torch_floats(x1, x2))
    one = paddle.clip(paddle.linalg.norm(x1, axis=dim, keepdim=True), min=eps)
    other = paddle.clip(paddle.linalg.norm(x2, axis=dim, keepdim=True), min=eps)
    return ((x1 / one) * (x2 / other)).sum(axis=dim)


def torch_cosine_embedding_loss(
    input1: paddle.Tensor,
    input2: paddle.Tensor,
    target: paddle.Tensor,
    margin: float = 0.0,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> paddle.Tensor:
    """`torch.nn.functional.cosine_embedding_loss`."""
    reduction = torch_reduction(size_average, reduce, reduction)
    input1, input2 = (torch_inexact(each) for each in torch_floats(input1, input2))
    axis = 1 if target.ndim else 0
    squares = [(each * each).sum(axis=axis) + 1e-12 for each in (input1, input2)]
    cosine = (input1 * input2).sum(axis=axis) / (squares[0] * squares[1]).sqrt()
    zero = paddle.zeros_like(cosine)
    near = paddle.where(target == 1, 1 - cosine, zero)
    far = paddle.where(target == -1, torch_above_zero(cosine - margin), zero)
    return torch_reduce(near + far, reduction)


def torch_triplet_margin_with_distance_loss(
    anchor: paddle.Tensor,
    positive: paddle.Tensor,
    negative: paddle.Tensor,
    distance_function: Callable[[paddle.Tensor, paddle.Tensor], paddle.Tensor] | None = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> paddle.Tensor:
    """`torch.nn.functional.triplet_margin_with_distance_loss`."""
    measure = distance_function or torch_pairwise_distance
    near, far = measure(anchor, positive), measure(anchor, negative)
    if swap:
        far = paddle.minimum(far, measure(positive, negative))
    return torch_reduce(torch_above_zero(margin + near - far), reduction)


def torch_triplet_margin_loss(
    anchor: paddle.Tensor,
    positive: paddle.Tensor,
    negative: paddle.Tensor,
    margin: float = 1.0,
    p: float = 2.0,
    eps: float = 1e-6,
    swap: bool = False,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> paddle.Tensor:
    """`torch.nn.functional.triplet_margin_loss`."""
    reduction = torch_reduction(size_average, reduce, reduction)
    return torch_triplet_margin_with_distance_loss(
        anchor,
        positive,
        negative,
        lambda one, other: torch_pairwise_distance(one, other, p, eps),
        margin,
        swap,
        reduction,
    )


def torch_multi_margin_loss(
    input: paddle.Tensor,
    target: paddle.Tensor,
    p: int = 1,
    margin: float = 1.0,
    weight: paddle.Tensor | None = None,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> paddle.Tensor:
    """`torch.nn.functional.multi_margin_loss`, of rows or of a single one."""
    reduction = torch_reduction(size_average, reduce, reduction)
    rows = input.reshape([-1, input.shape[-1] if input.ndim else 1])
    places = target.reshape([-1, 1])
    right = paddle.take_along_axis(rows, places, 1, broadcast=False)
    gap = paddle.nn.functional.relu(margin - right + rows) ** p
    if weight is not None:
        gap = gap * paddle.gather(weight, places.flatten()).unsqueeze(-1)
    own = paddle.arange(rows.shape[1]).unsqueeze(0) == places
    loss = paddle.where(own, paddle.zeros_like(gap), gap).sum(axis=1) / rows.shape[1]
    return torch_reduce(loss.reshape(target.shape), reduction)


def torch_multilabel_margin_loss(
    input: paddle.Tensor,
    target: paddle.Tensor,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> paddle.Tensor:
    """`torch.nn.functional.multilabel_margin_loss`: labels end at the first negative one."""
    reduction = torch_reduction(size_average, reduce, reduction)
    rows = input.reshape([-1, input.shape[-1] if input.ndim else 1])
    labels = target.reshape([-1, target.shape[-1] if target.ndim else 1])
    valid = paddle.cumprod((labels >= 0).astype("int64"), dim=1)
    places = labels * valid
    hot = paddle.nn.functional.one_hot(places, rows.shape[1])
    chosen = (hot * valid.astype(hot.dtype).unsqueeze(-1)).sum(axis=1)
    right = paddle.take_along_axis(rows, places, 1, broadcast=False)
    gaps = paddle.nn.functional.relu(1 - right.unsqueeze(2) + rows.unsqueeze(1))
    free = (chosen == 0).astype(rows.dtype).unsqueeze(1)
    loss = (gaps * free * valid.astype(rows.dtype).unsqueeze(2)).sum(axis=[1, 2]) / rows.shape[1]
    return torch_reduce(loss.reshape(input.shape[:-1]), reduction)


def torch_multilabel_soft_margin_loss(
    input: paddle.Tensor,
    target: paddle.Tensor,
    weight: paddle.Tensor | None = None,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> paddle.Tensor:
    """`torch.nn.functional.multilabel_soft_margin_loss`."""
    reduction = torch_reduction(size_average, reduce, reduction)
    log = paddle.nn.functional.log_sigmoid
    target = target.astype(input.dtype)
    loss = -(target * log(input) + (1 - target) * log(-input))
    # The classes are the last dimension of the input, whatever the target adds in front of it.
    classes, loss = input.ndim - 1, loss if weight is None else loss * weight
    return torch_reduce(loss.sum(axis=classes) / input.shape[classes], reduction)


def torch_ctc_loss(
    log_probs: paddle.Tensor,
    targets: paddle.Tensor,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> paddle.Tensor:
    """`torch.nn.functional.ctc_loss`: targets are padded (2-D) or concatenated (1-D)."""
    alone = log_probs.ndim == 2
    inputs = paddle.to_tensor(input_lengths, dtype="int64").reshape([-1])
    lengths = paddle.to_tensor(target_lengths, dtype="int64").reshape([-1])
    if alone:
        log_probs, targets = log_probs.unsqueeze(1), targets.reshape([1, -1])
    if targets.ndim == 1:
        width = max(int(lengths.max()), 1)
        rows, start = [], 0
        for length in lengths.tolist():
            row = targets[start : start + length]
            rows.append(paddle.concat([row, paddle.zeros([width - length], dtype=row.dtype)]))
            start += length
        targets = paddle.stack(rows)
    loss = paddle.nn.functional.ctc_loss(
        log_probs, targets.astype("int32"), inputs, lengths, blank, reduction="none"
    ).reshape([-1])
    # Paddle makes probabilities of its input first; torch takes it for their logarithms.
    total = log_probs.exp().sum(axis=-1)
    within = paddle.arange(log_probs.shape[0]).unsqueeze(1) < inputs
    apart = paddle.where(within, total - total.detach() - total.log(), paddle.zeros_like(total))
    loss = loss + apart.sum(axis=0)
    # Labels that do not fit into their input have no alignment. Their loss is 0 in Paddle; in torch
    # it is infinite, with gradients of NaN.
    places = paddle.arange(1, targets.shape[1]).unsqueeze(0) < lengths.unsqueeze(1)
    repeated = ((targets[:, 1:] == targets[:, :-1]) & places).astype("int64").sum(axis=1)
    none = inputs < lengths + repeated
    if zero_infinity:
        loss = paddle.where(none | paddle.isinf(loss), paddle.zeros_like(loss), loss)
    else:
        loss = paddle.where(none, paddle.full_like(loss, float("inf")), loss)
        # A root of 0 whose gradient is infinity less infinity.
        root = paddle.where(within & none, total - total, paddle.ones_like(total)).sqrt() - 1
        loss = loss + root.sum(axis=0)
    if reduction == "mean":
        return (loss / paddle.clip(lengths, min=1).astype(loss.dtype)).mean()
    return torch_reduce(loss.squeeze(0) if alone else loss, reduction)
