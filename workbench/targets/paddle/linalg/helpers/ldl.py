"""The LDL decomposition of symmetric matrices, with the pivots that torch's LAPACK chooses."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy
import paddle


class TorchLDL(NamedTuple):
    """Both factors in one matrix, and the pivots."""

    LD: paddle.Tensor
    pivots: paddle.Tensor


class TorchLDLEx(NamedTuple):
    """Both factors in one matrix, the pivots, and where a pivot is zero."""

    LD: paddle.Tensor
    pivots: paddle.Tensor
    info: paddle.Tensor


def torch_ldl_pivot(a: Any, k: int) -> tuple[int, int]:
    """The row to bring to place k, and whether it comes alone or as one of two."""
    alpha, own = (1 + math.sqrt(17)) / 8, abs(a[k, k])
    below = abs(a[k + 1 :, k])
    if not below.size or own >= alpha * below.max():
        return k, 1
    most = k + 1 + int(below.argmax())
    column = below.max()
    row = max(abs(a[most, k:most]).max(), abs(a[most + 1 :, most]).max(initial=0))
    if own >= alpha * column * (column / row):
        return k, 1
    return most, 1 if abs(a[most, most]) >= alpha * row else 2


def torch_ldl_exchange(a: Any, k: int, kept: int, chosen: int) -> None:
    """Exchange two rows and columns of the lower triangle from place k on."""
    if kept == chosen:
        return
    for one, two in (
        (a[chosen + 1 :, kept], a[chosen + 1 :, chosen]),
        (a[kept + 1 : chosen, kept], a[chosen, kept + 1 : chosen]),
    ):
        one[:], two[:] = two.copy(), one.copy()
    a[kept, kept], a[chosen, chosen] = a[chosen, chosen], a[kept, kept]
    if kept != k:
        a[kept, k], a[chosen, k] = a[chosen, k], a[kept, k]


def torch_ldl_one(matrix: Any) -> tuple[Any, Any, int]:
    """The decomposition of one matrix, by its lower triangle."""
    a, size = matrix.copy(), matrix.shape[-1]
    pivots, info, k = numpy.zeros(size, "int32"), 0, 0
    while k < size:
        if not abs(a[k:, k]).max():
            pivots[k], info, k = k + 1, info or k + 1, k + 1
            continue
        chosen, step = torch_ldl_pivot(a, k)
        torch_ldl_exchange(a, k, k + step - 1, chosen)
        rest = slice(k + step, size)
        if step == 1:
            columns = a[rest, k : k + 1].copy()
            scaled = columns / a[k, k]
        else:
            columns = a[rest, k : k + 2].copy()
            off = a[k + 1, k]
            low, high = a[k + 1, k + 1] / off, a[k, k] / off
            share = 1 / (low * high - 1) / off
            scaled = share * numpy.stack(
                [low * columns[:, 0] - columns[:, 1], high * columns[:, 1] - columns[:, 0]], -1
            )
        lower = numpy.tril(columns @ scaled.T)
        a[rest, rest] -= lower
        a[rest, k : k + step] = scaled
        pivots[k : k + step] = chosen + 1 if step == 1 else -(chosen + 1)
        k += step
    return a, pivots, info


def torch_ldl_factor_ex(
    tensor: paddle.Tensor, hermitian: bool = False, check_errors: bool = False
) -> TorchLDLEx:
    """`torch.linalg.ldl_factor_ex` of real matrices, without gradients."""
    if tensor.is_complex():
        raise NotImplementedError("the LDL decomposition here is that of real matrices")
    flat = tensor.detach().numpy().reshape([-1, *tensor.shape[-2:]])
    found = [torch_ldl_one(numpy.tril(one)) for one in flat]
    batch = list(tensor.shape[:-2])
    factors, pivots, infos = (numpy.stack([one[k] for one in found]) for k in range(3))
    if check_errors and infos.any():
        raise RuntimeError(f"linalg.ldl_factor_ex: the pivot {infos.max()} is zero")
    return TorchLDLEx(
        paddle.to_tensor(factors.reshape(tensor.shape)),
        paddle.to_tensor(pivots.reshape(tensor.shape[:-1])),
        paddle.to_tensor(infos.astype("int32").reshape(batch)),
    )


def torch_ldl_factor(tensor: paddle.Tensor, hermitian: bool = False) -> TorchLDL:
    """`torch.linalg.ldl_factor` of real matrices, without gradients."""
    found = torch_ldl_factor_ex(tensor, check_errors=True)
    return TorchLDL(found.LD, found.pivots)


def torch_ldl_solve_one(a: Any, pivots: Any, right: Any) -> Any:
    """Solve the equations of one matrix from its decomposition."""
    b, size, steps, k = right.copy(), len(pivots), [], 0
    while k < size:
        step = 1 if pivots[k] > 0 else 2
        place, chosen = k + step - 1, abs(int(pivots[k])) - 1
        steps.append((k, step, place, chosen))
        b[[place, chosen]] = b[[chosen, place]]
        b[k + step :] -= a[k + step :, k : k + step] @ b[k : k + step]
        block = numpy.tril(a[k : k + step, k : k + step])
        block = block + numpy.tril(block, -1).T
        b[k : k + step] = numpy.linalg.solve(block, b[k : k + step])
        k += step
    for k, step, place, chosen in reversed(steps):
        b[k : k + step] -= a[k + step :, k : k + step].T @ b[k + step :]
        b[[place, chosen]] = b[[chosen, place]]
    return b


def torch_ldl_solve(
    factors: paddle.Tensor, pivots: paddle.Tensor, right: paddle.Tensor, hermitian: bool = False
) -> paddle.Tensor:
    """`torch.linalg.ldl_solve` of real matrices, without gradients."""
    batch = paddle.broadcast_shape(factors.shape[:-2], right.shape[:-2])
    size, columns = right.shape[-2:]
    matrices = paddle.expand(factors.detach(), [*batch, size, size]).reshape([-1, size, size])
    rows = paddle.expand(pivots, [*batch, size]).reshape([-1, size])
    sides = paddle.expand(right.detach(), [*batch, size, columns]).reshape([-1, size, columns])
    found = [
        torch_ldl_solve_one(*each)
        for each in zip(matrices.numpy(), rows.numpy(), sides.numpy(), strict=True)
    ]
    return paddle.to_tensor(numpy.stack(found).reshape([*batch, size, columns]))
