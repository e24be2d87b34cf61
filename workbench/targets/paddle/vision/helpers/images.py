"""Images as tensors and back, as torchvision's."""

from __future__ import annotations

import enum
from typing import Any

import numpy
import paddle
from PIL import Image as PillowImage

from workbench.targets.paddle.modules.helpers.class_names import torch_named


@torch_named
class TorchInterpolationMode(enum.Enum):
    """`torchvision.transforms.InterpolationMode`."""

    NEAREST = "nearest"
    NEAREST_EXACT = "nearest-exact"
    BILINEAR = "bilinear"
    BICUBIC = "bicubic"
    BOX = "box"
    HAMMING = "hamming"
    LANCZOS = "lanczos"


def torch_interpolation(mode: Any) -> TorchInterpolationMode:
    """The mode, also where Pillow's number for it is given."""
    if not isinstance(mode, int):
        return TorchInterpolationMode(getattr(mode, "value", mode))
    names = {0: "nearest", 2: "bilinear", 3: "bicubic", 4: "box", 5: "hamming", 1: "lanczos"}
    return TorchInterpolationMode(names[mode])


def torch_pillow_filter(mode: Any) -> int:
    """Pillow's number for an interpolation mode."""
    numbers = {"bilinear": 2, "bicubic": 3, "box": 4, "hamming": 5, "lanczos": 1}
    return numbers.get(torch_interpolation(mode).value, 0)


def torch_image_dimensions(img: Any) -> list[int]:
    """`get_dimensions`: channels, height and width."""
    if isinstance(img, paddle.Tensor):
        return [1 if img.ndim == 2 else img.shape[-3], img.shape[-2], img.shape[-1]]
    if not isinstance(img, PillowImage.Image):
        raise TypeError(f"Unexpected type {type(img)}")
    return [len(img.getbands()), img.height, img.width]


def torch_image_size(img: Any) -> list[int]:
    """`get_image_size`: width and height."""
    return torch_image_dimensions(img)[:0:-1]


def torch_image_channels(img: Any) -> int:
    """`get_image_num_channels`."""
    return torch_image_dimensions(img)[0]


def torch_wide_pixels(img: paddle.Tensor) -> paddle.Tensor:
    """Small integers as int32: few of Paddle's operations take them on a CPU."""
    if img.dtype in (paddle.uint8, paddle.int8, paddle.int16, paddle.bool):
        return img.astype("int32")
    return img


def torch_pil_to_tensor(pic: Any) -> paddle.Tensor:
    """`pil_to_tensor`: the values as they are, channels first."""
    if not isinstance(pic, PillowImage.Image):
        raise TypeError(f"pic should be PIL Image. Got {type(pic)}")
    pixels = numpy.array(pic)
    if pixels.ndim == 2:
        pixels = pixels[:, :, None]
    return paddle.to_tensor(numpy.ascontiguousarray(pixels.transpose(2, 0, 1)))


def torch_to_tensor(pic: Any) -> paddle.Tensor:
    """`to_tensor`: bytes to numbers from 0 to 1, channels first."""
    if isinstance(pic, numpy.ndarray):
        if pic.ndim not in (2, 3):
            raise ValueError(f"pic should be 2/3 dimensional. Got {pic.ndim} dimensions.")
        pixels = pic
    elif isinstance(pic, PillowImage.Image):
        wider = {"I": "int32", "I;16": "uint16", "F": "float32"}
        pixels = numpy.array(pic, dtype=wider.get(pic.mode, "uint8"))
        pixels = pixels * numpy.uint8(255) if pic.mode == "1" else pixels
    else:
        raise TypeError(f"pic should be PIL Image or ndarray. Got {type(pic)}")
    if pixels.ndim == 2:
        pixels = pixels[:, :, None]
    moved = numpy.ascontiguousarray(pixels.transpose(2, 0, 1))
    tensor = paddle.to_tensor(moved)
    if moved.dtype == numpy.uint8:
        return tensor.astype(paddle.get_default_dtype()) / 255
    return tensor


def torch_to_pil_image(pic: Any, mode: str | None = None) -> PillowImage.Image:
    """`to_pil_image`: floats from 0 to 1 become bytes."""
    if isinstance(pic, paddle.Tensor):
        if pic.ndim not in (2, 3):
            raise ValueError(f"pic should be 2/3 dimensional. Got {pic.ndim} dimensions.")
        pixels = (pic if pic.ndim == 3 else pic.unsqueeze(0)).detach().numpy()
        if pixels.shape[0] > 4:
            raise ValueError(f"pic should not have > 4 channels. Got {pixels.shape[0]} channels.")
        pixels = pixels.transpose(1, 2, 0)
        if pixels.dtype.kind == "f" and mode != "F":
            pixels = (pixels * 255).astype("int64").astype("uint8")
    elif isinstance(pic, numpy.ndarray):
        if pic.ndim not in (2, 3):
            raise ValueError(f"pic should be 2/3 dimensional. Got {pic.ndim} dimensions.")
        pixels = pic if pic.ndim == 3 else pic[:, :, None]
        if pixels.shape[-1] > 4:
            raise ValueError(f"pic should not have > 4 channels. Got {pixels.shape[-1]} channels.")
    else:
        raise TypeError(f"pic should be Tensor or ndarray. Got {type(pic)}.")
    channels = pixels.shape[-1]
    if channels == 1:
        known = {"uint8": "L", "int16": "I;16", "uint16": "I;16", "int32": "I", "float32": "F"}
        usual = known.get(str(pixels.dtype))
        permitted: tuple[str | None, ...] = (usual,)
    elif str(pixels.dtype) != "uint8":
        raise TypeError(f"Input type {pixels.dtype} is not supported")
    else:
        permitted = {2: ("LA",), 3: ("RGB", "YCbCr", "HSV"), 4: ("RGBA", "CMYK", "RGBX")}[channels]
        usual = permitted[0]
    if usual is None:
        raise TypeError(f"Input type {pixels.dtype} is not supported")
    if mode is not None and mode not in permitted:
        raise ValueError(f"Incorrect mode ({mode}) supplied for input of {channels} channels")
    plain = numpy.ascontiguousarray(pixels[:, :, 0] if channels == 1 else pixels)
    return PillowImage.frombytes(mode or usual, (plain.shape[1], plain.shape[0]), plain.tobytes())


def torch_largest_pixel(dtype: Any) -> int:
    """The value of a pixel that is fully lit."""
    bits = {paddle.uint8: 8, paddle.int8: 7, paddle.int16: 15, paddle.int32: 31, paddle.int64: 63}
    return 2 ** bits[dtype] - 1 if dtype in bits else 1


def torch_convert_image_dtype(image: paddle.Tensor, dtype: Any = paddle.float32) -> paddle.Tensor:
    """`convert_image_dtype`: to another dtype and its range of values."""
    if image.dtype == dtype:
        return image
    whole = (paddle.uint8, paddle.int8, paddle.int16, paddle.int32, paddle.int64)
    if image.dtype not in whole:
        if dtype not in whole:
            return image.astype(dtype)
        narrow = image.dtype == paddle.float32 and dtype == paddle.int32
        if dtype == paddle.int64 or narrow:
            raise RuntimeError(
                f"The cast from {image.dtype} to {dtype} cannot be performed safely."
            )
        scaled = image * (torch_largest_pixel(dtype) + 1.0 - 1e-3)
        return scaled.astype("int64").astype(dtype)
    largest = torch_largest_pixel(image.dtype)
    if dtype not in whole:
        return image.astype(dtype) / largest
    wanted = torch_largest_pixel(dtype)
    if largest > wanted:
        factor = (largest + 1) // (wanted + 1)
        return (image.astype("int64") // factor).astype(dtype)
    return (image.astype("int64") * ((wanted + 1) // (largest + 1))).astype(dtype)


def torch_normalize_image(
    tensor: paddle.Tensor, mean: Any, std: Any, inplace: bool = False
) -> paddle.Tensor:
    """`normalize`: each channel less its mean, divided by its deviation."""
    if not isinstance(tensor, paddle.Tensor):
        raise TypeError(f"img should be Tensor Image. Got {type(tensor)}")
    if not tensor.is_floating_point():
        raise TypeError(f"Input tensor should be a float tensor. Got {tensor.dtype}.")
    if tensor.ndim < 3:
        raise ValueError(
            f"Expected tensor to be a tensor image of size (..., C, H, W). Got {tensor.shape}"
        )
    middle = paddle.to_tensor(mean, dtype=tensor.dtype)
    spread = paddle.to_tensor(std, dtype=tensor.dtype)
    if bool((spread == 0).any()):
        raise ValueError(f"std evaluated to zero after conversion to {tensor.dtype}")
    middle = middle.reshape([-1, 1, 1]) if middle.ndim == 1 else middle
    spread = spread.reshape([-1, 1, 1]) if spread.ndim == 1 else spread
    if inplace:
        tensor.subtract_(middle)
        return tensor.divide_(spread)
    return (tensor - middle) / spread
