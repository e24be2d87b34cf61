"""Transformer layers with torch's names, masks and order of normalisation."""

from __future__ import annotations

import copy
from typing import Any

import paddle

from workbench.targets.paddle.layers.helpers.linear import TorchLinear
from workbench.targets.paddle.layers.helpers.norm import TorchLayerNorm
from workbench.targets.paddle.modules.helpers.class_names import torch_named
from workbench.targets.paddle.sequences.helpers.attention import TorchMultiheadAttention


def torch_activation(activation: Any) -> Any:
    """An activation by the name that torch's transformer layers know it by."""
    named = {"relu": paddle.nn.functional.relu, "gelu": paddle.nn.functional.gelu}
    if isinstance(activation, str):
        if activation not in named:
            raise RuntimeError(f"activation should be relu/gelu, not {activation}")
        return named[activation]
    return activation


@torch_named
class TorchTransformerEncoderLayer(paddle.nn.Layer):
    """`torch.nn.TransformerEncoderLayer`."""

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Any = "relu",
        layer_norm_eps: float = 1e-05,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.self_attn = TorchMultiheadAttention(
            d_model, nhead, dropout, bias, batch_first=batch_first, dtype=dtype
        )
        self.linear1 = TorchLinear(d_model, dim_feedforward, bias, dtype=dtype)
        self.dropout = paddle.nn.Dropout(dropout)
        self.linear2 = TorchLinear(dim_feedforward, d_model, bias, dtype=dtype)
        self.norm_first = norm_first
        self.norm1 = TorchLayerNorm(d_model, layer_norm_eps, bias=bias, dtype=dtype)
        self.norm2 = TorchLayerNorm(d_model, layer_norm_eps, bias=bias, dtype=dtype)
        self.dropout1 = paddle.nn.Dropout(dropout)
        self.dropout2 = paddle.nn.Dropout(dropout)
        self.activation = torch_activation(activation)
        if device is not None:
            self.to(device)

    def forward(
        self,
        src: paddle.Tensor,
        src_mask: paddle.Tensor | None = None,
        src_key_padding_mask: paddle.Tensor | None = None,
        is_causal: bool = False,
    ) -> paddle.Tensor:
        x = src
        if self.norm_first:
            x = x + self.attend(self.norm1(x), src_mask, src_key_padding_mask)
            return x + self.feed(self.norm2(x))
        x = self.norm1(x + self.attend(x, src_mask, src_key_padding_mask))
        return self.norm2(x + self.feed(x))

    def attend(self, x: paddle.Tensor, mask: Any, padding: Any) -> paddle.Tensor:
        """Self-attention and its dropout."""
        output = self.self_attn(
            x, x, x, attn_mask=mask, key_padding_mask=padding, need_weights=False
        )[0]
        return self.dropout1(output)

    def feed(self, x: paddle.Tensor) -> paddle.Tensor:
        """The two linear layers and their dropouts."""
        return self.dropout2(self.linear2(self.dropout(self.activation(self.linear1(x)))))


@torch_named
class TorchTransformerDecoderLayer(paddle.nn.Layer):
    """`torch.nn.TransformerDecoderLayer`."""

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Any = "relu",
        layer_norm_eps: float = 1e-05,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.self_attn = TorchMultiheadAttention(
            d_model, nhead, dropout, bias, batch_first=batch_first, dtype=dtype
        )
        self.multihead_attn = TorchMultiheadAttention(
            d_model, nhead, dropout, bias, batch_first=batch_first, dtype=dtype
        )
        self.linear1 = TorchLinear(d_model, dim_feedforward, bias, dtype=dtype)
        self.dropout = paddle.nn.Dropout(dropout)
        self.linear2 = TorchLinear(dim_feedforward, d_model, bias, dtype=dtype)
        self.norm_first = norm_first
        self.norm1 = TorchLayerNorm(d_model, layer_norm_eps, bias=bias, dtype=dtype)
        self.norm2 = TorchLayerNorm(d_model, layer_norm_eps, bias=bias, dtype=dtype)
        self.norm3 = TorchLayerNorm(d_model, layer_norm_eps, bias=bias, dtype=dtype)
        self.dropout1 = paddle.nn.Dropout(dropout)
        self.dropout2 = paddle.nn.Dropout(dropout)
        self.dropout3 = paddle.nn.Dropout(dropout)
        self.activation = torch_activation(activation)
        if device is not None:
            self.to(device)

    def forward(
        self,
        tgt: paddle.Tensor,
        memory: paddle.Tensor,
        tgt_mask: paddle.Tensor | None = None,
        memory_mask: paddle.Tensor | None = None,
        tgt_key_padding_mask: paddle.Tensor | None = None,
        memory_key_padding_mask: paddle.Tensor | None = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> paddle.Tensor:
        own, other = (tgt_mask, tgt_key_padding_mask), (memory_mask, memory_key_padding_mask)
        x = tgt
        if self.norm_first:
            x = x + self.dropout1(self.attend(self.self_attn, self.norm1(x), None, *own))
            x = x + self.dropout2(self.attend(self.multihead_attn, self.norm2(x), memory, *other))
            return x + self.feed(self.norm3(x))
        x = self.norm1(x + self.dropout1(self.attend(self.self_attn, x, None, *own)))
        x = self.norm2(x + self.dropout2(self.attend(self.multihead_attn, x, memory, *other)))
        return self.norm3(x + self.feed(x))

    def attend(
        self, attention: Any, x: paddle.Tensor, memory: Any, mask: Any, padding: Any
    ) -> paddle.Tensor:
        """Attention to the memory, or without one to itself."""
        seen = x if memory is None else memory
        return attention(
            x, seen, seen, attn_mask=mask, key_padding_mask=padding, need_weights=False
        )[0]

    def feed(self, x: paddle.Tensor) -> paddle.Tensor:
        """The two linear layers and their dropouts."""
        return self.dropout3(self.linear2(self.dropout(self.activation(self.linear1(x)))))


@torch_named
class TorchTransformerEncoder(paddle.nn.Layer):
    """`torch.nn.TransformerEncoder`: copies of one layer, each with the weights of the first."""

    def __init__(
        self,
        encoder_layer: Any,
        num_layers: int,
        norm: Any = None,
        enable_nested_tensor: bool = True,
        mask_check: bool = True,
    ) -> None:
        super().__init__()
        self.layers = paddle.nn.LayerList([copy.deepcopy(encoder_layer) for _ in range(num_layers)])
        self.num_layers = num_layers
        self.norm = norm
        self.enable_nested_tensor = enable_nested_tensor
        self.mask_check = mask_check

    def forward(
        self,
        src: paddle.Tensor,
        mask: paddle.Tensor | None = None,
        src_key_padding_mask: paddle.Tensor | None = None,
        is_causal: bool | None = None,
    ) -> paddle.Tensor:
        output = src
        for layer in self.layers:
            output = layer(output, src_mask=mask, src_key_padding_mask=src_key_padding_mask)
        return output if self.norm is None else self.norm(output)


@torch_named
class TorchTransformerDecoder(paddle.nn.Layer):
    """`torch.nn.TransformerDecoder`: copies of one layer, each with the weights of the first."""

    def __init__(self, decoder_layer: Any, num_layers: int, norm: Any = None) -> None:
        super().__init__()
        self.layers = paddle.nn.LayerList([copy.deepcopy(decoder_layer) for _ in range(num_layers)])
        self.num_layers = num_layers
        self.norm = norm

    def forward(
        self,
        tgt: paddle.Tensor,
        memory: paddle.Tensor,
        tgt_mask: paddle.Tensor | None = None,
        memory_mask: paddle.Tensor | None = None,
        tgt_key_padding_mask: paddle.Tensor | None = None,
        memory_key_padding_mask: paddle.Tensor | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> paddle.Tensor:
        output = tgt
        for layer in self.layers:
            output = layer(
                output,
                memory,
                tgt_mask,
                memory_mask,
                tgt_key_padding_mask,
                memory_key_padding_mask,
            )
        return output if self.norm is None else self.norm(output)


def torch_subsequent_mask(sz: int, device: Any = None, dtype: Any = None) -> paddle.Tensor:
    """`Transformer.generate_square_subsequent_mask`: minus infinity above the diagonal."""
    dtype = dtype or paddle.get_default_dtype()
    mask = paddle.full([sz, sz], float("-inf"), dtype=dtype).triu(1)
    return mask if device is None else mask.to(device)


@torch_named
class TorchTransformer(paddle.nn.Layer):
    """`torch.nn.Transformer`."""

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Any = "relu",
        custom_encoder: Any = None,
        custom_decoder: Any = None,
        layer_norm_eps: float = 1e-05,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        shape = (
            d_model,
            nhead,
            dim_feedforward,
            dropout,
            activation,
            layer_norm_eps,
            batch_first,
            norm_first,
            bias,
            device,
            dtype,
        )

        def norm() -> Any:
            return TorchLayerNorm(d_model, layer_norm_eps, bias=bias, dtype=dtype)

        self.encoder = custom_encoder or TorchTransformerEncoder(
            TorchTransformerEncoderLayer(*shape), num_encoder_layers, norm()
        )
        self.decoder = custom_decoder or TorchTransformerDecoder(
            TorchTransformerDecoderLayer(*shape), num_decoder_layers, norm()
        )
        with paddle.no_grad():
            for value in self.parameters():
                if value.ndim > 1:
                    bound = (6.0 / (value.shape[0] + value.shape[1])) ** 0.5
                    value.uniform_(-bound, bound)
        self.d_model = d_model
        self.nhead = nhead
        self.batch_first = batch_first
        if device is not None:
            self.to(device)

    def forward(
        self,
        src: paddle.Tensor,
        tgt: paddle.Tensor,
        src_mask: paddle.Tensor | None = None,
        tgt_mask: paddle.Tensor | None = None,
        memory_mask: paddle.Tensor | None = None,
        src_key_padding_mask: paddle.Tensor | None = None,
        tgt_key_padding_mask: paddle.Tensor | None = None,
        memory_key_padding_mask: paddle.Tensor | None = None,
        src_is_causal: bool | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> paddle.Tensor:
        memory = self.encoder(src, mask=src_mask, src_key_padding_mask=src_key_padding_mask)
        return self.decoder(
            tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask
        )

    @staticmethod
    def generate_square_subsequent_mask(
        sz: int, device: Any = None, dtype: Any = None
    ) -> paddle.Tensor:
        return torch_subsequent_mask(sz, device, dtype)
