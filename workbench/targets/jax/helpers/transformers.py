"""Attention and the layers of transformers, with torch's weights and arguments."""

import jax
import jax.numpy as jnp
from flax import nnx


def torch_mask(mask, scores):
    """A mask that is added to scores: true forbids, numbers are added."""
    if mask.dtype == bool:
        return jnp.where(mask, -jnp.inf, 0.0).astype(scores.dtype)
    return mask


class TorchMultiheadAttention(nnx.Module):
    """Attention by several heads, whose projections are one matrix."""

    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True, batch_first=False, *, rngs):
        self.num_heads, self.batch_first = num_heads, batch_first
        init = nnx.initializers.xavier_uniform()
        weight = init(rngs.params(), (embed_dim, 3 * embed_dim)).T
        self.in_proj_weight = nnx.Param(weight)
        self.in_proj_bias = nnx.Param(jnp.zeros(3 * embed_dim)) if bias else None
        scaled = nnx.initializers.variance_scaling(1 / 3, "fan_in", "uniform")
        self.out_proj = nnx.Linear(
            embed_dim, embed_dim, use_bias=bias, kernel_init=scaled, rngs=rngs
        )
        self.drop = nnx.Dropout(dropout, rngs=rngs)

    def __call__(
        self,
        query,
        key,
        value,
        key_padding_mask=None,
        need_weights=True,
        attn_mask=None,
        average_attn_weights=True,
        is_causal=False,
    ):
        given = [query, key, value]
        batched = query.ndim == 3
        if not batched:
            given = [one[None] for one in given]
        elif not self.batch_first:
            given = [one.swapaxes(0, 1) for one in given]
        weights = jnp.split(self.in_proj_weight[...], 3)
        biases = [0, 0, 0] if self.in_proj_bias is None else jnp.split(self.in_proj_bias[...], 3)
        q, k, v = (self.heads(x @ w.T + b) for x, w, b in zip(given, weights, biases, strict=True))
        scores = q / q.shape[-1] ** 0.5 @ k.swapaxes(-2, -1)
        if attn_mask is not None:
            mask = torch_mask(attn_mask, scores)
            scores += mask.reshape(-1, self.num_heads, *mask.shape[1:]) if mask.ndim == 3 else mask
        if key_padding_mask is not None:
            padding = key_padding_mask if batched else key_padding_mask[None]
            scores += torch_mask(padding, scores)[:, None, None]
        shares = self.drop(jax.nn.softmax(scores, -1))
        x = (shares @ v).swapaxes(1, 2).reshape(*given[0].shape[:2], -1)
        x = self.out_proj(x)
        x = x[0] if not batched else x if self.batch_first else x.swapaxes(0, 1)
        if not need_weights:
            return x, None
        shares = shares.mean(1) if average_attn_weights else shares
        return x, shares if batched else shares[0]

    def heads(self, x):
        return x.reshape(*x.shape[:2], self.num_heads, -1).swapaxes(1, 2)


class TorchTransformerEncoderLayer(nnx.Module):
    """Attention to itself and two linear layers, each with a norm."""

    def __init__(
        self,
        d_model,
        nhead,
        dim_feedforward=2048,
        dropout=0.1,
        activation="relu",
        layer_norm_eps=1e-5,
        batch_first=False,
        norm_first=False,
        bias=True,
        *,
        rngs,
    ):
        self.self_attn = TorchMultiheadAttention(
            d_model, nhead, dropout, bias, batch_first, rngs=rngs
        )
        scaled = nnx.initializers.variance_scaling(1 / 3, "fan_in", "uniform")
        options = {"use_bias": bias, "kernel_init": scaled, "rngs": rngs}
        self.linear1 = nnx.Linear(d_model, dim_feedforward, **options)
        self.linear2 = nnx.Linear(dim_feedforward, d_model, **options)
        norm = {"epsilon": layer_norm_eps, "use_fast_variance": False, "use_bias": bias}
        self.norm1 = nnx.LayerNorm(d_model, **norm, rngs=rngs)
        self.norm2 = nnx.LayerNorm(d_model, **norm, rngs=rngs)
        self.dropout, self.dropout1, self.dropout2 = (
            nnx.Dropout(dropout, rngs=rngs) for _ in range(3)
        )
        known = {"relu": jax.nn.relu, "gelu": lambda x: jax.nn.gelu(x, approximate=False)}
        self.activation = known.get(activation, activation)
        self.norm_first = norm_first

    def __call__(self, src, src_mask=None, src_key_padding_mask=None, is_causal=False):
        def attended(x):
            x, _ = self.self_attn(x, x, x, src_key_padding_mask, False, src_mask)
            return self.dropout1(x)

        def fed(x):
            return self.dropout2(self.linear2(self.dropout(self.activation(self.linear1(x)))))

        if self.norm_first:
            src = src + attended(self.norm1(src))
            return src + fed(self.norm2(src))
        src = self.norm1(src + attended(src))
        return self.norm2(src + fed(src))


class TorchTransformerEncoder(nnx.Module):
    """Copies of a layer, one after the other."""

    def __init__(self, encoder_layer, num_layers, norm=None):
        self.layers = nnx.List([nnx.clone(encoder_layer) for _ in range(num_layers)])
        self.norm = norm

    def __call__(self, src, mask=None, src_key_padding_mask=None, is_causal=None):
        for layer in self.layers:
            src = layer(src, mask, src_key_padding_mask)
        return src if self.norm is None else self.norm(src)
