"""Images turned, sheared and seen from aside at random, as torchvision's transforms do it."""

from __future__ import annotations

from typing import Any

import paddle

from workbench.targets.paddle.vision.helpers.images import (
    TorchInterpolationMode,
    torch_image_dimensions,
    torch_interpolation,
)
from workbench.targets.paddle.vision.helpers.random import torch_image_draw, torch_image_integer
from workbench.targets.paddle.vision.helpers.shown import torch_shown
from workbench.targets.paddle.vision.helpers.warp import (
    torch_affine_image,
    torch_perspective_image,
)


def torch_angles(value: Any, name: str, sizes: tuple[int, ...] = (2,)) -> list[float]:
    """The limits of an angle: of a single number, it on both sides."""
    if isinstance(value, int | float):
        if value < 0:
            raise ValueError(f"If {name} is a single number, it must be positive.")
        value = [-value, value]
    if len(value) not in sizes:
        raise ValueError(f"{name} should be a sequence of length {' or '.join(map(str, sizes))}.")
    return [float(each) for each in value]


@torch_shown(
    "RandomAffine",
    "degrees",
    "translate?",
    "scale?",
    "shear?",
    "interpolation?",
    "fill?",
    "center?",
)
class TorchRandomAffine(paddle.nn.Layer):
    """`torchvision.transforms.RandomAffine`."""

    def __init__(
        self,
        degrees: Any,
        translate: Any = None,
        scale: Any = None,
        shear: Any = None,
        interpolation: Any = TorchInterpolationMode.NEAREST,
        fill: Any = 0,
        center: Any = None,
    ) -> None:
        super().__init__()
        self.degrees = torch_angles(degrees, "degrees")
        for pair, name in ((translate, "translate"), (scale, "scale"), (center, "center")):
            if pair is not None and len(pair) != 2:
                raise ValueError(f"{name} should be a sequence of length 2.")
        if translate is not None and not all(0.0 <= each <= 1.0 for each in translate):
            raise ValueError("translation values should be between 0 and 1")
        if scale is not None and not all(each > 0 for each in scale):
            raise ValueError("scale values should be positive")
        self.translate = translate
        self.scale = scale
        self.shear = None if shear is None else torch_angles(shear, "shear", (2, 4))
        self.interpolation = torch_interpolation(interpolation)
        self.fill = 0 if fill is None else fill
        self.center = center

    @staticmethod
    def get_params(
        degrees: Any, translate: Any, scale_ranges: Any, shears: Any, img_size: Any
    ) -> tuple[float, tuple[int, int], float, tuple[float, float]]:
        """An angle, a way to move, a scale and two angles to shear by, within these limits."""
        angle = torch_image_draw(float(degrees[0]), float(degrees[1]))
        moved = (0, 0)
        if translate is not None:
            wide, high = (float(t * size) for t, size in zip(translate, img_size, strict=True))
            moved = round(torch_image_draw(-wide, wide)), round(torch_image_draw(-high, high))
        scale = 1.0 if scale_ranges is None else torch_image_draw(*scale_ranges)
        across = 0.0 if shears is None else torch_image_draw(shears[0], shears[1])
        both = shears is not None and len(shears) == 4
        down = torch_image_draw(shears[2], shears[3]) if both else 0.0
        return angle, moved, scale, (across, down)

    def forward(self, img: Any) -> Any:
        _, height, width = torch_image_dimensions(img)
        drawn = self.get_params(
            self.degrees, self.translate, self.scale, self.shear, [width, height]
        )
        return torch_affine_image(img, *drawn, self.interpolation, self.fill, self.center)


@torch_shown("RandomPerspective", "p")
class TorchRandomPerspective(paddle.nn.Layer):
    """`torchvision.transforms.RandomPerspective`."""

    def __init__(
        self,
        distortion_scale: float = 0.5,
        p: float = 0.5,
        interpolation: Any = TorchInterpolationMode.BILINEAR,
        fill: Any = 0,
    ) -> None:
        super().__init__()
        self.p = p
        self.interpolation = torch_interpolation(interpolation)
        self.distortion_scale = distortion_scale
        self.fill = 0 if fill is None else fill

    @staticmethod
    def get_params(
        width: int, height: int, distortion_scale: float
    ) -> tuple[list[list[int]], list[list[int]]]:
        """The corners of the image, and where they move."""
        across = int(distortion_scale * (width // 2)) + 1
        down = int(distortion_scale * (height // 2)) + 1
        right, bottom = width - across, height - down
        moved = [
            [torch_image_integer(across), torch_image_integer(down)],
            [right + torch_image_integer(across), torch_image_integer(down)],
            [right + torch_image_integer(across), bottom + torch_image_integer(down)],
            [torch_image_integer(across), bottom + torch_image_integer(down)],
        ]
        return [[0, 0], [width - 1, 0], [width - 1, height - 1], [0, height - 1]], moved

    def forward(self, img: Any) -> Any:
        if torch_image_draw() >= self.p:
            return img
        _, height, width = torch_image_dimensions(img)
        before, after = self.get_params(width, height, self.distortion_scale)
        return torch_perspective_image(img, before, after, self.interpolation, self.fill)
