"""Images turned, sheared and seen from aside, Pillow's and tensors, as torchvision does it."""

from __future__ import annotations

import math
from typing import Any

import numpy
import paddle
from PIL import Image as PillowImage

from workbench.targets.paddle.vision.helpers.geometry import torch_pillow_fill
from workbench.targets.paddle.vision.helpers.images import (
    TorchInterpolationMode,
    torch_image_dimensions,
    torch_interpolation,
    torch_pillow_filter,
)


def torch_inverse_affine(
    center: Any, angle: float, translate: Any, scale: float, shear: Any
) -> list[float]:
    """The two rows of the matrix that leads from the new image's places to the old one's."""
    turn, across, down = (math.radians(each) for each in (angle, *shear))
    cosine, sine = math.cos(turn - down) / math.cos(down), math.sin(turn - down) / math.cos(down)
    rows = [
        -sine * math.tan(across) + math.cos(turn),
        cosine * math.tan(across) + math.sin(turn),
        0.0,
        -sine,
        cosine,
        0.0,
    ]
    rows = [each / scale for each in rows]
    left, up = -center[0] - translate[0], -center[1] - translate[1]
    rows[2] += rows[0] * left + rows[1] * up + center[0]
    rows[5] += rows[3] * left + rows[4] * up + center[1]
    return rows


def torch_pixel_places(across: int, down: int, first: tuple[float, float]) -> Any:
    """A row for each pixel: its place from left, from above, and 1."""
    x = numpy.arange(across, dtype="float32") + numpy.float32(first[0])
    y = numpy.arange(down, dtype="float32") + numpy.float32(first[1])
    grid = numpy.ones([down, across, 3], "float32")
    grid[..., 0], grid[..., 1] = x, y[:, None]
    return paddle.to_tensor(grid.reshape([1, down * across, 3]))


def torch_affine_places(rows: list[float], size: Any, wanted: Any, dtype: Any) -> paddle.Tensor:
    """Where in the old image, from -1 to 1, each pixel of the new one lies."""
    (width, height), (across, down) = size, wanted
    places = torch_pixel_places(across, down, (0.5 - across * 0.5, 0.5 - down * 0.5))
    matrix = paddle.to_tensor(rows, dtype=dtype).reshape([1, 2, 3]).transpose([0, 2, 1])
    matrix = matrix / paddle.to_tensor([0.5 * width, 0.5 * height], dtype=dtype)
    return paddle.bmm(places.astype(dtype), matrix).reshape([1, down, across, 2])


def torch_sampled_image(img: Any, grid: paddle.Tensor, mode: str, fill: Any) -> paddle.Tensor:
    """The image read at the places of a grid; what lies outside of it is filled."""
    if mode not in ("nearest", "bilinear"):
        raise ValueError(f"Interpolation mode '{mode}' is unsupported with Tensor input")
    batch = img.reshape([-1, *img.shape[-3:]]) if img.ndim != 3 else img.unsqueeze(0)
    batch = batch.astype(grid.dtype)
    grid = grid.expand([batch.shape[0], *grid.shape[1:]])
    if fill is not None:
        inside = paddle.ones([batch.shape[0], 1, *batch.shape[2:]], batch.dtype)
        batch = paddle.concat([batch, inside], axis=1)
    output = paddle.nn.functional.grid_sample(batch, grid, mode, "zeros", align_corners=False)
    if fill is not None:
        colors = fill if isinstance(fill, tuple | list) else [fill]
        channels = output.shape[1] - 1
        if len(colors) not in (1, channels):
            raise ValueError("The number of elements in 'fill' does not match that of channels")
        color = paddle.to_tensor([float(each) for each in colors], dtype=output.dtype)
        color = color.reshape([1, -1, 1, 1])
        output, inside = output[:, :-1], output[:, -1:]
        if mode == "nearest":
            output = paddle.where(inside < 0.5, color.expand_as(output), output)
        else:
            output = output * inside + (1.0 - inside) * color
    output = output.reshape([*img.shape[:-2], *output.shape[2:]])
    if img.is_floating_point():
        return output.astype(img.dtype)
    return paddle.round(output).astype("int64").astype(img.dtype)


def torch_exact_dtype(img: paddle.Tensor) -> Any:
    """The dtype that the places of an image's pixels are computed in."""
    return img.dtype if img.is_floating_point() else paddle.float32


def torch_affine_image(
    img: Any,
    angle: float,
    translate: Any,
    scale: float,
    shear: Any,
    interpolation: Any = TorchInterpolationMode.NEAREST,
    fill: Any = None,
    center: Any = None,
) -> Any:
    """`affine`: turned about the center, moved, scaled and sheared."""
    if len(translate) != 2:
        raise ValueError("Argument translate should be a sequence of length 2")
    if scale <= 0.0:
        raise ValueError("Argument scale should be positive")
    sheared = [shear, 0.0] if isinstance(shear, int | float) else list(shear)
    sheared = sheared * 2 if len(sheared) == 1 else sheared
    if len(sheared) != 2:
        raise ValueError(f"Shear should be a sequence containing two values. Got {shear}")
    _, height, width = torch_image_dimensions(img)
    middle = [width * 0.5, height * 0.5]
    if not isinstance(img, paddle.Tensor):
        rows = torch_inverse_affine(center or middle, angle, translate, scale, sheared)
        return img.transform(
            img.size,
            PillowImage.Transform.AFFINE,
            rows,
            torch_pillow_filter(interpolation),
            fillcolor=torch_pillow_fill(img, fill),
        )
    about = [0.0, 0.0] if center is None else [c - m for c, m in zip(center, middle, strict=True)]
    rows = torch_inverse_affine(about, angle, translate, scale, sheared)
    size = (width, height)
    grid = torch_affine_places(rows, size, size, torch_exact_dtype(img))
    return torch_sampled_image(img, grid, torch_interpolation(interpolation).value, fill)


def torch_turned_size(rows: list[float], width: int, height: int) -> tuple[int, int]:
    """The size of an image that holds all of a turned one."""
    corners = numpy.array([[-0.5, -0.5], [-0.5, 0.5], [0.5, 0.5], [0.5, -0.5]], "float32")
    corners = numpy.hstack([corners * [width, height], numpy.ones([4, 1])]).astype("float32")
    turned = corners @ numpy.array(rows, "float32").reshape(2, 3).T
    middle = numpy.array([width * 0.5, height * 0.5], "float32")
    small = numpy.float32(1e-4)  # so that what is a hair above a whole number is not rounded up
    high = numpy.ceil(numpy.trunc((turned.max(0) + middle) / small) * small)
    low = numpy.floor(numpy.trunc((turned.min(0) + middle) / small) * small)
    return int(high[0] - low[0]), int(high[1] - low[1])


def torch_rotate_image(
    img: Any,
    angle: float,
    interpolation: Any = TorchInterpolationMode.NEAREST,
    expand: bool = False,
    center: Any = None,
    fill: Any = None,
) -> Any:
    """`rotate`: turned about the center, against the clock."""
    if not isinstance(img, paddle.Tensor):
        color = torch_pillow_fill(img, fill)
        turn = torch_pillow_filter(interpolation)
        return img.rotate(angle, turn, expand, center, fillcolor=color)
    _, height, width = torch_image_dimensions(img)
    about = [0.0, 0.0]
    if center is not None:
        about = [center[0] - width * 0.5, center[1] - height * 0.5]
    rows = torch_inverse_affine(about, -angle, [0.0, 0.0], 1.0, [0.0, 0.0])
    wanted = torch_turned_size(rows, width, height) if expand else (width, height)
    grid = torch_affine_places(rows, (width, height), wanted, torch_exact_dtype(img))
    return torch_sampled_image(img, grid, torch_interpolation(interpolation).value, fill)


def torch_perspective_coefficients(startpoints: Any, endpoints: Any) -> list[float]:
    """The eight numbers of the view that leads from these corners to those."""
    if len(startpoints) != 4 or len(endpoints) != 4:
        raise ValueError(
            f"Please provide exactly four corners, got {len(startpoints)} startpoints and "
            f"{len(endpoints)} endpoints."
        )
    rows = []
    for (x, y), (u, v) in zip(endpoints, startpoints, strict=True):
        rows += [[x, y, 1, 0, 0, 0, -u * x, -u * y], [0, 0, 0, x, y, 1, -v * x, -v * y]]
    given = paddle.to_tensor(startpoints, dtype="float64").reshape([8, 1])
    matrix = paddle.to_tensor(rows, dtype="float64")
    found = paddle.linalg.lstsq(matrix, given, driver="gels")[0]
    return found.flatten().astype("float32").tolist()


def torch_perspective_image(
    img: Any,
    startpoints: Any,
    endpoints: Any,
    interpolation: Any = TorchInterpolationMode.BILINEAR,
    fill: Any = None,
) -> Any:
    """`perspective`: the image as it looks from aside."""
    numbers = torch_perspective_coefficients(startpoints, endpoints)
    if not isinstance(img, paddle.Tensor):
        return img.transform(
            img.size,
            PillowImage.Transform.PERSPECTIVE,
            numbers,
            torch_pillow_filter(interpolation),
            fillcolor=torch_pillow_fill(img, fill),
        )
    height, width = img.shape[-2:]
    dtype = torch_exact_dtype(img)
    places = torch_pixel_places(width, height, (0.5, 0.5)).astype(dtype)
    upper = paddle.to_tensor(numbers[:6], dtype=dtype).reshape([1, 2, 3]).transpose([0, 2, 1])
    upper = upper / paddle.to_tensor([0.5 * width, 0.5 * height], dtype=dtype)
    lower = paddle.to_tensor([[numbers[6]] * 2, [numbers[7]] * 2, [1.0] * 2], dtype=dtype)
    grid = paddle.bmm(places, upper) / paddle.bmm(places, lower.unsqueeze(0)) - 1.0
    grid = grid.reshape([1, height, width, 2])
    return torch_sampled_image(img, grid, torch_interpolation(interpolation).value, fill)
