"""`torch.distributions.utils`: probabilities, logits and triangles as vectors."""

from __future__ import annotations

import math
from typing import Any

import paddle

from workbench.targets.paddle.distributions.helpers.base import torch_parameters


def torch_clamp_probs(probs: Any) -> Any:
    """Probabilities kept away from zero and one."""
    tiny = float(paddle.finfo(probs.dtype).eps)
    return paddle.clip(probs, tiny, 1 - tiny)


def torch_probs_to_logits(probs: Any, is_binary: bool = False) -> Any:
    """`probs_to_logits`: log odds of two outcomes, logarithms of many."""
    kept = torch_clamp_probs(probs)
    return kept.log() - paddle.log1p(-kept) if is_binary else kept.log()


def torch_logits_to_probs(logits: Any, is_binary: bool = False) -> Any:
    """`logits_to_probs`: the way back."""
    if is_binary:
        return paddle.nn.functional.sigmoid(logits)
    return paddle.nn.functional.softmax(logits, axis=-1)


def torch_broadcast_all(*values: Any) -> Any:
    """`broadcast_all`: tensors and numbers as tensors of one shape."""
    if not all(isinstance(value, paddle.Tensor | int | float) for value in values):
        raise ValueError("Input arguments must all be instances of Number or torch.Tensor.")
    return tuple(torch_parameters(*values))


def torch_triangle(size: int, diag: int) -> Any:
    """Where the places of a lower triangle are in a flat matrix, row by row."""
    rows = paddle.arange(size)
    inside = rows.unsqueeze(0) < rows.unsqueeze(1) + (diag + 1)
    return paddle.nonzero(inside.flatten()).flatten()


def torch_vec_to_tril_matrix(vec: Any, diag: int = 0) -> Any:
    """`vec_to_tril_matrix`: a lower triangle filled row by row."""
    odd = 1 + 2 * diag
    side = (math.sqrt(odd**2 + 8 * vec.shape[-1] + 4 * abs(diag) * (diag + 1)) - odd) / 2
    size = round(side)
    if size - side > float(paddle.finfo(vec.dtype).eps):
        raise ValueError(
            f"The size of last dimension is {vec.shape[-1]} which cannot be expressed as the lower"
            " triangular part of a square D x D matrix."
        )
    flat = paddle.zeros([size * size, *vec.shape[:-1]], dtype=vec.dtype)
    filled = paddle.scatter(flat, torch_triangle(size, diag), vec.moveaxis(-1, 0))
    return filled.moveaxis(0, -1).reshape([*vec.shape[:-1], size, size])


def torch_tril_matrix_to_vec(mat: Any, diag: int = 0) -> Any:
    """`tril_matrix_to_vec`: the lower triangle, row by row."""
    size = mat.shape[-1]
    if diag < -size or diag >= size:
        raise ValueError(f"diag ({diag}) provided is outside [{-size}, {size - 1}].")
    return paddle.index_select(mat.flatten(start_axis=-2), torch_triangle(size, diag), axis=-1)
