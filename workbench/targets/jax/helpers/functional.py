"""Functions of layers as torch computes them, with channels before places."""

import jax
import jax.numpy as jnp
from jax import lax


def torch_each(value, dims):
    """One number for all dimensions, or one for each."""
    return (value,) * dims if isinstance(value, int) else tuple(value)


def torch_conv(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """Cross-correlation of a batch, or of one item, over all places of a kernel."""
    dims = weight.ndim - 2
    single = input.ndim == dims + 1
    x = input[None] if single else input
    dilation = torch_each(dilation, dims)
    if isinstance(padding, str):
        pads = [
            d * (k - 1) if padding == "same" else 0
            for d, k in zip(dilation, weight.shape[2:], strict=False)
        ]
        pads = [(pad // 2, pad - pad // 2) for pad in pads]
    else:
        pads = [(pad, pad) for pad in torch_each(padding, dims)]
    places = "DHW"[-dims:]
    kinds = (f"NC{places}", f"OI{places}", f"NC{places}")
    y = lax.conv_general_dilated(
        x, weight, torch_each(stride, dims), pads, None, dilation, kinds, groups
    )
    y = y if bias is None else y + bias.reshape(-1, *[1] * dims)
    return y[0] if single else y


def torch_conv_transpose(
    input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1
):
    """The gradient of a convolution with respect to its input."""
    dims = weight.ndim - 2
    single = input.ndim == dims + 1
    x = input[None] if single else input
    stride, padding, dilation, more = (
        torch_each(one, dims) for one in (stride, padding, dilation, output_padding)
    )
    kernel = jnp.flip(weight, tuple(range(2, weight.ndim)))
    kernel = kernel.reshape(groups, -1, *kernel.shape[1:]).swapaxes(1, 2)
    kernel = kernel.reshape(-1, *kernel.shape[2:])
    pads = [
        (d * (k - 1) - p, d * (k - 1) - p + m)
        for d, k, p, m in zip(dilation, kernel.shape[2:], padding, more, strict=False)
    ]
    places = "DHW"[-dims:]
    kinds = (f"NC{places}", f"OI{places}", f"NC{places}")
    y = lax.conv_general_dilated(x, kernel, (1,) * dims, pads, stride, dilation, kinds, groups)
    y = y if bias is None else y + bias.reshape(-1, *[1] * dims)
    return y[0] if single else y


def torch_max_pool(input, kernel_size, stride=None, padding=0, *, dims):
    """The largest value of each window; the last `dims` dimensions are places."""
    size = torch_each(kernel_size, dims)
    steps = torch_each(stride, dims) if stride else size
    before = (1,) * (input.ndim - dims)
    pads = [(0, 0)] * len(before) + [(pad, pad) for pad in torch_each(padding, dims)]
    return lax.reduce_window(input, -jnp.inf, lax.max, before + size, before + steps, pads)


def torch_avg_pool(input, kernel_size, stride=None, padding=0, *, count_include_pad=True, dims):
    """The mean of each window, in which padding counts as zeros or is left out."""
    size = torch_each(kernel_size, dims)
    steps = torch_each(stride, dims) if stride else size
    before = (1,) * (input.ndim - dims)
    pads = [(0, 0)] * len(before) + [(pad, pad) for pad in torch_each(padding, dims)]
    total = lax.reduce_window(input, 0.0, lax.add, before + size, before + steps, pads)
    if not count_include_pad:
        ones = jnp.ones_like(input)
        return total / lax.reduce_window(ones, 0.0, lax.add, before + size, before + steps, pads)
    count = 1
    for one in size:
        count *= one
    return total / count


def torch_adaptive_avg_pool(input, output_size, *, dims):
    """The means of windows that cover all places, so many along each dimension."""
    for place, size in enumerate(torch_each(output_size, dims)):
        axis = input.ndim - dims + place
        length = input.shape[axis]
        if size is None or size == length:
            continue
        bounds = [(i * length // size, -((i + 1) * length // -size)) for i in range(size)]
        means = [lax.slice_in_dim(input, *one, axis=axis).mean(axis) for one in bounds]
        input = jnp.stack(means, axis)
    return input


def torch_layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    axes = tuple(range(-len(torch_each(normalized_shape, 1)), 0))
    y = (input - input.mean(axes, keepdims=True)) * lax.rsqrt(input.var(axes, keepdims=True) + eps)
    y = y if weight is None else y * weight
    return y if bias is None else y + bias


def torch_group_norm(input, num_groups, weight=None, bias=None, eps=1e-5):
    x = input.reshape(input.shape[0], num_groups, -1)
    x = (x - x.mean(-1, keepdims=True)) * lax.rsqrt(x.var(-1, keepdims=True) + eps)
    x = x.reshape(input.shape)
    shape = (-1, *[1] * (input.ndim - 2))
    x = x if weight is None else x * weight.reshape(shape)
    return x if bias is None else x + bias.reshape(shape)


def torch_normalize(input, p=2.0, dim=1, eps=1e-12):
    """Vectors of length one along a dimension; the gradient of zeros is zero."""
    if input.ndim == 0:
        return input / jnp.maximum(jnp.abs(input), eps)
    if p == 2.0:
        total = (input * input).sum(dim, keepdims=True)
        norm = jnp.where(total > 0, jnp.sqrt(jnp.where(total > 0, total, 1)), 0)
    else:
        norm = (jnp.abs(input) ** p).sum(dim, keepdims=True) ** (1 / p)
    return input / jnp.maximum(norm, eps)


def torch_attention(query, key, value, attn_mask=None, is_causal=False, scale=None):
    """Attention whose rows without any allowed place are zero."""
    scores = query @ key.swapaxes(-2, -1) * (query.shape[-1] ** -0.5 if scale is None else scale)
    allowed = None
    if is_causal:
        allowed = jnp.tril(jnp.ones(scores.shape[-2:], bool))
    elif attn_mask is not None and attn_mask.dtype == bool:
        allowed = attn_mask
    elif attn_mask is not None:
        scores = scores + attn_mask
    if allowed is None:
        return jax.nn.softmax(scores, axis=-1) @ value
    scores = jnp.where(allowed, scores, -jnp.inf)
    some = allowed.any(-1, keepdims=True)
    shares = jax.nn.softmax(jnp.where(some, scores, 0), axis=-1)
    return jnp.where(some, shares, 0) @ value


def torch_dropout(input, p, training, rngs):
    """Values dropped with probability `p` in training, the others scaled up."""
    if not training or p == 0:
        return input
    kept = jax.random.bernoulli(rngs.dropout(), 1 - p, input.shape)
    return jnp.where(kept, input / (1 - p if p < 1 else 1), 0)


def torch_linear(input, weight, bias=None):
    y = input @ weight.T
    return y if bias is None else y + bias


def torch_one_hot(tensor, num_classes=-1):
    """Whole numbers; classes out of range are an error as in torch."""
    count = int(tensor.max()) + 1 if num_classes == -1 else num_classes
    known = not isinstance(tensor, jax.core.Tracer)  # in compiled code only the shape is
    if known and tensor.size and (int(tensor.min()) < 0 or int(tensor.max()) >= count):
        raise RuntimeError("Class values must be non-negative and smaller than num_classes.")
    return jax.nn.one_hot(tensor, count, dtype=jnp.int32)


def torch_cosine_similarity(x1, x2, dim=1, eps=1e-8):
    x1, x2 = jnp.broadcast_arrays(x1, x2)
    norms = [jnp.sqrt(jnp.maximum((x * x).sum(dim), eps * eps)) for x in (x1, x2)]
    return (x1 * x2).sum(dim) / (norms[0] * norms[1])


def torch_pad(input, pad, mode, value=0):
    """Padding that begins with the last dimension; a negative number cuts."""
    pairs = list(zip(pad[::2], pad[1::2], strict=False))[::-1]
    pairs = [(0, 0)] * (input.ndim - len(pairs)) + pairs
    grown = [(max(low, 0), max(high, 0)) for low, high in pairs]
    how = {"constant": "constant", "reflect": "reflect", "replicate": "edge", "circular": "wrap"}
    options = {"constant_values": value} if mode == "constant" else {}
    x = jnp.pad(input, grown, how[mode], **options)
    cuts = [
        slice(max(-low, 0), length - max(-high, 0))
        for (low, high), length in zip(pairs, x.shape, strict=True)
    ]
    return x[tuple(cuts)]
