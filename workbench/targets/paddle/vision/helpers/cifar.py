"""The CIFAR datasets, in the folders that torchvision keeps them in."""

from __future__ import annotations

import hashlib
import io
import pickle
import tarfile
from pathlib import Path
from typing import Any

import numpy
import paddle
from PIL import Image as PillowImage

from workbench.targets.paddle.modules.helpers.class_names import torch_named
from workbench.targets.paddle.vision.helpers.datasets import TorchVisionDataset


class TorchArrayUnpickler(pickle.Unpickler):
    """Reads what a pickle holds of plain values and arrays, and nothing that could run."""

    def find_class(self, module: str, name: str) -> Any:
        """What makes arrays, under the names that old files and new ones have for it."""
        known = {"_reconstruct", "scalar", "ndarray", "dtype", "encode"}
        homes = ("numpy", "_codecs", "numpy.core.multiarray", "numpy._core.multiarray")
        if module in homes and name in known:
            return super().find_class(module, name)
        raise pickle.UnpicklingError(f"{module}.{name} is no part of a dataset")


def torch_unpickled(content: bytes) -> Any:
    """A pickle of Python 2 with arrays in it."""
    return TorchArrayUnpickler(io.BytesIO(content), encoding="latin1").load()


@torch_named
class TorchCIFAR10(TorchVisionDataset):
    """`torchvision.datasets.CIFAR10`: its files where torchvision keeps them, under `root`.

    What is to be downloaded comes from Paddle's mirror, into the same place.
    """

    base_folder = "cifar-10-batches-py"
    url = "https://www.cs.toronto.edu/~kriz/cifar-10-python.tar.gz"
    filename = "cifar-10-python.tar.gz"
    tgz_md5 = "c58f30108f718f92721af3b95e74349a"
    train_list: Any = (
        ["data_batch_1", "c99cafc152244af753f735de768cd75f"],
        ["data_batch_2", "d4bba439e000b95fd0a9bffe97cbabec"],
        ["data_batch_3", "54ebc095f3ab1f0389bbae665268c751"],
        ["data_batch_4", "634d18415352ddfa80567beed471001a"],
        ["data_batch_5", "482c414d41f54cd18b22e5b47cb7c3cb"],
    )
    test_list: Any = (["test_batch", "40351d587109b95175f43aff81a1287e"],)
    meta: Any = (
        ("filename", "batches.meta"),
        ("key", "label_names"),
        ("md5", "5ff9c542aee3614f3951f8cda6e48888"),
    )
    source = "Cifar10"

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
        if download:
            self.download()
        if not self.is_whole():
            raise RuntimeError(
                "Dataset not found or corrupted. You can use download=True to download it"
            )
        parts = [torch_unpickled(self.content(name)) for name, _ in self.parts(train)]
        pixels = numpy.vstack([part["data"] for part in parts]).reshape(-1, 3, 32, 32)
        self.data = pixels.transpose(0, 2, 3, 1)
        key = "labels" if "labels" in parts[0] else "fine_labels"
        self.targets = [target for part in parts for target in part[key]]
        about = dict(self.meta)
        self.classes = torch_unpickled(self.content(about["filename"]))[about["key"]]
        self.class_to_idx = {name: place for place, name in enumerate(self.classes)}

    def parts(self, train: bool) -> list[Any]:
        """The names of the files and their checksums."""
        return list(self.train_list if train else self.test_list)

    def content(self, name: str) -> bytes:
        """The bytes of a file."""
        return Path(self.root, self.base_folder, name).read_bytes()

    def is_whole(self) -> bool:
        """Whether every file is there, and is what it should be."""
        about = dict(self.meta)
        for name, md5 in (*self.parts(True), *self.parts(False), (about["filename"], about["md5"])):
            if not Path(self.root, self.base_folder, name).is_file():
                return False
            if hashlib.md5(self.content(name)).hexdigest() != md5:
                return False
        return True

    def download(self) -> None:
        """Bring the files in where they are not there yet."""
        if self.is_whole():
            return
        got = getattr(paddle.vision.datasets, self.source)(mode="test", download=True)
        Path(self.root).mkdir(parents=True, exist_ok=True)
        with tarfile.open(got.data_file) as archive:
            archive.extractall(self.root, filter="data")

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        return self.transformed(PillowImage.fromarray(self.data[index]), self.targets[index])

    def extra_repr(self) -> str:
        return f"Split: {'Train' if self.train else 'Test'}"

    def __len__(self) -> int:
        return len(self.data)


@torch_named
class TorchCIFAR100(TorchCIFAR10):
    """`torchvision.datasets.CIFAR100`."""

    base_folder = "cifar-100-python"
    url = "https://www.cs.toronto.edu/~kriz/cifar-100-python.tar.gz"
    filename = "cifar-100-python.tar.gz"
    tgz_md5 = "eb9058c3a382ffc7106e4002c42a8d85"
    train_list = (["train", "16019d7e3df5f24257cddd939b257f8d"],)
    test_list = (["test", "f0ef6b0ae62326f3e7ffdfab6717acfc"],)
    meta = (
        ("filename", "meta"),
        ("key", "fine_label_names"),
        ("md5", "7973b15100ade9c7d40fb424638fde48"),
    )
    source = "Cifar100"
