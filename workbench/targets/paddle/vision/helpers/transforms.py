"""The transforms of torchvision that draw no random numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import paddle

from workbench.targets.paddle.modules.helpers.class_names import torch_named
from workbench.targets.paddle.vision.helpers.color import torch_rgb_to_grayscale
from workbench.targets.paddle.vision.helpers.geometry import (
    torch_center_crop,
    torch_five_crop,
    torch_pad_image,
    torch_resize_image,
    torch_ten_crop,
)
from workbench.targets.paddle.vision.helpers.images import (
    TorchInterpolationMode,
    torch_convert_image_dtype,
    torch_normalize_image,
    torch_pil_to_tensor,
    torch_to_pil_image,
    torch_to_tensor,
)
from workbench.targets.paddle.vision.helpers.shown import torch_shown, torch_shown_within


@torch_shown_within("Compose")
class TorchCompose:
    """`torchvision.transforms.Compose`."""

    def __init__(self, transforms: Any) -> None:
        self.transforms = transforms

    def __call__(self, img: Any) -> Any:
        for transform in self.transforms:
            img = transform(img)
        return img


@torch_shown("ToTensor")
class TorchToTensor:
    """`torchvision.transforms.ToTensor`."""

    def __call__(self, pic: Any) -> paddle.Tensor:
        return torch_to_tensor(pic)


@torch_shown("PILToTensor")
class TorchPILToTensor:
    """`torchvision.transforms.PILToTensor`."""

    def __call__(self, pic: Any) -> paddle.Tensor:
        return torch_pil_to_tensor(pic)


@torch_shown("ToPILImage", "mode?")
class TorchToPILImage:
    """`torchvision.transforms.ToPILImage`."""

    def __init__(self, mode: str | None = None) -> None:
        self.mode = mode

    def __call__(self, pic: Any) -> Any:
        return torch_to_pil_image(pic, self.mode)


@torch_shown("Lambda")
class TorchImageLambda:
    """`torchvision.transforms.Lambda`."""

    def __init__(self, lambd: Callable[[Any], Any]) -> None:
        if not callable(lambd):
            raise TypeError(f"Argument lambd should be callable, got {type(lambd).__name__!r}")
        self.lambd = lambd

    def __call__(self, img: Any) -> Any:
        return self.lambd(img)


@torch_shown("ConvertImageDtype")
class TorchConvertImageDtype(paddle.nn.Layer):
    """`torchvision.transforms.ConvertImageDtype`."""

    def __init__(self, dtype: Any) -> None:
        super().__init__()
        self.dtype = dtype

    def forward(self, image: paddle.Tensor) -> paddle.Tensor:
        return torch_convert_image_dtype(image, self.dtype)


@torch_shown("Normalize", "mean", "std")
class TorchNormalizeImage(paddle.nn.Layer):
    """`torchvision.transforms.Normalize`."""

    def __init__(self, mean: Any, std: Any, inplace: bool = False) -> None:
        super().__init__()
        self.mean = mean
        self.std = std
        self.inplace = inplace

    def forward(self, tensor: paddle.Tensor) -> paddle.Tensor:
        return torch_normalize_image(tensor, self.mean, self.std, self.inplace)


@torch_shown("Resize", "size", "interpolation", "max_size", "antialias")
class TorchResizeImage(paddle.nn.Layer):
    """`torchvision.transforms.Resize`."""

    def __init__(
        self,
        size: Any,
        interpolation: Any = TorchInterpolationMode.BILINEAR,
        max_size: int | None = None,
        antialias: bool | None = True,
    ) -> None:
        super().__init__()
        self.size = size
        self.interpolation = interpolation
        self.max_size = max_size
        self.antialias = antialias

    def forward(self, img: Any) -> Any:
        return torch_resize_image(img, self.size, self.interpolation, self.max_size, self.antialias)


def torch_image_pair(size: Any) -> Any:
    """Height and width, of one number or as they are given."""
    if isinstance(size, int | float):
        return int(size), int(size)
    if len(size) == 1:
        return size[0], size[0]
    if len(size) != 2:
        raise ValueError("Please provide only two dimensions (h, w) for size.")
    return size


@torch_shown("CenterCrop", "size")
class TorchCenterCrop(paddle.nn.Layer):
    """`torchvision.transforms.CenterCrop`."""

    def __init__(self, size: Any) -> None:
        super().__init__()
        self.size = torch_image_pair(size)

    def forward(self, img: Any) -> Any:
        return torch_center_crop(img, self.size)


@torch_shown("Pad", "padding", "fill", "padding_mode")
class TorchPadImage(paddle.nn.Layer):
    """`torchvision.transforms.Pad`."""

    def __init__(self, padding: Any, fill: Any = 0, padding_mode: str = "constant") -> None:
        super().__init__()
        self.padding = padding
        self.fill = fill
        self.padding_mode = padding_mode

    def forward(self, img: Any) -> Any:
        return torch_pad_image(img, self.padding, self.fill, self.padding_mode)


@torch_shown("Grayscale", "num_output_channels")
class TorchGrayscale(paddle.nn.Layer):
    """`torchvision.transforms.Grayscale`."""

    def __init__(self, num_output_channels: int = 1) -> None:
        super().__init__()
        self.num_output_channels = num_output_channels

    def forward(self, img: Any) -> Any:
        return torch_rgb_to_grayscale(img, self.num_output_channels)


@torch_shown("FiveCrop", "size")
class TorchFiveCrop(paddle.nn.Layer):
    """`torchvision.transforms.FiveCrop`."""

    def __init__(self, size: Any) -> None:
        super().__init__()
        self.size = torch_image_pair(size)

    def forward(self, img: Any) -> tuple[Any, ...]:
        return torch_five_crop(img, self.size)


@torch_shown("TenCrop", "size", "vertical_flip")
class TorchTenCrop(paddle.nn.Layer):
    """`torchvision.transforms.TenCrop`."""

    def __init__(self, size: Any, vertical_flip: bool = False) -> None:
        super().__init__()
        self.size = torch_image_pair(size)
        self.vertical_flip = vertical_flip

    def forward(self, img: Any) -> tuple[Any, ...]:
        return torch_ten_crop(img, self.size, self.vertical_flip)


@torch_named
class TorchLinearTransformation(paddle.nn.Layer):
    """`torchvision.transforms.LinearTransformation`."""

    def __init__(self, transformation_matrix: paddle.Tensor, mean_vector: paddle.Tensor) -> None:
        super().__init__()
        rows, columns = transformation_matrix.shape
        if rows != columns or mean_vector.shape[0] != rows:
            raise ValueError("transformation_matrix should be square and as long as mean_vector")
        self.transformation_matrix = transformation_matrix
        self.mean_vector = mean_vector

    def forward(self, tensor: paddle.Tensor) -> paddle.Tensor:
        size = self.transformation_matrix.shape[0]
        if tensor.shape[-3] * tensor.shape[-2] * tensor.shape[-1] != size:
            raise ValueError("Input tensor and transformation matrix have incompatible shape.")
        flat = tensor.reshape([-1, size]) - self.mean_vector
        return paddle.mm(flat, self.transformation_matrix).reshape(tensor.shape)

    def extra_repr(self) -> str:
        matrix, mean = self.transformation_matrix.tolist(), self.mean_vector.tolist()
        return f"transformation_matrix={matrix}, mean_vector={mean}"


def torch_chosen(transforms: Any) -> Any:
    """The transforms that a random one chooses from, which must be a sequence."""
    if not isinstance(transforms, Sequence):
        raise TypeError("Argument transforms should be a sequence")
    return transforms
