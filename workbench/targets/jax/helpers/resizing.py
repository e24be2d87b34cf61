"""Images in other sizes, and their patches."""

import math

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from workbench.targets.jax.helpers.functional import torch_adaptive_avg_pool, torch_each


def torch_interpolate(x, size=None, scale_factor=None, mode="nearest", align_corners=False):
    """An image in another size: its last dimensions, one after the other."""
    old = x.shape[2:]
    if size is None:
        scales = scale_factor
        if not isinstance(scales, (tuple, list)):
            scales = [scales] * len(old)
        size = [math.floor(n * scale) for n, scale in zip(old, scales, strict=True)]
        steps = [1 / scale for scale in scales]
    else:
        size = torch_each(size, len(old))
        steps = [n / new for n, new in zip(old, size, strict=True)]
    if mode == "area":
        return torch_adaptive_avg_pool(x, tuple(size), dims=len(old))
    for axis, (n, new, step) in enumerate(zip(old, size, steps, strict=True), start=2):
        if align_corners:
            places = np.arange(new, dtype=np.float32) * np.float32((n - 1) / max(new - 1, 1))
        else:
            places = torch_sources(new, np.float32(step), mode)
        x = torch_between(x, axis, places, mode)
    return x


def torch_sources(new, step, mode):
    """The places of an image that the places of a new size are taken from."""
    places = np.arange(new, dtype=np.float32)
    if mode == "nearest":
        return np.floor(places * step)
    places = (places + np.float32(0.5)) * step
    if mode == "nearest-exact":
        return np.floor(places)
    places -= np.float32(0.5)
    return places if mode == "bicubic" else np.maximum(places, 0)


def torch_between(x, axis, places, mode):
    """Values between the places of one dimension: linear, or cubic with a = -0.75."""
    low = np.floor(places).astype(int)
    rest = places - low
    if mode == "bicubic":
        weights = [torch_far(rest + 1), torch_near(rest), torch_near(1 - rest), torch_far(2 - rest)]
        first = -1
    elif mode.startswith("nearest"):
        weights, first = [np.ones_like(rest)], 0
    else:
        weights, first = [1 - rest, rest], 0
    last = x.shape[axis] - 1
    shape = [-1 if one == axis else 1 for one in range(x.ndim)]
    return sum(
        jnp.take(x, np.clip(low + first + k, 0, last), axis=axis)
        * weight.astype(np.float32).reshape(shape).astype(x.dtype)
        for k, weight in enumerate(weights)
    )


def torch_near(distance):
    """The weight of a value at most one place away."""
    return (1.25 * distance - 2.25) * distance * distance + 1


def torch_far(distance):
    """The weight of a value up to two places away."""
    return ((-0.75 * distance + 3.75) * distance - 6) * distance + 3


def torch_unfold(input, kernel_size, dilation=1, padding=0, stride=1):
    """The patches of images, as columns."""
    kernel, padding = torch_each(kernel_size, 2), torch_each(padding, 2)
    patches = lax.conv_general_dilated_patches(
        input[None] if input.ndim == 3 else input,
        kernel,
        torch_each(stride, 2),
        [(one, one) for one in padding],
        rhs_dilation=torch_each(dilation, 2),
    )
    columns = patches.reshape(*patches.shape[:2], -1)
    return columns[0] if input.ndim == 3 else columns


def torch_fold(input, output_size, kernel_size, dilation=1, padding=0, stride=1):
    """Images from their patches, which are added where they overlap."""
    channels = input.shape[-2] // math.prod(torch_each(kernel_size, 2))
    shape = (*input.shape[:-2], channels, *torch_each(output_size, 2))

    def patches(image):
        return torch_unfold(image, kernel_size, dilation, padding, stride)

    return jax.vjp(patches, jnp.zeros(shape, input.dtype))[1](input)[0]
