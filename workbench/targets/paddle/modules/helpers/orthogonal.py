"""The parametrization by orthogonal matrices: what is trained gives rotations or reflections."""

from __future__ import annotations

from typing import Any

import paddle

from workbench.targets.paddle.linalg.helpers.powers import torch_matrix_exp
from workbench.targets.paddle.linalg.helpers.reflections import (
    torch_geqrf,
    torch_householder_product,
)
from workbench.targets.paddle.modules.helpers.parametrize import torch_register_parametrization
from workbench.targets.paddle.tensors.helpers.shapes import torch_conj


def torch_orthonormal(matrix: paddle.Tensor) -> paddle.Tensor:
    """The orthogonal factor of a matrix whose triangular one has a positive diagonal."""
    orthogonal, triangular = paddle.linalg.qr(matrix)
    diagonal = paddle.diagonal(triangular, axis1=-2, axis2=-1)
    return orthogonal * (diagonal / diagonal.abs()).unsqueeze(-2)


class TorchOrthogonalParametrization(paddle.nn.Layer):
    """A weight with orthogonal columns, or rows where these are fewer."""

    base: Any

    def __init__(self, weight: paddle.Tensor, kind: str, use_trivialization: bool) -> None:
        super().__init__()
        self.shape = weight.shape
        self.kind = kind
        self.use_trivialization = use_trivialization
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, original: paddle.Tensor) -> paddle.Tensor:
        wide = original.shape[-2] < original.shape[-1]
        tall = original.mT if wide else original
        made = self.reflected(tall) if self.kind == "householder" else self.rotated(tall)
        made = self.base @ made if self.use_trivialization else made
        return made.mT if wide else made

    def reflected(self, tall: paddle.Tensor) -> paddle.Tensor:
        """The product of reflections whose vectors stand below the diagonal of signs."""
        vectors = tall.tril(-1)
        factors = 2.0 / (1.0 + (vectors * vectors).sum(axis=-2))
        signs = paddle.diagonal(tall.detach(), axis1=-2, axis2=-1).astype("int32")
        made = torch_householder_product(vectors, factors)
        return made * signs.astype(made.dtype).unsqueeze(-2)

    def rotated(self, tall: paddle.Tensor) -> paddle.Tensor:
        """The exponential, or Cayley's map, of a skew matrix."""
        rows, columns = tall.shape[-2:]
        lower = tall.tril()
        if rows != columns:
            missing = paddle.zeros([*tall.shape[:-1], rows - columns], dtype=tall.dtype)
            lower = paddle.concat([lower, missing], axis=-1)
        skew = lower - torch_conj(lower).mT
        if self.kind == "matrix_exp":
            made = torch_matrix_exp(skew)
        else:
            one = paddle.eye(rows, dtype=skew.dtype)
            made = paddle.linalg.solve(one - 0.5 * skew, one + 0.5 * skew)
        return made[..., :columns]

    def right_inverse(self, value: paddle.Tensor) -> paddle.Tensor:
        """What is to be trained so that the weight is the orthogonal matrix next to this."""
        if value.shape != self.shape:
            raise ValueError(
                f"Expected a matrix or batch of matrices of shape {self.shape}. "
                f"Got a tensor of shape {value.shape}."
            )
        wide = value.shape[-2] < value.shape[-1]
        tall = (value.mT if wide else value).detach()
        rows, columns = tall.shape[-2:]
        if not self.use_trivialization:
            if self.kind != "householder":
                raise NotImplementedError(
                    "It is not possible to assign to the matrix exponential or the Cayley "
                    "parametrizations when use_trivialization=False."
                )
            vectors, factors = torch_geqrf(tall)
            signs = paddle.diagonal(vectors, axis1=-2, axis2=-1).sign()
            signs = paddle.where(factors == 0, -signs, signs)
            own = paddle.eye(rows, columns, dtype=signs.dtype) * signs.unsqueeze(-2)
            start = vectors.tril(-1) + vectors.triu(1) + own
            return start.mT if wide else start
        if rows != columns:
            rest = paddle.randn([*tall.shape[:-1], rows - columns], dtype=tall.dtype)
            self.base = torch_orthonormal(paddle.concat([tall, rest], axis=-1))
        else:
            self.base = tall.clone() if self.is_orthogonal(tall) else torch_orthonormal(tall)
        return -paddle.eye(*self.shape[-2:], dtype=value.dtype).expand(self.shape)

    def is_orthogonal(self, matrix: paddle.Tensor) -> bool:
        """Whether the columns are, as far as the dtype tells."""
        size = matrix.shape[-1]
        near = float(10 * size * paddle.finfo(matrix.dtype).eps)
        found = torch_conj(matrix).mT @ matrix
        return bool(paddle.allclose(found, paddle.eye(size, dtype=matrix.dtype), atol=near))


def torch_parametrized_orthogonal(
    module: Any,
    name: str = "weight",
    orthogonal_map: str | None = None,
    *,
    use_trivialization: bool = True,
) -> Any:
    """`torch.nn.utils.parametrizations.orthogonal`."""
    weight = getattr(module, name, None)
    if not isinstance(weight, paddle.Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    if weight.ndim < 2:
        raise ValueError(
            f"Expected a matrix or batch of matrices. Got a tensor of {weight.ndim} dimensions."
        )
    if orthogonal_map is None:
        square = weight.shape[-2] == weight.shape[-1] or weight.is_complex()
        orthogonal_map = "matrix_exp" if square else "householder"
    if orthogonal_map not in ("matrix_exp", "cayley", "householder"):
        raise ValueError(
            'orthogonal_map has to be one of "matrix_exp", "cayley", "householder". '
            f"Got: {orthogonal_map}"
        )
    layer = TorchOrthogonalParametrization(weight, orthogonal_map, use_trivialization)
    return torch_register_parametrization(module, name, layer)
