"""Colors of images, Pillow's and tensors, as torchvision changes them."""

from __future__ import annotations

from typing import Any

import numpy
import paddle
from PIL import Image as PillowImage
from PIL import ImageEnhance as PillowImageEnhance
from PIL import ImageOps as PillowImageOps

from workbench.targets.paddle.vision.helpers.images import (
    torch_convert_image_dtype,
    torch_largest_pixel,
)


def torch_rgb_to_grayscale(img: Any, num_output_channels: int = 1) -> Any:
    """`rgb_to_grayscale`: one channel, or three that are the same."""
    if num_output_channels not in (1, 3):
        raise ValueError("num_output_channels should be either 1 or 3")
    if not isinstance(img, paddle.Tensor):
        gray = img.convert("L")
        return gray if num_output_channels == 1 else PillowImage.merge("RGB", (gray,) * 3)
    if img.ndim < 3 or img.shape[-3] not in (1, 3):
        raise TypeError(f"Input image tensor should have 1 or 3 channels. Got {img.shape}")
    single = img
    if img.shape[-3] == 3:
        red, green, blue = paddle.unbind(img, axis=img.ndim - 3)
        mixed = torch_weighted(red, 0.2989) + torch_weighted(green, 0.587)
        single = (mixed + torch_weighted(blue, 0.114)).astype(img.dtype).unsqueeze(-3)
    return single.expand(img.shape) if num_output_channels == 3 else single.clone()


def torch_weighted(channel: paddle.Tensor, weight: float) -> paddle.Tensor:
    """A channel of numbers or bytes times a weight."""
    return (channel if channel.is_floating_point() else channel.astype("float32")) * weight


def torch_blend(first: paddle.Tensor, second: paddle.Tensor, ratio: float) -> paddle.Tensor:
    """A mixture of two images, within the range of the first one's dtype."""
    mixed = torch_weighted(first, ratio) + torch_weighted(second, 1.0 - ratio)
    mixed = paddle.clip(mixed, 0, torch_largest_pixel(first.dtype))
    return mixed.astype(first.dtype)


def torch_check_channels(img: paddle.Tensor) -> None:
    """Raise where a tensor has neither one channel nor three."""
    channels = 1 if img.ndim == 2 else img.shape[-3]
    if channels not in (1, 3):
        raise TypeError(f"Input image tensor permitted channel values are 1 or 3, found {channels}")


def torch_adjust_brightness(img: Any, brightness_factor: float) -> Any:
    """`adjust_brightness`: 0 gives black, 1 the image."""
    if not isinstance(img, paddle.Tensor):
        return PillowImageEnhance.Brightness(img).enhance(brightness_factor)
    if brightness_factor < 0:
        raise ValueError(f"brightness_factor ({brightness_factor}) is not non-negative.")
    torch_check_channels(img)
    return torch_blend(img, paddle.zeros_like(img), float(brightness_factor))


def torch_adjust_contrast(img: Any, contrast_factor: float) -> Any:
    """`adjust_contrast`: 0 gives gray, 1 the image."""
    if not isinstance(img, paddle.Tensor):
        return PillowImageEnhance.Contrast(img).enhance(contrast_factor)
    if contrast_factor < 0:
        raise ValueError(f"contrast_factor ({contrast_factor}) is not non-negative.")
    torch_check_channels(img)
    gray = torch_rgb_to_grayscale(img) if img.ndim > 2 and img.shape[-3] == 3 else img
    exact = gray if img.is_floating_point() else gray.astype("float32")
    axes = list(range(img.ndim - min(img.ndim, 3), img.ndim))
    return torch_blend(img, exact.mean(axis=axes, keepdim=True), float(contrast_factor))


def torch_adjust_saturation(img: Any, saturation_factor: float) -> Any:
    """`adjust_saturation`: 0 gives the image without color, 1 the image."""
    if not isinstance(img, paddle.Tensor):
        return PillowImageEnhance.Color(img).enhance(saturation_factor)
    if saturation_factor < 0:
        raise ValueError(f"saturation_factor ({saturation_factor}) is not non-negative.")
    torch_check_channels(img)
    if img.ndim == 2 or img.shape[-3] == 1:
        return img
    return torch_blend(img, torch_rgb_to_grayscale(img), float(saturation_factor))


def torch_adjust_hue(img: Any, hue_factor: float) -> Any:
    """`adjust_hue`: turns the wheel of colors, by half at most."""
    if not -0.5 <= hue_factor <= 0.5:
        raise ValueError(f"hue_factor ({hue_factor}) is not in [-0.5, 0.5].")
    if not isinstance(img, paddle.Tensor):
        if img.mode in {"L", "1", "I", "F"}:
            return img
        hue, saturation, value = img.convert("HSV").split()
        turned = (numpy.array(hue).astype("int64") + int(hue_factor * 255)) % 256
        hue = PillowImage.fromarray(turned.astype("uint8"))
        return PillowImage.merge("HSV", (hue, saturation, value)).convert(img.mode)
    torch_check_channels(img)
    if img.ndim == 2 or img.shape[-3] == 1:
        return img
    exact = torch_convert_image_dtype(img, paddle.float32)
    hue, saturation, value = torch_to_hsv(exact)
    turned = paddle.remainder(hue + hue_factor, paddle.to_tensor(1.0, dtype=hue.dtype))
    return torch_convert_image_dtype(torch_from_hsv(turned, saturation, value), img.dtype)


def torch_to_hsv(img: paddle.Tensor) -> tuple[paddle.Tensor, paddle.Tensor, paddle.Tensor]:
    """Hue, saturation and value from 0 to 1 of a tensor with three channels."""
    red, green, blue = paddle.unbind(img, axis=img.ndim - 3)
    value, least = img.max(axis=-3), img.min(axis=-3)
    plain = value == least
    spread = value - least
    saturation = spread / paddle.where(plain, paddle.ones_like(value), value)
    divisor = paddle.where(plain, paddle.ones_like(value), spread)
    from_red, from_green, from_blue = (
        (value - channel) / divisor for channel in (red, green, blue)
    )
    sector = paddle.where(
        value == red,
        from_blue - from_green,
        paddle.where(value == green, 2.0 + from_red - from_blue, 4.0 + from_green - from_red),
    )
    turn = sector / 6.0 + 1.0
    return turn - turn.floor(), saturation, value


def torch_from_hsv(
    hue: paddle.Tensor, saturation: paddle.Tensor, value: paddle.Tensor
) -> paddle.Tensor:
    """Three channels of red, green and blue."""
    sector = (hue * 6.0).floor()
    part = hue * 6.0 - sector
    index = sector.astype("int64") % 6
    low = paddle.clip(value * (1.0 - saturation), 0.0, 1.0)
    falling = paddle.clip(value * (1.0 - saturation * part), 0.0, 1.0)
    rising = paddle.clip(value * (1.0 - saturation * (1.0 - part)), 0.0, 1.0)
    wheel = {
        "red": (value, falling, low, low, rising, value),
        "green": (rising, value, value, falling, low, low),
        "blue": (low, low, rising, value, value, falling),
    }
    channels = []
    for options in wheel.values():
        channel = options[0]
        for number, option in enumerate(options[1:], start=1):
            channel = paddle.where(index == number, option, channel)
        channels.append(channel)
    return paddle.stack(channels, axis=-3)


def torch_adjust_gamma(img: Any, gamma: float, gain: float = 1) -> Any:
    """`adjust_gamma`: values from 0 to 1 to the power of gamma, times the gain."""
    if gamma < 0:
        raise ValueError("Gamma should be a non-negative real number")
    if not isinstance(img, paddle.Tensor):
        table = [int((255 + 1 - 1e-3) * gain * pow(value / 255.0, gamma)) for value in range(256)]
        plain = img.convert("RGB")
        return plain.point(table * len(plain.getbands())).convert(img.mode)
    torch_check_channels(img)
    exact = img if img.is_floating_point() else torch_convert_image_dtype(img, paddle.float32)
    return torch_convert_image_dtype(paddle.clip(gain * exact.pow(gamma), 0, 1), img.dtype)


def torch_invert(img: Any) -> Any:
    """`invert`: the negative."""
    if not isinstance(img, paddle.Tensor):
        return PillowImageOps.invert(img)
    torch_check_channels(img)
    return torch_largest_pixel(img.dtype) - img


def torch_solarize(img: Any, threshold: float) -> Any:
    """`solarize`: the negative of what is at least as bright as the threshold."""
    if not isinstance(img, paddle.Tensor):
        return PillowImageOps.solarize(img, threshold)  # type: ignore[arg-type]
    if threshold > torch_largest_pixel(img.dtype):
        raise TypeError("Threshold should be less than bound of img.")
    dark = torch_weighted(img, 1.0) < threshold
    wide = img if img.is_floating_point() else img.astype("int32")
    return paddle.where(dark, wide, torch_largest_pixel(img.dtype) - wide).astype(img.dtype)


def torch_posterize(img: Any, bits: int) -> Any:
    """`posterize`: the highest bits of each byte."""
    if not isinstance(img, paddle.Tensor):
        return PillowImageOps.posterize(img, bits)
    if img.dtype != paddle.uint8:
        raise TypeError(f"Only uint8 image tensors are supported, but found {img.dtype}")
    step = 2 ** (8 - bits)
    return (img.astype("int32") // step * step).astype("uint8")
