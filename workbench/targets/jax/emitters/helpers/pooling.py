"""Pooling and resampling by torch's rules."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax import lax


def _window_padding(
    sizes: Any, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil: bool
) -> Any:
    """What is added before and after each axis, so that windows are as many as torch counts."""
    found = []
    for size, k, s, p, d in zip(sizes, kernel, stride, padding, dilation, strict=True):
        reach = d * (k - 1) + 1
        count = (size + 2 * p - reach) // s + 1
        if ceil:
            count = -(-(size + 2 * p - reach) // s) + 1
            # The last window has to start inside the input or the padding before it.
            count -= (count - 1) * s >= size + p
        found.append((p, max((count - 1) * s + reach - size - p, 0)))
    return found


def _max_pool(
    x: Any,
    kernel: Any,
    stride: Any,
    padding: Any = None,
    ceil: bool = False,
) -> Any:
    """The largest value of each window over the last axes."""
    rank = len(kernel)
    pairs = _window_padding(
        x.shape[-rank:], kernel, stride, padding or [0] * rank, [1] * rank, ceil
    )
    return lax.reduce_window(
        x,
        -jnp.inf if jnp.issubdtype(x.dtype, jnp.floating) else jnp.iinfo(x.dtype).min,
        lax.max,
        (1, 1, *kernel),
        (1, 1, *stride),
        [(0, 0), (0, 0), *pairs],
    )


def _max_pool_with_places(
    x: Any,
    kernel: Any,
    stride: Any,
    padding: Any = None,
    dilation: Any = None,
    ceil: bool = False,
) -> Any:
    """The largest value of each window, and its place in the flattened last axes."""
    rank = len(kernel)
    padding, dilation = padding or [0] * rank, dilation or [1] * rank
    sizes = x.shape[-rank:]
    pairs = _window_padding(sizes, kernel, stride, padding, dilation, ceil)
    place, inside = jnp.zeros([], "int64"), jnp.ones([], "bool")
    for at, (size, k, s, d) in enumerate(zip(sizes, kernel, stride, dilation, strict=True)):
        count = (size + sum(pairs[at]) - d * (k - 1) - 1) // s + 1
        rows = (jnp.arange(count) * s)[:, None] + jnp.arange(k) * d - pairs[at][0]
        # Windows come first, then their elements, axis by axis.
        spread = [1] * (2 * rank)
        spread[at], spread[rank + at] = count, k
        rows = rows.reshape(spread)
        inside = inside & (rows >= 0) & (rows < size)
        place = place * size + jnp.clip(rows, 0, size - 1)
    shape = jnp.broadcast_shapes(place.shape, inside.shape)
    flat = jnp.broadcast_to(place, shape).reshape(*shape[:rank], -1)
    kept = jnp.broadcast_to(inside, shape).reshape(*shape[:rank], -1)
    values = x.reshape(*x.shape[:-rank], -1)[..., flat]
    low = -jnp.inf if jnp.issubdtype(x.dtype, jnp.floating) else jnp.iinfo(x.dtype).min
    best = jnp.argmax(jnp.where(kept, values, low), axis=-1, keepdims=True)
    places = jnp.take_along_axis(jnp.broadcast_to(flat, values.shape), best, -1).squeeze(-1)
    return jnp.take_along_axis(values, best, -1).squeeze(-1), places


def _avg_pool(
    x: Any,
    kernel: Any,
    stride: Any,
    padding: Any = None,
    ceil: bool = False,
    count_padding: bool = True,
    divisor: int | None = None,
) -> Any:
    """The mean of each window over the last axes."""
    rank = len(kernel)
    padding = padding or [0] * rank
    sizes = x.shape[-rank:]
    pairs = _window_padding(sizes, kernel, stride, padding, [1] * rank, ceil)
    total = lax.reduce_window(
        x,
        0.0 if jnp.issubdtype(x.dtype, jnp.floating) else 0,
        lax.add,
        (1, 1, *kernel),
        (1, 1, *stride),
        [(0, 0), (0, 0), *pairs],
    )
    if divisor is not None:
        return total / divisor
    count = jnp.ones([], x.dtype)
    for at, (size, k, s, p) in enumerate(zip(sizes, kernel, stride, padding, strict=True)):
        start = jnp.arange(total.shape[at - rank]) * s - p
        end = jnp.minimum(start + k, size + p)
        if not count_padding:
            start, end = jnp.maximum(start, 0), jnp.minimum(end, size)
        count = count[..., None] * (end - start).astype(x.dtype)
    return total / count


def _adaptive_avg_pool(x: Any, sizes: Any) -> Any:
    """Means of as many parts of each of the last axes; None keeps an axis."""
    for axis, size in zip(range(-len(sizes), 0), sizes, strict=True):
        if size == 1:
            x = jnp.mean(x, axis=axis, keepdims=True)
        elif size is not None and size != x.shape[axis]:
            held = x.shape[axis]
            parts = [(at * held // size, -(-(at + 1) * held // size)) for at in range(size)]
            means = [
                jnp.mean(lax.slice_in_dim(x, low, high, axis=axis), axis=axis)
                for low, high in parts
            ]
            x = jnp.stack(means, axis=axis)
    return x


def _adaptive_max_pool(x: Any, sizes: Any) -> Any:
    """The largest of as many parts of the last axes, and where they are when these are flat."""
    rank = len(sizes)
    held = x.shape[-rank:]
    wanted = [h if size is None else size for h, size in zip(held, sizes, strict=True)]
    numbers = jnp.arange(x[(0,) * (x.ndim - rank)].size).reshape(held)
    values, places = [], []
    for cell in _combinations(wanted):
        bounds = zip(cell, held, wanted, strict=True)
        part = tuple(slice(at * h // n, -(-(at + 1) * h // n)) for at, h, n in bounds)
        block = x[(..., *part)].reshape(*x.shape[:-rank], -1)
        best = jnp.argmax(block, axis=-1, keepdims=True)
        values.append(jnp.take_along_axis(block, best, -1).squeeze(-1))
        places.append(numbers[part].reshape(-1)[best.squeeze(-1)])
    shape = (*x.shape[:-rank], *wanted)
    return jnp.stack(values, -1).reshape(shape), jnp.stack(places, -1).reshape(shape)


def _combinations(sizes: Any) -> Any:
    """The places of an array of these sizes, in order."""
    found: Any = [()]
    for size in sizes:
        found = [(*place, at) for place in found for at in range(size)]
    return found


def _nearest(x: Any, sizes: Any, scales: Any = None, exact: bool = False) -> Any:
    """The last axes in other sizes, by the nearest place that torch takes."""
    for at, size in enumerate(sizes):
        axis, held = at - len(sizes), x.shape[at - len(sizes)]
        step = 1 / scales[at] if scales else held / size
        middle = 0.5 if exact else 0.0
        # torch computes places in float32.
        places = (jnp.arange(size, dtype="float32") + middle) * jnp.array(step, "float32")
        index = jnp.minimum(jnp.floor(places).astype("int64"), held - 1)
        x = jnp.take(x, index, axis=axis)
    return x


def _resize(
    x: Any, sizes: Any, scales: Any = None, align_corners: bool = False, cubic: bool = False
) -> Any:
    """The last axes in other sizes, linearly or by cubic curves (a = -0.75)."""
    for at, size in enumerate(sizes):
        axis, held = at - len(sizes), x.shape[at - len(sizes)]
        if align_corners:
            places = jnp.arange(size, dtype=x.dtype) * ((held - 1) / max(size - 1, 1))
        else:
            step = 1 / scales[at] if scales else held / size
            places = (jnp.arange(size, dtype=x.dtype) + 0.5) * step - 0.5
            places = places if cubic else jnp.maximum(places, 0)
        first = jnp.floor(places)
        rest = places - first
        if cubic:
            shares = [_cubic(rest + 1), _cubic(rest), _cubic(1 - rest), _cubic(2 - rest)]
        else:
            shares = [1 - rest, rest]
        start = first.astype("int64") - (1 if cubic else 0)
        spread = (-1, *[1] * (len(sizes) - 1 - at))
        x = sum(
            jnp.take(x, jnp.clip(start + step, 0, held - 1), axis=axis) * share.reshape(spread)
            for step, share in enumerate(shares)
        )
    return x


def _cubic(distance: Any) -> Any:
    """The share of a point at that distance, at most 2, in a cubic curve."""
    a = -0.75
    near = ((a + 2) * distance - (a + 3)) * distance * distance + 1
    far = ((a * distance - 5 * a) * distance + 8 * a) * distance - 4 * a
    return jnp.where(distance <= 1, near, far)


def _affine_grid(theta: Any, size: Any, align_corners: bool) -> Any:
    """The places that an affine map takes the pixels of an image of that size to."""
    lines = []
    for count in size[2:]:
        line = jnp.linspace(-1, 1, count, dtype=theta.dtype)
        if count == 1:
            line = jnp.zeros([1], theta.dtype)
        lines.append(line if align_corners else line * ((count - 1) / count))
    grid = jnp.meshgrid(*lines, indexing="ij")
    points = jnp.stack([*grid[::-1], jnp.ones_like(grid[0])], -1)
    moved = points.reshape(1, -1, len(lines) + 1) @ theta.swapaxes(-2, -1)
    return moved.reshape(theta.shape[0], *size[2:], len(lines))


def _grid_sample(x: Any, grid: Any, mode: str, padding: str, align_corners: bool) -> Any:
    """Values of an image at places between -1 and 1, whose last axis counts from x on."""
    sizes = x.shape[2:]
    places = []
    for size, at in zip(sizes, range(len(sizes) - 1, -1, -1), strict=True):
        place = grid[..., at]
        place = (place + 1) / 2 * (size - 1) if align_corners else ((place + 1) * size - 1) / 2
        if padding == "reflection":
            low, high = (0.0, size - 1.0) if align_corners else (-0.5, size - 0.5)
            width = high - low
            away = jnp.abs(place - low) % (2 * width) if width else place * 0
            place = jnp.where(away > width, 2 * width - away, away) + low
        if padding != "zeros":
            place = _between(place, size - 1)
        places.append(place)
    batch = jnp.arange(x.shape[0]).reshape(-1, *[1] * len(sizes))
    pixels = jnp.moveaxis(x, 1, -1)

    def read(index: Any) -> Any:
        whole = [i.astype("int64") for i in index]
        kept = [(i >= 0) & (i < size) for i, size in zip(whole, sizes, strict=True)]
        safe = [jnp.clip(i, 0, size - 1) for i, size in zip(whole, sizes, strict=True)]
        known = kept[0]
        for each in kept[1:]:
            known = known & each
        return jnp.where(known[..., None], pixels[(batch, *safe)], 0)

    if mode == "nearest":
        return jnp.moveaxis(read([jnp.round(place) for place in places]), -1, 1)
    first = [jnp.floor(place) for place in places]
    total: Any = 0
    for corner in _combinations([2] * len(sizes)):
        share: Any = 1
        for place, low, step in zip(places, first, corner, strict=True):
            share = share * (place - low if step else low + 1 - place)
        index = [low + step for low, step in zip(first, corner, strict=True)]
        total = total + read(index) * share[..., None]
    return jnp.moveaxis(total, -1, 1)


def _between(place: Any, last: float) -> Any:
    """A place held between the first and the last, on which the gradient is 0."""
    return jnp.where(place <= 0, 0, jnp.where(place >= last, last, place))


def _patches(x: Any, kernel: Any, dilation: Any, padding: Any, stride: Any) -> Any:
    """Blocks of an image as columns."""
    alone = x.ndim == 3
    x = x[None] if alone else x
    x = jnp.pad(x, [(0, 0), (0, 0), *((p, p) for p in padding)])
    for at, (k, d, s) in enumerate(zip(kernel, dilation, stride, strict=True)):
        axis = 2 + 2 * at
        count = (x.shape[axis] - d * (k - 1) - 1) // s + 1
        rows = (jnp.arange(k) * d)[:, None] + jnp.arange(count) * s
        x = jnp.take(x, rows, axis=axis)
    batch, channels, high, rows, wide, columns = x.shape
    out = x.transpose(0, 1, 2, 4, 3, 5).reshape(batch, channels * high * wide, rows * columns)
    return out[0] if alone else out


def _unpatched(x: Any, size: Any, kernel: Any, dilation: Any, padding: Any, stride: Any) -> Any:
    """Columns added up to the image that they are blocks of."""
    lead = (x.shape[-2] // (kernel[0] * kernel[1]), *size)
    image = jnp.zeros((*x.shape[:-2], *lead), x.dtype)
    _, pull = jax.vjp(lambda y: _patches(y, kernel, dilation, padding, stride), image)
    return pull(x)[0]
