"""The random transforms of torchvision; what torch's generator draws, Paddle's does here."""

from __future__ import annotations

import math
import random
from typing import Any

import paddle

from workbench.targets.paddle.vision.helpers.color import (
    torch_adjust_brightness,
    torch_adjust_contrast,
    torch_adjust_hue,
    torch_adjust_saturation,
    torch_invert,
    torch_posterize,
    torch_rgb_to_grayscale,
    torch_solarize,
)
from workbench.targets.paddle.vision.helpers.geometry import (
    torch_crop_image,
    torch_erase,
    torch_hflip,
    torch_pad_image,
    torch_resized_crop,
    torch_vflip,
)
from workbench.targets.paddle.vision.helpers.images import (
    TorchInterpolationMode,
    torch_image_channels,
    torch_image_dimensions,
)
from workbench.targets.paddle.vision.helpers.shown import torch_shown, torch_shown_within
from workbench.targets.paddle.vision.helpers.transforms import torch_chosen, torch_image_pair
from workbench.targets.paddle.vision.helpers.warp import torch_rotate_image


def torch_image_draw(low: float = 0.0, high: float = 1.0) -> float:
    """A number between two others."""
    return low + (high - low) * paddle.rand([1], dtype="float64").item()


def torch_image_integer(end: int) -> int:
    """A whole number from 0 on, below the end."""
    return paddle.randint(0, end, [1]).item()


@torch_shown("RandomHorizontalFlip", "p")
class TorchRandomHorizontalFlip(paddle.nn.Layer):
    """`torchvision.transforms.RandomHorizontalFlip`."""

    def __init__(self, p: float = 0.5) -> None:
        super().__init__()
        self.p = p

    def forward(self, img: Any) -> Any:
        return torch_hflip(img) if torch_image_draw() < self.p else img


@torch_shown("RandomVerticalFlip", "p")
class TorchRandomVerticalFlip(paddle.nn.Layer):
    """`torchvision.transforms.RandomVerticalFlip`."""

    def __init__(self, p: float = 0.5) -> None:
        super().__init__()
        self.p = p

    def forward(self, img: Any) -> Any:
        return torch_vflip(img) if torch_image_draw() < self.p else img


@torch_shown("RandomGrayscale", "p")
class TorchRandomGrayscale(paddle.nn.Layer):
    """`torchvision.transforms.RandomGrayscale`."""

    def __init__(self, p: float = 0.1) -> None:
        super().__init__()
        self.p = p

    def forward(self, img: Any) -> Any:
        channels = torch_image_channels(img)
        return torch_rgb_to_grayscale(img, channels) if torch_image_draw() < self.p else img


@torch_shown("RandomInvert", "p")
class TorchRandomInvert(paddle.nn.Layer):
    """`torchvision.transforms.RandomInvert`."""

    def __init__(self, p: float = 0.5) -> None:
        super().__init__()
        self.p = p

    def forward(self, img: Any) -> Any:
        return torch_invert(img) if torch_image_draw() < self.p else img


@torch_shown("RandomPosterize", "bits", "p", comma=",")
class TorchRandomPosterize(paddle.nn.Layer):
    """`torchvision.transforms.RandomPosterize`."""

    def __init__(self, bits: int, p: float = 0.5) -> None:
        super().__init__()
        self.bits = bits
        self.p = p

    def forward(self, img: Any) -> Any:
        return torch_posterize(img, self.bits) if torch_image_draw() < self.p else img


@torch_shown("RandomSolarize", "threshold", "p", comma=",")
class TorchRandomSolarize(paddle.nn.Layer):
    """`torchvision.transforms.RandomSolarize`."""

    def __init__(self, threshold: float, p: float = 0.5) -> None:
        super().__init__()
        self.threshold = threshold
        self.p = p

    def forward(self, img: Any) -> Any:
        return torch_solarize(img, self.threshold) if torch_image_draw() < self.p else img


@torch_shown_within("RandomApply", "p")
class TorchRandomApply(paddle.nn.Layer):
    """`torchvision.transforms.RandomApply`: all of the transforms, or none."""

    def __init__(self, transforms: Any, p: float = 0.5) -> None:
        super().__init__()
        self.transforms = transforms
        self.p = p

    def forward(self, img: Any) -> Any:
        if self.p < torch_image_draw():
            return img
        for transform in self.transforms:
            img = transform(img)
        return img


@torch_shown_within("RandomOrder")
class TorchRandomOrder:
    """`torchvision.transforms.RandomOrder`."""

    def __init__(self, transforms: Any) -> None:
        self.transforms = torch_chosen(transforms)

    def __call__(self, img: Any) -> Any:
        order = list(range(len(self.transforms)))
        random.shuffle(order)
        for place in order:
            img = self.transforms[place](img)
        return img


@torch_shown_within("RandomChoice", after="p")
class TorchRandomChoice:
    """`torchvision.transforms.RandomChoice`."""

    def __init__(self, transforms: Any, p: Any = None) -> None:
        self.transforms = torch_chosen(transforms)
        self.p = p

    def __call__(self, *args: Any) -> Any:
        transform = random.choices(self.transforms, weights=self.p)[0]
        return transform(*args)


@torch_shown("RandomCrop", "size", "padding")
class TorchRandomCrop(paddle.nn.Layer):
    """`torchvision.transforms.RandomCrop`."""

    def __init__(
        self,
        size: Any,
        padding: Any = None,
        pad_if_needed: bool = False,
        fill: Any = 0,
        padding_mode: str = "constant",
    ) -> None:
        super().__init__()
        self.size = tuple(torch_image_pair(size))
        self.padding = padding
        self.pad_if_needed = pad_if_needed
        self.fill = fill
        self.padding_mode = padding_mode

    @staticmethod
    def get_params(img: Any, output_size: tuple[int, int]) -> tuple[int, int, int, int]:
        """Top, left, height and width of a crop."""
        _, height, width = torch_image_dimensions(img)
        high, wide = output_size
        if height < high or width < wide:
            raise ValueError(
                f"Required crop size {(high, wide)} is larger than input image size "
                f"{(height, width)}"
            )
        if width == wide and height == high:
            return 0, 0, height, width
        top = torch_image_integer(height - high + 1)
        return top, torch_image_integer(width - wide + 1), high, wide

    def forward(self, img: Any) -> Any:
        if self.padding is not None:
            img = torch_pad_image(img, self.padding, self.fill, self.padding_mode)
        if self.pad_if_needed:
            for axis in (1, 0):
                lacking = self.size[axis] - torch_image_dimensions(img)[1 + axis]
                if lacking > 0:
                    sides = [lacking, 0] if axis else [0, lacking]
                    img = torch_pad_image(img, sides, self.fill, self.padding_mode)
        return torch_crop_image(img, *self.get_params(img, self.size))


@torch_shown("RandomResizedCrop", "size", "scale", "ratio", "interpolation", "antialias")
class TorchRandomResizedCrop(paddle.nn.Layer):
    """`torchvision.transforms.RandomResizedCrop`."""

    def __init__(
        self,
        size: Any,
        scale: Any = (0.08, 1.0),
        ratio: Any = (3.0 / 4.0, 4.0 / 3.0),
        interpolation: Any = TorchInterpolationMode.BILINEAR,
        antialias: bool | None = True,
    ) -> None:
        super().__init__()
        self.size = torch_image_pair(size)
        self.scale = scale
        self.ratio = ratio
        self.interpolation = interpolation
        self.antialias = antialias

    @staticmethod
    def get_params(img: Any, scale: Any, ratio: Any) -> tuple[int, int, int, int]:
        """Top, left, height and width of a crop with an area and a shape within these limits."""
        _, height, width = torch_image_dimensions(img)
        for _ in range(10):
            area = height * width * torch_image_draw(scale[0], scale[1])
            shape = math.exp(torch_image_draw(math.log(ratio[0]), math.log(ratio[1])))
            wide, high = round(math.sqrt(area * shape)), round(math.sqrt(area / shape))
            if 0 < wide <= width and 0 < high <= height:
                top = torch_image_integer(height - high + 1)
                return top, torch_image_integer(width - wide + 1), high, wide
        wide, high = width, height
        if width / height < min(ratio):
            high = round(width / min(ratio))
        elif width / height > max(ratio):
            wide = round(height * max(ratio))
        return (height - high) // 2, (width - wide) // 2, high, wide

    def forward(self, img: Any) -> Any:
        place = self.get_params(img, self.scale, self.ratio)
        return torch_resized_crop(img, *place, self.size, self.interpolation, self.antialias)


@torch_shown("RandomRotation", "degrees", "interpolation", "expand", "center?", "fill")
class TorchRandomRotation(paddle.nn.Layer):
    """`torchvision.transforms.RandomRotation`."""

    def __init__(
        self,
        degrees: Any,
        interpolation: Any = TorchInterpolationMode.NEAREST,
        expand: bool = False,
        center: Any = None,
        fill: Any = 0,
    ) -> None:
        super().__init__()
        if isinstance(degrees, int | float) and degrees < 0:
            raise ValueError("If degrees is a single number, it must be positive.")
        pair = [-degrees, degrees] if isinstance(degrees, int | float) else degrees
        self.degrees = [float(angle) for angle in pair]
        self.interpolation = interpolation
        self.expand = expand
        self.center = center
        self.fill = 0 if fill is None else fill

    @staticmethod
    def get_params(degrees: Any) -> float:
        """An angle within these limits."""
        return torch_image_draw(float(degrees[0]), float(degrees[1]))

    def forward(self, img: Any) -> Any:
        angle = self.get_params(self.degrees)
        return torch_rotate_image(
            img, angle, self.interpolation, self.expand, self.center, self.fill
        )


@torch_shown("ColorJitter", "brightness", "contrast", "saturation", "hue")
class TorchColorJitter(paddle.nn.Layer):
    """`torchvision.transforms.ColorJitter`."""

    def __init__(
        self, brightness: Any = 0, contrast: Any = 0, saturation: Any = 0, hue: Any = 0
    ) -> None:
        super().__init__()
        self.brightness = self._limits(brightness, "brightness")
        self.contrast = self._limits(contrast, "contrast")
        self.saturation = self._limits(saturation, "saturation")
        self.hue = self._limits(hue, "hue", 0, (-0.5, 0.5))

    @staticmethod
    def _limits(
        value: Any, name: str, center: float = 1, bound: Any = (0, math.inf)
    ) -> tuple[float, float] | None:
        if isinstance(value, int | float):
            if value < 0:
                raise ValueError(f"If {name} is a single number, it must be non negative.")
            limits = [center - value, center + value]
            limits[0] = max(limits[0], 0.0) if center else limits[0]
        else:
            limits = [float(value[0]), float(value[1])]
        if not bound[0] <= limits[0] <= limits[1] <= bound[1]:
            raise ValueError(f"{name} values should be between {bound}, but got {limits}.")
        return None if limits[0] == limits[1] == center else (limits[0], limits[1])

    def forward(self, img: Any) -> Any:
        adjustments = [
            (torch_adjust_brightness, self.brightness),
            (torch_adjust_contrast, self.contrast),
            (torch_adjust_saturation, self.saturation),
            (torch_adjust_hue, self.hue),
        ]
        for place in paddle.randperm(4).tolist():
            adjust, limits = adjustments[place]
            if limits is not None:
                img = adjust(img, torch_image_draw(*limits))
        return img


@torch_shown("RandomErasing", "p", "scale", "ratio", "value", "inplace")
class TorchRandomErasing(paddle.nn.Layer):
    """`torchvision.transforms.RandomErasing`."""

    def __init__(
        self,
        p: float = 0.5,
        scale: Any = (0.02, 0.33),
        ratio: Any = (0.3, 3.3),
        value: Any = 0,
        inplace: bool = False,
    ) -> None:
        super().__init__()
        if not isinstance(value, int | float | str | tuple | list):
            raise TypeError("Argument value should be either a number or str or a sequence")
        if isinstance(value, str) and value != "random":
            raise ValueError("If value is str, it should be 'random'")
        self.p = p
        self.scale = scale
        self.ratio = ratio
        self.value = value
        self.inplace = inplace

    def forward(self, img: paddle.Tensor) -> paddle.Tensor:
        if torch_image_draw() >= self.p:
            return img
        channels, height, width = img.shape[-3:]
        given = [self.value] if isinstance(self.value, int | float) else self.value
        if not isinstance(given, str) and len(given) not in (1, channels):
            raise ValueError(f"value should be a single one or one for each of {channels} channels")
        for _ in range(10):
            area = height * width * torch_image_draw(self.scale[0], self.scale[1])
            shape = math.exp(torch_image_draw(math.log(self.ratio[0]), math.log(self.ratio[1])))
            high, wide = round(math.sqrt(area * shape)), round(math.sqrt(area / shape))
            if high < height and wide < width:
                if isinstance(given, str):
                    color = paddle.randn([channels, high, wide], dtype="float32")
                else:
                    color = paddle.to_tensor(given, dtype="float32").reshape([-1, 1, 1])
                top = torch_image_integer(height - high + 1)
                left = torch_image_integer(width - wide + 1)
                color = color.astype(img.dtype)
                return torch_erase(img, top, left, high, wide, color, self.inplace)
        return img
