"""Datasets of torchvision."""

from __future__ import annotations

from workbench.rules.rule import RuleSet
from workbench.upstream.facts import load
from workbench.words import words

rules = RuleSet()

_D = "torchvision.datasets"
_MEMBERS = frozenset(
    words(
        "classes class_to_idx samples targets imgs loader extensions data root train "
        "transform transforms target_transform __getitem__ __len__ raw_folder size "
        "num_classes image_size random_offset base_folder filename tgz_md5 url download"
    )
)


def _dataset(name: str, *, caveat: str | None = None) -> None:
    """Add the rules of a dataset and its attributes."""
    rules.counterpart(f"{_D}.{name}", f"Torch{name}", caveat=caveat)
    for one in sorted(load().inside(f"{_D}.{name}")):
        if one.rpartition(".")[2] in _MEMBERS:
            rules.keep(one)


_dataset("ImageFolder")
_dataset("DatasetFolder")
_MIRROR = "it downloads from Paddle's mirror instead of torchvision's"
for _name in ("MNIST", "FashionMNIST"):
    _dataset(_name, caveat=_MIRROR)
for _name in ("10", "100"):
    _dataset(f"CIFAR{_name}", caveat=_MIRROR)
_dataset("FakeData", caveat="its random images differ from torchvision's")
