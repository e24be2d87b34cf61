"""Images blurred, sharpened and spread in contrast, as torchvision does it."""

from __future__ import annotations

from typing import Any

import paddle
from PIL import ImageEnhance as PillowImageEnhance
from PIL import ImageOps as PillowImageOps

from workbench.targets.paddle.vision.helpers.color import torch_blend, torch_check_channels
from workbench.targets.paddle.vision.helpers.geometry import torch_pad_image
from workbench.targets.paddle.vision.helpers.images import (
    torch_largest_pixel,
    torch_pil_to_tensor,
    torch_to_pil_image,
)
from workbench.targets.paddle.vision.helpers.random import torch_image_draw
from workbench.targets.paddle.vision.helpers.shown import torch_shown


def torch_filtered_image(img: paddle.Tensor, kernel: paddle.Tensor) -> paddle.Tensor:
    """Each channel of an image convolved with one kernel; integers are rounded."""
    channels = img.shape[-3]
    batch = img.reshape([-1, *img.shape[-3:]]).astype(kernel.dtype)
    each = kernel.expand([channels, 1, *kernel.shape])
    output = paddle.nn.functional.conv2d(batch, each, groups=channels)
    output = output.reshape([*img.shape[:-2], *output.shape[-2:]])
    if img.is_floating_point():
        return output.astype(img.dtype)
    return paddle.round(output).astype("int64").astype(img.dtype)


def torch_gaussian_weights(size: int, sigma: float, dtype: Any) -> paddle.Tensor:
    """The weights of a row of pixels, which add up to 1."""
    half = (size - 1) * 0.5
    weights = paddle.exp(-0.5 * (paddle.linspace(-half, half, size, dtype=dtype) / sigma) ** 2)
    return weights / weights.sum()


def torch_gaussian_blur(img: Any, kernel_size: Any, sigma: Any = None) -> Any:
    """`gaussian_blur`."""
    sizes = [kernel_size, kernel_size] if isinstance(kernel_size, int) else list(kernel_size)
    if len(sizes) != 2:
        raise ValueError(f"If kernel_size is a sequence its length should be 2. Got {len(sizes)}")
    if any(size % 2 == 0 or size < 0 for size in sizes):
        raise ValueError(f"kernel_size should have odd and positive integers. Got {sizes}")
    widths = [size * 0.15 + 0.35 for size in sizes] if sigma is None else sigma
    widths = [widths] if isinstance(widths, int | float) else list(widths)
    widths = widths * 2 if len(widths) == 1 else widths
    if len(widths) != 2 or any(each <= 0.0 for each in widths):
        raise ValueError(f"sigma should have one or two positive values. Got {sigma}")
    if not isinstance(img, paddle.Tensor):
        blurred = torch_gaussian_blur(torch_pil_to_tensor(img), sizes, widths)
        return torch_to_pil_image(blurred, mode=img.mode)
    dtype = img.dtype if img.is_floating_point() else paddle.float32
    across, down = (
        torch_gaussian_weights(size, width, dtype)
        for size, width in zip(sizes, widths, strict=True)
    )
    padded = torch_pad_image(img, [sizes[0] // 2, sizes[1] // 2], padding_mode="reflect")
    return torch_filtered_image(padded, paddle.matmul(down[:, None], across[None, :]))


def torch_adjust_sharpness(img: Any, sharpness_factor: float) -> Any:
    """`adjust_sharpness`: 0 gives a blurred image, 1 the image."""
    if not isinstance(img, paddle.Tensor):
        return PillowImageEnhance.Sharpness(img).enhance(sharpness_factor)
    if sharpness_factor < 0:
        raise ValueError(f"sharpness_factor ({sharpness_factor}) is not non-negative.")
    torch_check_channels(img)
    if img.shape[-1] <= 2 or img.shape[-2] <= 2:
        return img
    dtype = img.dtype if img.is_floating_point() else paddle.float32
    kernel = paddle.to_tensor([[1.0, 1.0, 1.0], [1.0, 5.0, 1.0], [1.0, 1.0, 1.0]], dtype=dtype)
    inner = torch_filtered_image(img, kernel / kernel.sum())
    blurred = img.clone()
    blurred[..., 1:-1, 1:-1] = inner
    return torch_blend(img, blurred, sharpness_factor)


def torch_autocontrast(img: Any) -> Any:
    """`autocontrast`: each channel from the darkest value to the lightest that there is."""
    if not isinstance(img, paddle.Tensor):
        return PillowImageOps.autocontrast(img)
    if img.ndim < 3:
        raise TypeError(f"Input image tensor should have at least 3 dimensions, found {img.ndim}")
    torch_check_channels(img)
    exact = img if img.is_floating_point() else img.astype("float32")
    low, high = exact.amin([-2, -1], keepdim=True), exact.amax([-2, -1], keepdim=True)
    bound = torch_largest_pixel(img.dtype)
    scale = paddle.reciprocal(high - low) * bound  # as torch divides a number by a tensor
    even = paddle.logical_not(paddle.isfinite(scale))
    low = paddle.where(even, paddle.zeros_like(low), low)
    scale = paddle.where(even, paddle.ones_like(scale), scale)
    return paddle.clip((exact - low) * scale, 0, bound).astype(img.dtype)


def torch_equalized_channel(channel: paddle.Tensor) -> paddle.Tensor:
    """A channel of bytes in which every value is about as frequent as every other."""
    counts = paddle.bincount(channel.flatten(), minlength=256)
    there = counts[counts != 0]
    step = int(there[:-1].sum()) // 255
    if step == 0:
        return channel
    table = paddle.concat([paddle.zeros([1], "int64"), (paddle.cumsum(counts) + step // 2) // step])
    return paddle.clip(table[:-1], 0, 255)[channel]


def torch_equalize(img: Any) -> Any:
    """`equalize`."""
    if not isinstance(img, paddle.Tensor):
        return PillowImageOps.equalize(img)
    if img.ndim not in (3, 4) or img.dtype != paddle.uint8:
        raise TypeError(f"Only torch.uint8 image tensors are supported, but found {img.dtype}")
    torch_check_channels(img)
    channels = img.astype("int64").reshape([-1, *img.shape[-2:]])
    equal = paddle.stack([torch_equalized_channel(each) for each in channels])
    return equal.reshape(img.shape).astype("uint8")


@torch_shown("GaussianBlur", "kernel_size", "sigma")
class TorchGaussianBlur(paddle.nn.Layer):
    """`torchvision.transforms.GaussianBlur`."""

    def __init__(self, kernel_size: Any, sigma: Any = (0.1, 2.0)) -> None:
        super().__init__()
        sizes = [kernel_size] if isinstance(kernel_size, int | float) else list(kernel_size)
        self.kernel_size = (int(sizes[0]), int(sizes[-1]))
        if len(sizes) > 2 or any(size <= 0 or size % 2 == 0 for size in self.kernel_size):
            raise ValueError("Kernel size value should be an odd and positive number.")
        self.sigma = (sigma, sigma) if isinstance(sigma, int | float) else sigma
        if len(self.sigma) != 2 or not 0.0 < self.sigma[0] <= self.sigma[1]:
            raise ValueError("sigma values should be positive and of the form (min, max).")

    @staticmethod
    def get_params(sigma_min: float, sigma_max: float) -> float:
        """How wide to blur, within these limits."""
        return torch_image_draw(sigma_min, sigma_max)

    def forward(self, img: Any) -> Any:
        sigma = self.get_params(self.sigma[0], self.sigma[1])
        return torch_gaussian_blur(img, self.kernel_size, [sigma, sigma])


@torch_shown("RandomAdjustSharpness", "sharpness_factor", "p", comma=",")
class TorchRandomAdjustSharpness(paddle.nn.Layer):
    """`torchvision.transforms.RandomAdjustSharpness`."""

    def __init__(self, sharpness_factor: float, p: float = 0.5) -> None:
        super().__init__()
        self.sharpness_factor = sharpness_factor
        self.p = p

    def forward(self, img: Any) -> Any:
        drawn = torch_image_draw() < self.p
        return torch_adjust_sharpness(img, self.sharpness_factor) if drawn else img


@torch_shown("RandomAutocontrast", "p")
class TorchRandomAutocontrast(paddle.nn.Layer):
    """`torchvision.transforms.RandomAutocontrast`."""

    def __init__(self, p: float = 0.5) -> None:
        super().__init__()
        self.p = p

    def forward(self, img: Any) -> Any:
        return torch_autocontrast(img) if torch_image_draw() < self.p else img


@torch_shown("RandomEqualize", "p")
class TorchRandomEqualize(paddle.nn.Layer):
    """`torchvision.transforms.RandomEqualize`."""

    def __init__(self, p: float = 0.5) -> None:
        super().__init__()
        self.p = p

    def forward(self, img: Any) -> Any:
        return torch_equalize(img) if torch_image_draw() < self.p else img
