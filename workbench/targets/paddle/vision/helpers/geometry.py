"""Size and place of images, Pillow's and tensors, as torchvision changes them."""

from __future__ import annotations

from typing import Any

import numpy
import paddle
from PIL import Image as PillowImage
from PIL import ImageOps as PillowImageOps

from workbench.targets.paddle.layers.helpers.images import torch_interpolate, torch_pad
from workbench.targets.paddle.vision.helpers.images import (
    TorchInterpolationMode,
    torch_image_dimensions,
    torch_interpolation,
    torch_pillow_filter,
    torch_wide_pixels,
)


def torch_resized_size(height: int, width: int, size: Any, max_size: int | None) -> list[int]:
    """Height and width of `resize`: a single number is the length of the shorter side."""
    sizes = [size] if isinstance(size, int) else list(size)
    if len(sizes) == 2:
        if max_size is not None:
            raise ValueError("max_size should only be passed if size specifies a single length")
        return sizes
    short, long = sorted((height, width))
    new_short, new_long = sizes[0], int(sizes[0] * long / short)
    if max_size is not None:
        if max_size <= sizes[0]:
            raise ValueError(f"max_size = {max_size} must be strictly greater than {sizes[0]}")
        if new_long > max_size:
            new_short, new_long = int(max_size * new_short / new_long), max_size
    return [new_long, new_short] if width <= height else [new_short, new_long]


def torch_resize_image(
    img: Any,
    size: Any,
    interpolation: Any = TorchInterpolationMode.BILINEAR,
    max_size: int | None = None,
    antialias: bool | None = True,
) -> Any:
    """`resize`; Pillow's images are always resized with antialiasing."""
    _, height, width = torch_image_dimensions(img)
    wanted = torch_resized_size(height, width, size, max_size)
    if wanted == [height, width]:
        return img
    if not isinstance(img, paddle.Tensor):
        return img.resize((wanted[1], wanted[0]), torch_pillow_filter(interpolation))
    mode = torch_interpolation(interpolation).value
    smooth = mode in ("bilinear", "bicubic")
    exact = img if img.dtype in (paddle.float32, paddle.float64) else img.astype("float32")
    batch = exact.reshape([-1, *exact.shape[-3:]]) if img.ndim > 3 else exact
    batch = batch.reshape([1] * (4 - batch.ndim) + list(batch.shape))
    output = torch_interpolate(
        batch,
        wanted,
        mode=mode,
        align_corners=False if smooth else None,
        antialias=bool(antialias) and smooth,
    )
    output = output.reshape([*img.shape[:-2], *wanted])
    if exact is img:
        return output
    if img.dtype == paddle.uint8 and mode == "bicubic":
        output = paddle.clip(output, 0, 255)
    rounded = output if img.is_floating_point() else paddle.round(output).astype("int64")
    return rounded.astype(img.dtype)


def torch_pad_image(img: Any, padding: Any, fill: Any = 0, padding_mode: str = "constant") -> Any:
    """`pad`: left, top, right and bottom, or two numbers for both sides, or one for all."""
    sizes = [padding] if isinstance(padding, int) else list(padding)
    if len(sizes) not in (1, 2, 4):
        raise ValueError(f"Padding must be an int or a 1, 2, or 4 element tuple, not {padding}")
    left, top, right, bottom = sizes * (4 // len(sizes))
    if padding_mode not in ("constant", "edge", "reflect", "symmetric"):
        raise ValueError("Padding mode should be either constant, edge, reflect or symmetric")
    if isinstance(img, paddle.Tensor):
        wide = torch_wide_pixels(img)
        if padding_mode == "constant":
            flat = [left, right, top, bottom]
            return torch_pad(wide, flat, value=float(fill or 0)).astype(img.dtype)
        places = [
            torch_padded_places(length, before, after, padding_mode)
            for length, before, after in zip(
                img.shape[-2:], (top, left), (bottom, right), strict=True
            )
        ]
        rows = paddle.index_select(wide, places[0], axis=wide.ndim - 2)
        return paddle.index_select(rows, places[1], axis=wide.ndim - 1).astype(img.dtype)
    if padding_mode == "constant":
        color = torch_pillow_fill(img, fill)
        return PillowImageOps.expand(img, border=(left, top, right, bottom), fill=color)
    pixels = numpy.asarray(img)
    places = [
        torch_padded_places(length, before, after, padding_mode).numpy()
        for length, before, after in zip(
            pixels.shape[:2], (top, left), (bottom, right), strict=True
        )
    ]
    padded = PillowImage.fromarray(numpy.ascontiguousarray(pixels[places[0]][:, places[1]]))
    if img.mode == "P":
        padded.putpalette(img.getpalette())
    return padded


def torch_padded_places(length: int, before: int, after: int, mode: str) -> paddle.Tensor:
    """Which row or column of an image each of the padded one shows."""
    if mode == "reflect" and max(before, after) >= length:
        raise RuntimeError("Padding size should be less than the corresponding input dimension")
    if mode == "symmetric" and max(before, after) > length:
        raise IndexError("Padding size should be at most the corresponding input dimension")
    cropped = numpy.arange(max(-before, 0), length - max(-after, 0))
    rule = {"edge": "edge", "reflect": "reflect", "symmetric": "symmetric"}[mode]
    return paddle.to_tensor(numpy.pad(cropped, (max(before, 0), max(after, 0)), mode=rule))  # type: ignore[call-overload]


def torch_pillow_fill(img: Any, fill: Any) -> Any:
    """A color of as many numbers as the image has bands."""
    bands = len(img.getbands())
    color = 0 if fill is None else fill
    if isinstance(color, int | float) and bands > 1:
        color = (color,) * bands
    if isinstance(color, int | float):
        return color if img.mode == "F" else int(color)
    if len(color) == 1 and bands > 1:
        color = tuple(color) * bands
    if len(color) != bands:
        raise ValueError(
            f"The number of elements in 'fill' does not match the number of channels ({bands})"
        )
    return tuple(color if img.mode == "F" else (int(value) for value in color))


def torch_crop_image(img: Any, top: int, left: int, height: int, width: int) -> Any:
    """`crop`; what lies outside of the image is 0."""
    if not isinstance(img, paddle.Tensor):
        return img.crop((left, top, left + width, top + height))
    bottom, right = top + height, left + width
    rows, columns = img.shape[-2:]
    inner = img[..., max(top, 0) : max(bottom, 0), max(left, 0) : max(right, 0)]
    if left >= 0 and top >= 0 and right <= columns and bottom <= rows:
        return inner
    sides = [
        max(-left + min(0, right), 0),
        max(-top + min(0, bottom), 0),
        max(right - max(columns, left), 0),
        max(bottom - max(rows, top), 0),
    ]
    return torch_pad_image(inner, sides)


def torch_center_crop(img: Any, output_size: Any) -> Any:
    """`center_crop`: an image that is too small is padded with 0."""
    sizes = [output_size] if isinstance(output_size, int | float) else list(output_size)
    wanted_height, wanted_width = int(sizes[0]), int(sizes[-1])
    _, height, width = torch_image_dimensions(img)
    if wanted_width > width or wanted_height > height:
        wider, higher = max(wanted_width - width, 0), max(wanted_height - height, 0)
        sides = [wider // 2, higher // 2, (wider + 1) // 2, (higher + 1) // 2]
        img = torch_pad_image(img, sides)
        _, height, width = torch_image_dimensions(img)
        if wanted_width == width and wanted_height == height:
            return img
    top = round((height - wanted_height) / 2.0)
    left = round((width - wanted_width) / 2.0)
    return torch_crop_image(img, top, left, wanted_height, wanted_width)


def torch_resized_crop(
    img: Any,
    top: int,
    left: int,
    height: int,
    width: int,
    size: Any,
    interpolation: Any = TorchInterpolationMode.BILINEAR,
    antialias: bool | None = True,
) -> Any:
    """`resized_crop`: a part of the image, resized."""
    part = torch_crop_image(img, top, left, height, width)
    return torch_resize_image(part, size, interpolation, antialias=antialias)


def torch_hflip(img: Any) -> Any:
    """`hflip`: left and right change places."""
    if not isinstance(img, paddle.Tensor):
        return img.transpose(PillowImage.Transpose.FLIP_LEFT_RIGHT)
    return paddle.flip(torch_wide_pixels(img), [img.ndim - 1]).astype(img.dtype)


def torch_vflip(img: Any) -> Any:
    """`vflip`: top and bottom change places."""
    if not isinstance(img, paddle.Tensor):
        return img.transpose(PillowImage.Transpose.FLIP_TOP_BOTTOM)
    return paddle.flip(torch_wide_pixels(img), [img.ndim - 2]).astype(img.dtype)


def torch_five_crop(img: Any, size: Any) -> tuple[Any, ...]:
    """`five_crop`: the four corners and the center."""
    sizes = [size] if isinstance(size, int | float) else list(size)
    high, wide = int(sizes[0]), int(sizes[-1])
    _, height, width = torch_image_dimensions(img)
    if wide > width or high > height:
        raise ValueError(f"Requested crop size {size} is bigger than input size {(height, width)}")
    corners = [(0, 0), (0, width - wide), (height - high, 0), (height - high, width - wide)]
    parts = [torch_crop_image(img, top, left, high, wide) for top, left in corners]
    return (*parts, torch_center_crop(img, [high, wide]))


def torch_ten_crop(img: Any, size: Any, vertical_flip: bool = False) -> tuple[Any, ...]:
    """`ten_crop`: the five crops of the image and of its mirror image."""
    mirrored = torch_vflip(img) if vertical_flip else torch_hflip(img)
    return torch_five_crop(img, size) + torch_five_crop(mirrored, size)


def torch_erase(
    img: paddle.Tensor, i: int, j: int, h: int, w: int, v: paddle.Tensor, inplace: bool = False
) -> paddle.Tensor:
    """`erase`: a rectangle of a tensor takes the value `v`."""
    if not isinstance(img, paddle.Tensor):
        raise TypeError(f"img should be Tensor Image. Got {type(img)}")
    output = img if inplace else img.clone()
    output[..., i : i + h, j : j + w] = v
    return output
