"""What torch's layers are made of, as functions: attention in one call, convolutions' gradients."""

from __future__ import annotations

from typing import Any

import paddle

from workbench.targets.paddle.layers.helpers.conv import torch_tuple
from workbench.targets.paddle.layers.helpers.conv_transpose import torch_conv_transpose
from workbench.targets.paddle.sequences.helpers.attention import TorchMultiheadAttention


def torch_conv_tbc(
    input: paddle.Tensor, weight: paddle.Tensor, bias: paddle.Tensor, pad: int = 0
) -> paddle.Tensor:
    """`torch.nn.functional.conv_tbc`: time first, then batch, then channels."""
    kernel = weight.transpose([2, 1, 0])
    output = paddle.nn.functional.conv1d(input.transpose([1, 2, 0]), kernel, bias, padding=pad)
    return output.transpose([2, 0, 1])


def torch_multi_head_attention_forward(
    query: paddle.Tensor,
    key: paddle.Tensor,
    value: paddle.Tensor,
    embed_dim_to_check: int,
    num_heads: int,
    in_proj_weight: Any,
    in_proj_bias: Any,
    bias_k: Any,
    bias_v: Any,
    add_zero_attn: bool,
    dropout_p: float,
    out_proj_weight: paddle.Tensor,
    out_proj_bias: Any,
    training: bool = True,
    key_padding_mask: Any = None,
    need_weights: bool = True,
    attn_mask: Any = None,
    use_separate_proj_weight: bool = False,
    q_proj_weight: Any = None,
    k_proj_weight: Any = None,
    v_proj_weight: Any = None,
    static_k: Any = None,
    static_v: Any = None,
    average_attn_weights: bool = True,
    is_causal: bool = False,
) -> tuple[paddle.Tensor, paddle.Tensor | None]:
    """`torch.nn.functional.multi_head_attention_forward`: the layer, with these parameters."""
    if static_k is not None or static_v is not None:
        raise NotImplementedError("keys and values that are projected already have no equivalent")
    if query.shape[-1] != embed_dim_to_check:
        raise AssertionError(
            f"was expecting embedding dimension of {embed_dim_to_check}, but got {query.shape[-1]}"
        )
    layer = TorchMultiheadAttention(
        embed_dim_to_check, num_heads, dropout_p, add_zero_attn=add_zero_attn
    )
    layer.training = training
    separate = use_separate_proj_weight
    for holder, name, tensor in (
        (layer, "in_proj_weight", None if separate else in_proj_weight),
        (layer, "in_proj_bias", in_proj_bias),
        (layer, "q_proj_weight", q_proj_weight),
        (layer, "k_proj_weight", k_proj_weight),
        (layer, "v_proj_weight", v_proj_weight),
        (layer, "bias_k", bias_k),
        (layer, "bias_v", bias_v),
        (layer.out_proj, "weight", out_proj_weight),
        (layer.out_proj, "bias", out_proj_bias),
    ):
        holder._parameters.pop(name, None)
        holder.__dict__[name] = tensor  # any tensor, through which gradients flow
    output, weights = layer(
        query,
        key,
        value,
        key_padding_mask,
        need_weights,
        attn_mask,
        average_attn_weights,
        is_causal,
    )
    return output, weights


def torch_conv_input_gradient(
    dims: int,
    input_size: Any,
    weight: paddle.Tensor,
    grad_output: paddle.Tensor,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Any:
    """`torch.nn.grad.conv2d_input` and its sisters: a transposed convolution."""
    steps, pads, gaps = (torch_tuple(each, dims) for each in (stride, padding, dilation))
    rows = zip(
        list(input_size)[-dims:],
        grad_output.shape[2:],
        steps,
        pads,
        gaps,
        weight.shape[2:],
        strict=True,
    )
    missing = [
        whole - ((out - 1) * step - 2 * pad + gap * (kernel - 1) + 1)
        for whole, out, step, pad, gap, kernel in rows
    ]
    return torch_conv_transpose(
        grad_output, weight, None, stride, padding, missing, groups, dilation
    )


def torch_conv_weight_gradient(
    dims: int,
    input: paddle.Tensor,
    weight_size: Any,
    grad_output: paddle.Tensor,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Any:
    """`torch.nn.grad.conv2d_weight` and its sisters: a convolution over the batch."""
    convolve = {
        1: paddle.nn.functional.conv1d,
        2: paddle.nn.functional.conv2d,
        3: paddle.nn.functional.conv3d,
    }[dims]
    swapped = [1, 0, *range(2, dims + 2)]
    kernel = tuple(slice(0, size) for size in list(weight_size)[2:])
    parts = [
        convolve(one.transpose(swapped), grad.transpose(swapped), None, dilation, padding, stride)
        for one, grad in zip(
            paddle.split(input, groups, 1), paddle.split(grad_output, groups, 1), strict=True
        )
    ]
    return paddle.concat([part[:, :, *kernel].transpose(swapped) for part in parts])
