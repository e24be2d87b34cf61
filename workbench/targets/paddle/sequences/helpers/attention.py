"""Attention as torch computes it."""

from __future__ import annotations

import enum
import math
from typing import Any

import paddle

from workbench.targets.paddle.layers.helpers.linear import TorchNonDynamicallyQuantizableLinear
from workbench.targets.paddle.modules.helpers.class_names import torch_named


def torch_scaled_dot_product_attention(
    query: paddle.Tensor,
    key: paddle.Tensor,
    value: paddle.Tensor,
    attn_mask: paddle.Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> paddle.Tensor:
    """`torch.nn.functional.scaled_dot_product_attention`.

    Heads come before positions, in Paddle after them; any number of dimensions may lead. Rows
    that are masked altogether give zeros.
    """
    if attn_mask is not None and is_causal:
        raise RuntimeError("give either attn_mask or is_causal")
    if enable_gqa:
        key = key.repeat_interleave(query.shape[-3] // key.shape[-3], axis=-3)
        value = value.repeat_interleave(query.shape[-3] // value.shape[-3], axis=-3)
    rows, columns = query.shape[-2], key.shape[-2]
    plain = attn_mask is None and scale is None and (rows == columns or not is_causal)
    half = query.dtype in (paddle.float16, paddle.bfloat16)
    if plain and half and query.ndim == 4 and query.shape == key.shape == value.shape:
        # Paddle's fused kernel.
        swapped = [each.transpose([0, 2, 1, 3]) for each in (query, key, value)]
        output = paddle.nn.functional.scaled_dot_product_attention(
            *swapped, dropout_p=dropout_p, is_causal=is_causal, training=True
        )
        return output.transpose([0, 2, 1, 3])
    factor = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    scores = paddle.matmul(query, key, transpose_y=True) * factor
    if is_causal:
        attn_mask = paddle.ones([rows, columns], dtype="bool").tril()
    if attn_mask is not None and attn_mask.dtype == paddle.bool:
        scores = paddle.where(attn_mask, scores, paddle.full_like(scores, float("-inf")))
    elif attn_mask is not None:
        scores = scores + attn_mask
    weights = paddle.nn.functional.softmax(scores, axis=-1)
    if attn_mask is not None:
        lost = (scores == float("-inf")).all(axis=-1, keepdim=True)
        weights = paddle.where(lost, paddle.zeros_like(weights), weights)
    if dropout_p > 0.0:
        weights = paddle.nn.functional.dropout(weights, dropout_p, training=True)
    return paddle.matmul(weights, value)


def torch_float_mask(mask: paddle.Tensor, dtype: Any) -> paddle.Tensor:
    """A mask as numbers to add: where a boolean one is true, nothing is attended to."""
    if mask.dtype != paddle.bool:
        return mask.astype(dtype)
    zeros = paddle.zeros(mask.shape, dtype=dtype)
    return paddle.where(mask, paddle.full_like(zeros, float("-inf")), zeros)


@torch_named
class TorchMultiheadAttention(paddle.nn.Layer):
    """`torch.nn.MultiheadAttention`: its parameters, masks and weights are torch's."""

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError("embed_dim must be divisible by num_heads")
        self.embed_dim = embed_dim
        self.kdim = kdim if kdim is not None else embed_dim
        self.vdim = vdim if vdim is not None else embed_dim
        self._qkv_same_embed_dim = self.kdim == embed_dim and self.vdim == embed_dim
        self.num_heads = num_heads
        self.dropout = dropout
        self.batch_first = batch_first
        self.head_dim = embed_dim // num_heads
        self.add_zero_attn = add_zero_attn
        dtype = dtype or paddle.get_default_dtype()

        def create(*shape: int) -> Any:
            uniform = paddle.nn.initializer.XavierUniform(fan_in=shape[-1], fan_out=shape[0])
            return self.create_parameter(list(shape), dtype=dtype, default_initializer=uniform)

        self.q_proj_weight = self.k_proj_weight = self.v_proj_weight = None
        self.in_proj_weight = self.in_proj_bias = None
        if self._qkv_same_embed_dim:
            self.in_proj_weight = create(3 * embed_dim, embed_dim)
        else:
            self.q_proj_weight = create(embed_dim, embed_dim)
            self.k_proj_weight = create(embed_dim, self.kdim)
            self.v_proj_weight = create(embed_dim, self.vdim)
        if bias:
            self.in_proj_bias = self.create_parameter([3 * embed_dim], dtype=dtype, is_bias=True)
        self.out_proj = TorchNonDynamicallyQuantizableLinear(
            embed_dim, embed_dim, bias=bias, dtype=dtype
        )
        self.bias_k = self.bias_v = None
        if self.out_proj.bias is not None:
            with paddle.no_grad():
                self.out_proj.bias.zero_()
        if add_bias_kv:
            normal = paddle.nn.initializer.Normal(0.0, math.sqrt(2.0 / (2 * embed_dim)))
            shape = [1, 1, embed_dim]
            self.bias_k = self.create_parameter(shape, dtype=dtype, default_initializer=normal)
            self.bias_v = self.create_parameter(shape, dtype=dtype, default_initializer=normal)
        if device is not None:
            self.to(device)

    def project(self, values: list[paddle.Tensor]) -> list[paddle.Tensor]:
        """Query, key and value after their projections."""
        if self.in_proj_weight is not None:
            weights = paddle.chunk(self.in_proj_weight, 3, axis=0)
        else:
            weights = [self.q_proj_weight, self.k_proj_weight, self.v_proj_weight]
        projected = [
            paddle.matmul(value, weight, transpose_y=True)
            for value, weight in zip(values, weights, strict=True)
        ]
        if self.in_proj_bias is None:
            return projected
        biases = paddle.chunk(self.in_proj_bias, 3)
        return [value + bias for value, bias in zip(projected, biases, strict=True)]

    def forward(
        self,
        query: paddle.Tensor,
        key: paddle.Tensor,
        value: paddle.Tensor,
        key_padding_mask: paddle.Tensor | None = None,
        need_weights: bool = True,
        attn_mask: paddle.Tensor | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[paddle.Tensor, paddle.Tensor | None]:
        if is_causal and attn_mask is None:
            raise RuntimeError("Need attn_mask if specifying the is_causal hint.")
        alone = query.ndim == 2
        given = [query, key, value]
        if alone:
            given = [each.unsqueeze(0) for each in given]
            if key_padding_mask is not None:
                key_padding_mask = key_padding_mask.unsqueeze(0)
        elif not self.batch_first:
            given = [each.transpose([1, 0, 2]) for each in given]
        q, k, v = self.project(given)
        batch, rows = q.shape[0], q.shape[1]
        added = 0
        if self.bias_k is not None and self.bias_v is not None:
            k = paddle.concat([k, self.bias_k.expand([batch, 1, self.embed_dim])], axis=1)
            v = paddle.concat([v, self.bias_v.expand([batch, 1, self.embed_dim])], axis=1)
            added += 1
        if self.add_zero_attn:
            zeros = paddle.zeros([batch, 1, self.embed_dim], dtype=k.dtype)
            k, v = paddle.concat([k, zeros], axis=1), paddle.concat([v, zeros], axis=1)
            added += 1
        heads = [
            each.reshape([batch, each.shape[1], self.num_heads, self.head_dim]).transpose(
                [0, 2, 1, 3]
            )
            for each in (q, k, v)
        ]
        mask = self.merged_mask(attn_mask, key_padding_mask, batch, q.dtype)
        if mask is not None and added:
            mask = paddle.concat([mask, paddle.zeros([*mask.shape[:-1], added], mask.dtype)], -1)
        dropout = self.dropout if self.training else 0.0
        weights = None
        if need_weights:
            scores = paddle.matmul(heads[0] / math.sqrt(self.head_dim), heads[1], transpose_y=True)
            weights = paddle.nn.functional.softmax(scores if mask is None else scores + mask)
            if dropout:
                weights = paddle.nn.functional.dropout(weights, dropout, training=True)
            output = paddle.matmul(weights, heads[2])
        else:
            output = torch_scaled_dot_product_attention(heads[0], heads[1], heads[2], mask, dropout)
        output = output.transpose([0, 2, 1, 3]).reshape([batch, rows, self.embed_dim])
        output = self.out_proj(output)
        if weights is not None and average_attn_weights:
            weights = weights.mean(axis=1)
        if alone:
            return output.squeeze(0), None if weights is None else weights.squeeze(0)
        return output if self.batch_first else output.transpose([1, 0, 2]), weights

    def merged_mask(
        self,
        attn_mask: paddle.Tensor | None,
        key_padding_mask: paddle.Tensor | None,
        batch: int,
        dtype: Any,
    ) -> paddle.Tensor | None:
        """Both masks as one that is added to the scores of every head."""
        mask = None
        if attn_mask is not None:
            mask = torch_float_mask(attn_mask, dtype)
            if mask.ndim == 3:
                mask = mask.reshape([batch, self.num_heads, *mask.shape[1:]])
            else:
                mask = mask.reshape([1, 1, *mask.shape])
        if key_padding_mask is None:
            return mask
        padding = torch_float_mask(key_padding_mask, dtype).reshape([batch, 1, 1, -1])
        return padding if mask is None else mask + padding


@torch_named
class TorchSDPBackend(enum.Enum):
    """`torch.nn.attention.SDPBackend`: names of kernels, between which Paddle chooses itself."""

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4

    def __int__(self) -> int:
        return self.value
