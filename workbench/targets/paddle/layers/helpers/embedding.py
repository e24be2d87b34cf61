"""Embeddings with torch's initial values, padding rows and range check of indices."""

from __future__ import annotations

from typing import Any

import paddle

from workbench.targets.paddle.modules.helpers.class_names import torch_named


def torch_embedding(
    input: paddle.Tensor,
    weight: paddle.Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> paddle.Tensor:
    """`torch.nn.functional.embedding`; gradients are dense, with the values of sparse ones.

    The padding row is read like any other and only gets no gradient, Paddle reads it as zeros; a
    negative index raises, Paddle gives zeros for it.
    """
    if input.place.is_cpu_place() and input.size and int(input.min()) < 0:
        raise IndexError("index out of range in self")
    if max_norm is not None:
        torch_renorm_rows(weight, input, max_norm, norm_type)
    if weight.dtype == paddle.float16:  # which `index_select` lacks on CPUs
        output = paddle.nn.functional.embedding(input, weight)
    else:  # Paddle's own has no second derivative, and only tables of floating numbers
        rows = paddle.index_select(weight, input.flatten())
        output = rows.reshape([*input.shape, weight.shape[1]])
    if scale_grad_by_freq and input.size:
        times = paddle.bincount(input.flatten())[input.flatten()].reshape(input.shape)
        plain = output.detach()
        output = plain + (output - plain) / times.unsqueeze(-1).astype(output.dtype)
    if padding_idx is None:
        return output
    if padding_idx < 0:
        padding_idx += weight.shape[0]
    padding = (input == padding_idx).unsqueeze(-1)
    return paddle.where(padding, output.detach(), output)


def torch_renorm_rows(
    weight: paddle.Tensor, indices: paddle.Tensor, max_norm: float, norm_type: float
) -> None:
    """Scale the rows that are looked up down to `max_norm`, in the weight itself."""
    with paddle.no_grad():
        used = paddle.unique(indices.flatten())
        rows = paddle.index_select(weight, used, axis=0)
        norms = paddle.linalg.norm(rows, p=norm_type, axis=-1, keepdim=True)
        scaled = paddle.where(norms > max_norm, rows * (max_norm / (norms + 1e-7)), rows)
        paddle.assign(paddle.scatter(weight, used, scaled), weight)


class TorchEmbeddingTable(paddle.nn.Layer):
    """What torch's embeddings share: a table drawn from a standard normal distribution."""

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: paddle.Tensor | None = None,
        _freeze: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        if padding_idx is not None and padding_idx < 0:
            padding_idx += num_embeddings
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.padding_idx = padding_idx
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self.sparse = sparse
        if _weight is None:
            self.weight = self.create_parameter(
                [num_embeddings, embedding_dim], dtype=dtype or paddle.get_default_dtype()
            )
            self.reset_parameters()
        else:
            self.weight = paddle.nn.Parameter(_weight)
        self.weight.stop_gradient = _freeze
        if device is not None:
            self.to(device)

    def reset_parameters(self) -> None:
        with paddle.no_grad():
            self.weight.normal_(0.0, 1.0)
            if self.padding_idx is not None:
                self.weight[self.padding_idx] = 0.0

    def extra_repr(self) -> str:
        usual = {"max_norm": None, "norm_type": 2, "scale_grad_by_freq": False, "padding_idx": None}
        if hasattr(self, "mode"):
            names = ["max_norm", "norm_type", "scale_grad_by_freq", "mode", "padding_idx"]
        else:
            usual["sparse"] = False
            names = ["padding_idx", "max_norm", "norm_type", "scale_grad_by_freq", "sparse"]
        told = [name for name in names if name not in usual or getattr(self, name) != usual[name]]
        return ", ".join(
            [f"{self.num_embeddings}, {self.embedding_dim}"]
            + [f"{name}={getattr(self, name)!r}" for name in told]
        )


@torch_named
class TorchEmbedding(TorchEmbeddingTable):
    """`torch.nn.Embedding`, with torch's padding row and bounds."""

    @classmethod
    def from_pretrained(
        cls,
        embeddings: paddle.Tensor,
        freeze: bool = True,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
    ) -> Any:
        rows, columns = embeddings.shape
        return cls(
            rows,
            columns,
            padding_idx,
            max_norm,
            norm_type,
            scale_grad_by_freq,
            sparse,
            _weight=embeddings,
            _freeze=freeze,
        )

    def forward(self, input: paddle.Tensor) -> paddle.Tensor:
        return torch_embedding(
            input,
            self.weight,
            self.padding_idx,
            self.max_norm,
            self.norm_type,
            self.scale_grad_by_freq,
        )


def torch_embedding_bag(
    input: paddle.Tensor,
    weight: paddle.Tensor,
    offsets: paddle.Tensor | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: paddle.Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> paddle.Tensor:
    """`torch.nn.functional.embedding_bag`: bags are rows of the input, or start at offsets."""
    if input.is_floating_point() and not weight.is_floating_point():
        input, weight = weight, input  # the order of old, which torch still takes
    if input.ndim == 2:
        bags, width = input.shape
        starts = paddle.arange(bags) * width
    elif offsets is None:
        raise ValueError("an input of one dimension needs offsets")
    else:
        starts = offsets[:-1] if include_last_offset else offsets
        bags = starts.shape[0]
    flat = input.flatten()
    if offsets is not None and include_last_offset:
        flat = flat[: int(offsets[-1])]
    if scale_grad_by_freq:
        raise NotImplementedError("gradients of bags scaled by frequency have no equivalent here")
    rows = torch_embedding(flat, weight, padding_idx, max_norm, norm_type)
    if per_sample_weights is not None:
        rows = rows * per_sample_weights.flatten()[: flat.shape[0]].unsqueeze(-1)
    place = paddle.arange(flat.shape[0], dtype=starts.dtype)
    owner = (place.unsqueeze(0) >= starts.unsqueeze(1)).astype("int64").sum(axis=0) - 1
    counts = owner.unsqueeze(0) == paddle.arange(bags).unsqueeze(1)
    if padding_idx is not None:
        row = padding_idx if padding_idx >= 0 else padding_idx + weight.shape[0]
        counts = paddle.logical_and(counts, (flat != row).unsqueeze(0))
    if mode == "max":
        low = paddle.full_like(rows, float("-inf")).unsqueeze(0)
        held = paddle.where(counts.unsqueeze(-1), rows.unsqueeze(0), low)
        first = held.detach().argmax(axis=1, keepdim=True)  # equals share a gradient in `max`
        best = paddle.take_along_axis(held, first, axis=1).squeeze(1)
        return paddle.where(counts.any(axis=1, keepdim=True), best, paddle.zeros_like(best))
    shares = counts.astype(rows.dtype)
    total = paddle.matmul(shares, rows)
    if mode == "sum":
        return total
    return total / paddle.clip(shares.sum(axis=1, keepdim=True), min=1.0)


def torch_bags(
    weight: paddle.Tensor,
    indices: paddle.Tensor,
    offsets: paddle.Tensor,
    mode: int = 0,
    per_sample_weights: paddle.Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> tuple[paddle.Tensor, paddle.Tensor, paddle.Tensor, paddle.Tensor]:
    """`torch.embedding_bag`: the bags, whose each index is, how many they hold, and the largest."""
    bags = torch_embedding_bag(
        indices,
        weight,
        offsets,
        mode=("sum", "mean", "max")[mode],
        per_sample_weights=per_sample_weights,
        include_last_offset=include_last_offset,
        padding_idx=padding_idx,
    )
    starts = offsets[:-1] if include_last_offset else offsets
    place = paddle.arange(indices.shape[0], dtype=starts.dtype)
    owner = (place.unsqueeze(0) >= starts.unsqueeze(1)).astype(indices.dtype).sum(axis=0) - 1
    owner = owner.astype(indices.dtype)
    if mode == 0:
        none = paddle.zeros(offsets.shape, dtype=indices.dtype)
        told = padding_idx is not None or include_last_offset or weight.dtype == paddle.float64
        return bags, owner if told else owner[:0], none, none.clone()
    held = owner.unsqueeze(0) == paddle.arange(starts.shape[0]).unsqueeze(1)
    if padding_idx is not None:
        held = held & (indices != padding_idx % weight.shape[0]).unsqueeze(0)
    sizes = held.astype(indices.dtype).sum(axis=1).astype(indices.dtype)
    if mode == 1:
        return bags, owner, sizes, sizes.clone()
    rows = weight.detach()[indices].unsqueeze(0)
    low = paddle.full_like(rows, float("-inf"))
    at = paddle.where(held.unsqueeze(-1), rows, low).argmax(axis=1)
    largest = paddle.where(held.any(axis=1, keepdim=True), indices[at], paddle.zeros_like(at))
    return bags, owner, sizes, largest.astype(indices.dtype)


@torch_named
class TorchEmbeddingBag(TorchEmbeddingTable):
    """`torch.nn.EmbeddingBag`."""

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        _weight: paddle.Tensor | None = None,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            num_embeddings,
            embedding_dim,
            padding_idx,
            max_norm,
            norm_type,
            scale_grad_by_freq,
            sparse,
            _weight,
            False,
            device,
            dtype,
        )
        self.mode = mode
        self.include_last_offset = include_last_offset

    @classmethod
    def from_pretrained(
        cls,
        embeddings: paddle.Tensor,
        freeze: bool = True,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
    ) -> Any:
        rows, columns = embeddings.shape
        made = cls(
            rows,
            columns,
            max_norm,
            norm_type,
            scale_grad_by_freq,
            mode,
            sparse,
            embeddings,
            include_last_offset,
            padding_idx,
        )
        made.weight.stop_gradient = freeze
        return made

    def forward(
        self,
        input: paddle.Tensor,
        offsets: paddle.Tensor | None = None,
        per_sample_weights: paddle.Tensor | None = None,
    ) -> paddle.Tensor:
        return torch_embedding_bag(
            input,
            self.weight,
            offsets,
            self.max_norm,
            self.norm_type,
            self.scale_grad_by_freq,
            self.mode,
            self.sparse,
            per_sample_weights,
            self.include_last_offset,
            self.padding_idx,
        )
