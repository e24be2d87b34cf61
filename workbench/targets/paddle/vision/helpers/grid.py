"""Grids of images, and images as files, as torchvision's utilities make them."""

from __future__ import annotations

import math
from typing import Any

import paddle
from PIL import Image as PillowImage


def torch_make_grid(
    tensor: Any,
    nrow: int = 8,
    padding: int = 2,
    normalize: bool = False,
    value_range: tuple[float, float] | None = None,
    scale_each: bool = False,
    pad_value: float = 0.0,
) -> paddle.Tensor:
    """`torchvision.utils.make_grid`: a batch of images side by side."""
    with paddle.no_grad():
        if not isinstance(tensor, paddle.Tensor | list):
            raise TypeError(f"tensor or list of tensors expected, got {type(tensor)}")
        batch = paddle.stack(tensor) if isinstance(tensor, list) else tensor
        while batch.ndim < 4:
            batch = batch.unsqueeze(0)
        if batch.shape[1] == 1:
            batch = paddle.concat([batch, batch, batch], axis=1)
        if normalize:
            if value_range is not None and not isinstance(value_range, tuple):
                raise TypeError("value_range has to be a tuple (min, max) if specified.")
            parts = list(batch) if scale_each else [batch]
            scaled = []
            for part in parts:
                low, high = value_range or (float(part.min()), float(part.max()))
                clipped = paddle.clip(part, low, high)
                scaled.append((clipped - low) / max(high - low, 1e-5))
            batch = paddle.stack(scaled) if scale_each else scaled[0]
        if batch.shape[0] == 1:
            return batch.squeeze(0)
        count, channels, height, width = batch.shape
        across = min(nrow, count)
        down = math.ceil(count / across)
        high, wide = height + padding, width + padding
        shape = [channels, high * down + padding, wide * across + padding]
        grid = paddle.full(shape, pad_value, dtype=batch.dtype)
        for place in range(count):
            top, left = place // across * high + padding, place % across * wide + padding
            grid[:, top : top + height, left : left + width] = batch[place]
        return grid


def torch_save_image(tensor: Any, fp: Any, format: str | None = None, **kwargs: Any) -> None:
    """`torchvision.utils.save_image`: values from 0 to 1 become bytes."""
    with paddle.no_grad():
        grid = torch_make_grid(tensor, **kwargs)
        pixels = paddle.clip(grid * 255 + 0.5, 0, 255).transpose([1, 2, 0])
        PillowImage.fromarray(pixels.numpy().astype("uint8")).save(fp, format=format)
