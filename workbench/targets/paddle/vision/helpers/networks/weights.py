"""What is known of weights that torchvision downloads: where they lie, how images are prepared."""

from __future__ import annotations

import enum
import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import paddle

from workbench.targets.paddle.modules.helpers.class_names import torch_named
from workbench.targets.paddle.vision.helpers.geometry import torch_center_crop, torch_resize_image
from workbench.targets.paddle.vision.helpers.images import (
    TorchInterpolationMode,
    torch_convert_image_dtype,
    torch_normalize_image,
    torch_pil_to_tensor,
)


@torch_named
class TorchImageClassification(paddle.nn.Layer):
    """`torchvision.transforms._presets.ImageClassification`."""

    def __init__(
        self,
        *,
        crop_size: int,
        resize_size: int = 256,
        mean: tuple[float, ...] = (0.485, 0.456, 0.406),
        std: tuple[float, ...] = (0.229, 0.224, 0.225),
        interpolation: Any = TorchInterpolationMode.BILINEAR,
        antialias: bool | None = True,
    ) -> None:
        super().__init__()
        self.crop_size, self.resize_size = [crop_size], [resize_size]
        self.mean, self.std = list(mean), list(std)
        self.interpolation, self.antialias = interpolation, antialias

    def forward(self, img: Any) -> paddle.Tensor:
        img = torch_resize_image(
            img, self.resize_size, self.interpolation, antialias=self.antialias
        )
        img = torch_center_crop(img, self.crop_size)
        if not isinstance(img, paddle.Tensor):
            img = torch_pil_to_tensor(img)
        return torch_normalize_image(torch_convert_image_dtype(img), self.mean, self.std)

    def __repr__(self) -> str:
        fields = ("crop_size", "resize_size", "mean", "std", "interpolation")
        lines = "".join(f"\n    {name}={getattr(self, name)}" for name in fields)
        return f"{type(self).__name__}({lines}\n)"


class TorchWeights(NamedTuple):
    """The file of some weights, and the images that they were trained on."""

    file: str
    resize: int = 256
    crop: int = 224
    mean: tuple[float, ...] = (0.485, 0.456, 0.406)
    std: tuple[float, ...] = (0.229, 0.224, 0.225)

    @property
    def url(self) -> str:
        """Where torchvision downloads them from."""
        return f"https://download.pytorch.org/models/{self.file}"

    @property
    def transforms(self) -> Any:
        """What makes the transform that images go through before."""
        return functools.partial(
            TorchImageClassification,
            crop_size=self.crop,
            resize_size=self.resize,
            mean=self.mean,
            std=self.std,
        )


class TorchWeightsEnum(enum.Enum):
    """`torchvision.models.WeightsEnum`, without the weights and what is told of their making."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}.{self._name_}"

    @property
    def url(self) -> str:
        """Where torchvision downloads the weights from."""
        return str(self.value.url)

    @property
    def transforms(self) -> Any:
        """What makes the transform that images go through before."""
        return self.value.transforms

    @property
    def meta(self) -> Any:
        """Nothing: classes and scores are told by torchvision alone."""
        raise NotImplementedError(f"{self!r}.meta: read it in torchvision, and keep what you need")


def torch_network(make: Any, *fixed: Any, **own: Any) -> Callable[..., Any]:
    """A function that makes a network from torchvision's arguments, its weights drawn at random."""

    def network(
        weights: Any = None, progress: bool = True, *, pretrained: bool = False, **options: Any
    ) -> Any:
        if weights or pretrained:
            raise NotImplementedError(
                "the weights that torchvision downloads are torch's: load them there, and carry"
                " them with `torchferry weights`"
            )
        options.pop("memory_efficient", None)  # the same numbers come out
        return make(*fixed, **own, **options)

    return network
