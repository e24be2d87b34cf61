"""Layers that flax computes otherwise: torch's layouts, names and first weights."""

import math

import jax.numpy as jnp
from flax import nnx
from jax import lax

from workbench.targets.jax.helpers.functional import (
    torch_conv,
    torch_conv_transpose,
    torch_each,
    torch_group_norm,
    torch_layer_norm,
)


def torch_uniform(rngs, shape, fan_in):
    """A parameter within 1 / sqrt(fan in), as torch draws it."""
    bound = 1 / math.sqrt(fan_in)
    return nnx.Param(rngs.params.uniform(shape, minval=-bound, maxval=bound))


class TorchConv(nnx.Module):
    """A convolution with channels before places."""

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        padding=0,
        dilation=1,
        groups=1,
        bias=True,
        *,
        rngs,
        dims,
    ):
        self.in_channels, self.out_channels, self.groups = in_channels, out_channels, groups
        self.kernel_size, self.stride, self.dilation = (
            torch_each(one, dims) for one in (kernel_size, stride, dilation)
        )
        self.padding = padding if isinstance(padding, str) else torch_each(padding, dims)
        shape = (out_channels, in_channels // groups, *self.kernel_size)
        self.weight = torch_uniform(rngs, shape, math.prod(shape[1:]))
        self.bias = torch_uniform(rngs, (out_channels,), math.prod(shape[1:])) if bias else None

    def __call__(self, x):
        bias = None if self.bias is None else self.bias[...]
        weight = self.weight[...]
        return torch_conv(x, weight, bias, self.stride, self.padding, self.dilation, self.groups)


class TorchConvTranspose(nnx.Module):
    """A transposed convolution with channels before places."""

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        padding=0,
        output_padding=0,
        groups=1,
        bias=True,
        dilation=1,
        *,
        rngs,
        dims,
    ):
        self.in_channels, self.out_channels, self.groups = in_channels, out_channels, groups
        self.kernel_size, self.stride, self.padding, self.output_padding, self.dilation = (
            torch_each(one, dims)
            for one in (kernel_size, stride, padding, output_padding, dilation)
        )
        shape = (in_channels, out_channels // groups, *self.kernel_size)
        self.weight = torch_uniform(rngs, shape, math.prod(shape[1:]))
        self.bias = torch_uniform(rngs, (out_channels,), math.prod(shape[1:])) if bias else None

    def __call__(self, x, output_size=None):
        more = self.output_padding
        if output_size is not None:
            dims = len(self.kernel_size)
            more = [
                size - ((n - 1) * s - 2 * p + d * (k - 1) + 1)
                for size, n, s, p, d, k in zip(
                    output_size[-dims:],
                    x.shape[-dims:],
                    self.stride,
                    self.padding,
                    self.dilation,
                    self.kernel_size,
                    strict=True,
                )
            ]
            if not all(0 <= m < s for m, s in zip(more, self.stride, strict=True)):
                raise ValueError(f"an output of the size {output_size} is not possible")
        bias = None if self.bias is None else self.bias[...]
        return torch_conv_transpose(
            x, self.weight[...], bias, self.stride, self.padding, more, self.groups, self.dilation
        )


class TorchBatchNorm(nnx.Module):
    """Normalization over a batch, whose running variance is unbiased as in torch."""

    use_running_average = False  # train() and eval() set it

    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=True):
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.weight = nnx.Param(jnp.ones(num_features)) if affine else None
        self.bias = nnx.Param(jnp.zeros(num_features)) if affine else None
        self.running_mean = nnx.BatchStat(jnp.zeros(num_features))
        self.running_var = nnx.BatchStat(jnp.ones(num_features))
        self.num_batches_tracked = nnx.BatchStat(jnp.array(0))

    def __call__(self, x):
        mean, var = self.running_mean[...], self.running_var[...]
        if not self.use_running_average:
            axes = (0, *range(2, x.ndim))
            mean, var = x.mean(axes), x.var(axes)
            count = x.size // x.shape[1]
            if count == 1:
                raise ValueError("Expected more than 1 value per channel when training")
            unbiased = var * (count / (count - 1))
            self.num_batches_tracked[...] += 1
            momentum = self.momentum
            if momentum is None:
                momentum = 1 / self.num_batches_tracked[...]
            self.running_mean[...] += momentum * (mean - self.running_mean[...])
            self.running_var[...] += momentum * (unbiased - self.running_var[...])
        shape = (-1, *[1] * (x.ndim - 2))
        y = (x - mean.reshape(shape)) * lax.rsqrt(var + self.eps).reshape(shape)
        if self.weight is None:
            return y
        return y * self.weight[...].reshape(shape) + self.bias[...].reshape(shape)


class TorchLayerNorm(nnx.LayerNorm):
    """A norm over several dimensions, with the names of flax's norm over one."""

    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True):
        self.normalized_shape, self.epsilon = tuple(normalized_shape), eps
        self.scale = nnx.Param(jnp.ones(self.normalized_shape)) if elementwise_affine else None
        has_bias = elementwise_affine and bias
        self.bias = nnx.Param(jnp.zeros(self.normalized_shape)) if has_bias else None

    def __call__(self, x):
        scale = None if self.scale is None else self.scale[...]
        bias = None if self.bias is None else self.bias[...]
        return torch_layer_norm(x, self.normalized_shape, scale, bias, self.epsilon)


class TorchGroupNorm(nnx.Module):
    def __init__(self, num_groups, num_channels, eps=1e-5, affine=True):
        self.num_groups, self.num_channels, self.eps = num_groups, num_channels, eps
        self.weight = nnx.Param(jnp.ones(num_channels)) if affine else None
        self.bias = nnx.Param(jnp.zeros(num_channels)) if affine else None

    def __call__(self, x):
        if self.weight is None:
            return torch_group_norm(x, self.num_groups, eps=self.eps)
        return torch_group_norm(x, self.num_groups, self.weight[...], self.bias[...], self.eps)


class TorchEmbedding(nnx.Module):
    """An embedding with one row that is zero at first and never trained."""

    def __init__(self, num_embeddings, embedding_dim, padding_idx, *, rngs):
        self.num_embeddings, self.features = num_embeddings, embedding_dim
        self.padding_idx = padding_idx
        weight = rngs.params.normal((num_embeddings, embedding_dim))
        self.weight = nnx.Param(weight.at[padding_idx].set(0))

    def __call__(self, ids):
        x = self.weight[...][ids]
        padding = (ids == self.padding_idx % self.weight.shape[0])[..., None]
        return jnp.where(padding, lax.stop_gradient(x), x)


class TorchRecurrent(nnx.Module):
    """LSTM, GRU or a plain recurrent layer with torch's weights, layers and directions."""

    def __init__(
        self,
        kind,
        input_size,
        hidden_size,
        num_layers=1,
        bias=True,
        batch_first=False,
        bidirectional=False,
        nonlinearity="tanh",
        *,
        rngs,
    ):
        self.kind, self.nonlinearity = kind, nonlinearity
        self.input_size, self.hidden_size, self.num_layers = input_size, hidden_size, num_layers
        self.batch_first, self.bidirectional = batch_first, bidirectional
        self.directions = 1 + bidirectional
        gates = {"LSTM": 4, "GRU": 3, "RNN": 1}[kind]
        for layer in range(num_layers):
            width = input_size if layer == 0 else hidden_size * self.directions
            for suffix in self.suffixes(layer):
                shapes = {"weight_ih": (width,), "weight_hh": (hidden_size,)}
                shapes |= {"bias_ih": (), "bias_hh": ()} if bias else {}
                for name, rest in shapes.items():
                    shape = (gates * hidden_size, *rest)
                    setattr(self, name + suffix, torch_uniform(rngs, shape, hidden_size))
        self.has_bias = bias

    def suffixes(self, layer):
        return [f"_l{layer}", f"_l{layer}_reverse"][: self.directions]

    def __call__(self, x, state=None):
        packed = x if hasattr(x, "lengths") else None
        x = x if packed is None else packed.padded
        lengths = None if packed is None else packed.lengths
        single, batch_first = x.ndim == 2, self.batch_first and packed is None
        x = x[:, None] if single else x.swapaxes(0, 1) if batch_first else x
        count = self.num_layers * self.directions
        if state is None:
            zeros = jnp.zeros((count, x.shape[1], self.hidden_size), x.dtype)
            state = (zeros, zeros) if self.kind == "LSTM" else (zeros,)
        else:
            state = state if self.kind == "LSTM" else (state,)
            state = tuple(part[:, None] if single else part for part in state)
        last = []
        for layer in range(self.num_layers):
            outputs = []
            for suffix in self.suffixes(layer):
                first = tuple(part[len(last)] for part in state)
                end, output = self.run(x, first, suffix, lengths)
                last.append(end)
                outputs.append(output)
            x = jnp.concatenate(outputs, -1)
        last = tuple(jnp.stack(parts) for parts in zip(*last, strict=False))
        if single:
            x, last = x[:, 0], tuple(part[:, 0] for part in last)
        elif batch_first:
            x = x.swapaxes(0, 1)
        x = x if packed is None else packed.holding(x)
        return x, last if self.kind == "LSTM" else last[0]

    def run(self, x, state, suffix, lengths=None):
        """Return the last state and the outputs of one layer in one direction."""
        weight_ih, weight_hh = (getattr(self, f"weight_{n}{suffix}")[...] for n in ("ih", "hh"))
        bias_ih, bias_hh = (
            getattr(self, f"bias_{n}{suffix}")[...] if self.has_bias else 0 for n in ("ih", "hh")
        )

        def lstm(state, now):
            h, c = state
            i, f, g, o = jnp.split(now + h @ weight_hh.T + bias_hh, 4, -1)
            c = nnx.sigmoid(f) * c + nnx.sigmoid(i) * jnp.tanh(g)
            h = nnx.sigmoid(o) * jnp.tanh(c)
            return (h, c), h

        def gru(state, now):
            (h,) = state
            r, z, n = jnp.split(now, 3, -1)
            hr, hz, hn = jnp.split(h @ weight_hh.T + bias_hh, 3, -1)
            n = jnp.tanh(n + nnx.sigmoid(r + hr) * hn)
            z = nnx.sigmoid(z + hz)
            h = (1 - z) * n + z * h
            return (h,), h

        def plain(state, now):
            function = nnx.relu if self.nonlinearity == "relu" else jnp.tanh
            h = function(now + state[0] @ weight_hh.T + bias_hh)
            return (h,), h

        step = {"LSTM": lstm, "GRU": gru, "RNN": plain}[self.kind]
        given, reverse = x @ weight_ih.T + bias_ih, "reverse" in suffix
        if lengths is None:
            return lax.scan(step, state, given, reverse=reverse)

        def within(state, now):
            given, inside = now
            new, output = step(state, given)
            kept = tuple(jnp.where(inside, one, old) for one, old in zip(new, state, strict=True))
            return kept, jnp.where(inside, output, 0)

        inside = jnp.arange(len(x))[:, None, None] < jnp.asarray(lengths)[:, None]
        return lax.scan(within, state, (given, inside), reverse=reverse)


class TorchSequential(nnx.Module):
    """Layers one after another, with their names."""

    def __init__(self, *layers):
        named = len(layers) == 1 and isinstance(layers[0], dict)
        self.names = ()
        for name, layer in layers[0].items() if named else enumerate(layers):
            self.add(str(name), layer)

    def add(self, name, layer):
        setattr(self, name, layer)
        self.names = (*self.names, name)

    def append(self, layer):
        self.add(str(len(self)), layer)

    def __len__(self):
        return len(self.names)

    def __iter__(self):
        return iter([getattr(self, name) for name in self.names])

    def __getitem__(self, place):
        found = self.names[place]
        if isinstance(place, slice):
            return TorchSequential({name: getattr(self, name) for name in found})
        return getattr(self, found)

    def __call__(self, x):
        for layer in self:
            x = layer(x)
        return x
