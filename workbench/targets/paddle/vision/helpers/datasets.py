"""Datasets of images in files, as torchvision reads them."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
import paddle
from PIL import Image as PillowImage

from workbench.targets.paddle.modules.helpers.class_names import torch_named
from workbench.targets.paddle.vision.helpers.images import torch_to_pil_image


def torch_pil_loader(path: Any) -> PillowImage.Image:
    """`torchvision.datasets.folder.pil_loader`: the image in color."""
    with PillowImage.open(path) as image:
        return image.convert("RGB")


class TorchVisionDataset(paddle.io.Dataset):
    """`torchvision.datasets.VisionDataset`: what its datasets share."""

    def __init__(
        self,
        root: Any = None,
        transforms: Any = None,
        transform: Any = None,
        target_transform: Any = None,
    ) -> None:
        super().__init__()
        if transforms is not None and (transform is not None or target_transform is not None):
            raise ValueError("Only transforms or transform/target_transform can be passed")
        self.root = os.path.expanduser(root) if isinstance(root, str) else root  # noqa: PTH111
        self.transform = transform
        self.target_transform = target_transform
        self.transforms = transforms

    def transformed(self, sample: Any, target: Any) -> tuple[Any, Any]:
        """A sample and its target as the user wants them."""
        if self.transforms is not None:
            return self.transforms(sample, target)
        if self.transform is not None:
            sample = self.transform(sample)
        if self.target_transform is not None:
            target = self.target_transform(target)
        return sample, target

    def extra_repr(self) -> str:
        """What a dataset tells of itself beside."""
        return ""

    def __repr__(self) -> str:
        lines = [f"Number of datapoints: {len(self)}"]
        lines += [] if self.root is None else [f"Root location: {self.root}"]
        lines += self.extra_repr().splitlines()
        both = (("Transform: ", self.transform), ("Target transform: ", self.target_transform))
        shown = [
            head + f"\n{' ' * len(head)}".join(repr(one).splitlines())
            for head, one in both
            if one is not None
        ]
        if self.transforms is not None:
            lines.append(repr(self.transforms))
        elif shown:
            lines.append("\n".join(["StandardTransform", *shown]))
        return "\n    ".join([f"Dataset {type(self).__name__}", *lines])


@torch_named
class TorchDatasetFolder(TorchVisionDataset):
    """`torchvision.datasets.DatasetFolder`: a folder for each class."""

    def __init__(
        self,
        root: Any,
        loader: Callable[[str], Any],
        extensions: Any = None,
        transform: Any = None,
        target_transform: Any = None,
        is_valid_file: Callable[[str], bool] | None = None,
        allow_empty: bool = False,
    ) -> None:
        super().__init__(root, None, transform, target_transform)
        if (extensions is None) == (is_valid_file is None):
            raise ValueError("Both extensions and is_valid_file cannot be None or not None")
        self.loader = loader
        self.extensions = extensions
        self.classes = sorted(entry.name for entry in os.scandir(self.root) if entry.is_dir())
        if not self.classes:
            raise FileNotFoundError(f"Couldn't find any class folder in {self.root}.")
        self.class_to_idx = {name: place for place, name in enumerate(self.classes)}
        endings = (extensions,) if isinstance(extensions, str) else tuple(extensions or ())
        valid = is_valid_file or (lambda path: path.lower().endswith(endings))
        self.samples = []
        empty = []
        for name, place in self.class_to_idx.items():
            found = []
            for folder, _, files in sorted(
                os.walk(os.path.join(self.root, name), followlinks=True)  # noqa: PTH118
            ):
                found += [os.path.join(folder, file) for file in sorted(files)]  # noqa: PTH118
            found = [path for path in found if valid(path)]
            empty += [] if found else [name]
            self.samples += [(path, place) for path in found]
        if empty and not allow_empty:
            raise FileNotFoundError(f"Found no valid file for the classes {', '.join(empty)}.")
        self.targets = [place for _, place in self.samples]

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        path, target = self.samples[index]
        return self.transformed(self.loader(path), target)

    def __len__(self) -> int:
        return len(self.samples)


@torch_named
class TorchImageFolder(TorchDatasetFolder):
    """`torchvision.datasets.ImageFolder`."""

    def __init__(
        self,
        root: Any,
        transform: Any = None,
        target_transform: Any = None,
        loader: Callable[[str], Any] = torch_pil_loader,
        is_valid_file: Callable[[str], bool] | None = None,
        allow_empty: bool = False,
    ) -> None:
        images = (*(".jpg", ".jpeg", ".png", ".ppm", ".bmp", ".pgm", ".tif", ".tiff", ".webp"),)
        super().__init__(
            root,
            loader,
            images if is_valid_file is None else None,
            transform,
            target_transform,
            is_valid_file,
            allow_empty,
        )
        self.imgs = self.samples


def torch_idx_array(path: str) -> numpy.ndarray[Any, Any]:
    """The bytes of a file in MNIST's format, of any number of dimensions."""
    content = Path(path).read_bytes()
    dims = content[3]
    shape = numpy.frombuffer(content, ">i4", dims, 4)
    return numpy.frombuffer(content, "uint8", -1, 4 + 4 * dims).reshape(shape).copy()


@torch_named
class TorchMNIST(TorchVisionDataset):
    """`torchvision.datasets.MNIST`: its files where torchvision keeps them, under `root`.

    What is to be downloaded comes from Paddle's mirror, into the same place.
    """

    folder = "MNIST"
    classes: Any = (
        "0 - zero",
        "1 - one",
        "2 - two",
        "3 - three",
        "4 - four",
        "5 - five",
        "6 - six",
        "7 - seven",
        "8 - eight",
        "9 - nine",
    )

    def __init__(
        self,
        root: Any,
        train: bool = True,
        transform: Any = None,
        target_transform: Any = None,
        download: bool = False,
    ) -> None:
        super().__init__(root, None, transform, target_transform)
        self.train = train
        self.classes = list(self.classes)
        if download:
            self.download()
        paths = self._paths()
        if not all(map(os.path.isfile, paths)):
            raise RuntimeError("Dataset not found. You can use download=True to download it")
        chosen = paths[:2] if train else paths[2:]
        self.data = paddle.to_tensor(torch_idx_array(chosen[0]))
        self.targets = paddle.to_tensor(torch_idx_array(chosen[1]).astype("int64"))

    def _paths(self) -> list[str]:
        parts = [
            f"{part}-{kind}"
            for part in ("train", "t10k")
            for kind in ("images-idx3-ubyte", "labels-idx1-ubyte")
        ]
        return [os.path.join(self.raw_folder, part) for part in parts]  # noqa: PTH118

    def download(self) -> None:
        """Fetch the files that are not there."""
        paths = self._paths()
        if all(map(os.path.isfile, paths)):
            return
        maker = getattr(paddle.vision.datasets, self.folder)
        Path(self.raw_folder).mkdir(parents=True, exist_ok=True)
        for mode, pair in (("train", paths[:2]), ("test", paths[2:])):
            got = maker(mode=mode, download=True)
            for source, path in zip((got.image_path, got.label_path), pair, strict=True):
                Path(path).write_bytes(gzip.decompress(Path(source).read_bytes()))

    @property
    def raw_folder(self) -> str:
        """Where the files lie."""
        return os.path.join(self.root, self.folder, "raw")  # noqa: PTH118

    @property
    def class_to_idx(self) -> dict[str, int]:
        """The number of each class."""
        return {name: place for place, name in enumerate(self.classes)}

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        image = PillowImage.fromarray(self.data[index].numpy())
        return self.transformed(image, int(self.targets[index]))

    def extra_repr(self) -> str:
        return f"Split: {'Train' if self.train else 'Test'}"

    def __len__(self) -> int:
        return len(self.data)


@torch_named
class TorchFashionMNIST(TorchMNIST):
    """`torchvision.datasets.FashionMNIST`."""

    folder = "FashionMNIST"
    classes = (
        "T-shirt/top",
        "Trouser",
        "Pullover",
        "Dress",
        "Coat",
        "Sandal",
        "Shirt",
        "Sneaker",
        "Bag",
        "Ankle boot",
    )


@torch_named
class TorchFakeData(TorchVisionDataset):
    """`torchvision.datasets.FakeData`: random images, the same ones for the same places."""

    def __init__(
        self,
        size: int = 1000,
        image_size: Any = (3, 224, 224),
        num_classes: int = 10,
        transform: Any = None,
        target_transform: Any = None,
        random_offset: int = 0,
    ) -> None:
        super().__init__(None, None, transform, target_transform)
        self.size = size
        self.num_classes = num_classes
        self.image_size = image_size
        self.random_offset = random_offset

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        if index >= len(self):
            raise IndexError(f"{type(self).__name__} index out of range")
        drawn = numpy.random.default_rng(index + self.random_offset)
        pixels = drawn.standard_normal(self.image_size).astype("float32")
        target = int(drawn.integers(0, self.num_classes))
        return self.transformed(torch_to_pil_image(paddle.to_tensor(pixels)), target)

    def __len__(self) -> int:
        return self.size
