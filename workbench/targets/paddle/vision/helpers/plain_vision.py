"""Datasets of images as plain code reads them."""

from __future__ import annotations

import os
from typing import Any

import numpy
import paddle
from PIL import Image as PillowImage


class TorchDigits(paddle.io.Dataset):  # type: ignore[type-arg]
    """Images and labels from files in MNIST's format, below `root` as torchvision puts them."""

    def __init__(
        self,
        root: Any,
        train: bool = True,
        transform: Any = None,
        download: bool = False,
        folder: str = "MNIST",
    ) -> None:
        self.train, self.transform = train, transform
        raw = os.path.join(root, folder, "raw")  # noqa: PTH118
        part = "train" if train else "t10k"
        images, labels = f"{raw}/{part}-images-idx3-ubyte", f"{raw}/{part}-labels-idx1-ubyte"
        if os.path.exists(images):  # noqa: PTH110
            size = numpy.fromfile(images, ">i4", 4)[1:]
            pixels: Any = numpy.fromfile(images, "uint8", offset=16).reshape(size)
            targets = numpy.fromfile(labels, "uint8", offset=8)
        elif download:
            source = getattr(paddle.vision.datasets, folder)(mode="train" if train else "test")
            pixels = numpy.asarray(source.images, "uint8").reshape(-1, 28, 28)
            targets = numpy.asarray(source.labels)
        else:
            raise RuntimeError(f"no dataset in {raw}: put its files there, or set download=True")
        self.data = paddle.to_tensor(pixels)
        self.targets = paddle.to_tensor(targets.astype("int64").reshape(-1))
        self.pixels, self.labels = pixels, targets.reshape(-1).tolist()

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, index: int) -> tuple[Any, int]:
        image = PillowImage.fromarray(self.pixels[index])
        return (self.transform(image) if self.transform else image), self.labels[index]
