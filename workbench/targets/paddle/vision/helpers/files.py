"""Files of images as tensors of bytes and of pixels."""

from __future__ import annotations

import enum
import io
from typing import Any

import numpy
import paddle
from PIL import Image as PillowImage
from PIL import ImageOps

from workbench.targets.paddle.modules.helpers.class_names import torch_named


@torch_named
class TorchImageReadMode(enum.Enum):
    """`torchvision.io.ImageReadMode`."""

    UNCHANGED = 0
    GRAY = 1
    GRAY_ALPHA = 2
    RGB = 3
    RGB_ALPHA = 4
    RGBA = RGB_ALPHA


def torch_read_file(path: Any) -> paddle.Tensor:
    """`torchvision.io.read_file`: the bytes of a file."""
    return paddle.to_tensor(numpy.fromfile(str(path), dtype="uint8"))


def torch_decode_jpeg(
    input: Any,
    mode: Any = TorchImageReadMode.UNCHANGED,
    device: Any = "cpu",
    apply_exif_orientation: bool = False,
) -> Any:
    """`torchvision.io.decode_jpeg`, through Pillow: channels, rows and columns."""
    if isinstance(input, list):
        if not input:
            raise ValueError("Input list must contain at least one element")
        return [torch_decode_jpeg(one, mode, device, apply_exif_orientation) for one in input]
    mode = TorchImageReadMode[mode.upper()] if isinstance(mode, str) else mode
    image: PillowImage.Image = PillowImage.open(io.BytesIO(input.numpy().tobytes()))
    wanted = {1: "L", 3: "RGB"}.get(mode.value)
    if mode.value not in (0, 1, 3) or image.mode not in ("L", "RGB"):
        raise RuntimeError("The provided mode is not supported for JPEG decoding on CPU")
    if wanted is not None:
        image.draft(wanted, image.size)  # the decoder's own gray: the luma of the file
        image = image if image.mode == wanted else image.convert(wanted)
    if apply_exif_orientation:
        image = ImageOps.exif_transpose(image)
    pixels = numpy.array(image)
    return paddle.to_tensor(pixels[None] if pixels.ndim == 2 else pixels.transpose(2, 0, 1).copy())
