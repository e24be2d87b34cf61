"""The model that a command line names, and the parts of its training."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from workbench.errors import TorchferryError
from workbench.targets.installed import check_installed

# The file of FILE:NAME; a path on Windows also contains a colon.
_FILE = re.compile(r"(.+?\.(?:py|ipynb))(?::|$)")


@dataclass(frozen=True)
class ModelRequest:
    """The model that a command line names, the inputs of its call, the target and the device."""

    place: str
    inputs: tuple[str, ...]
    dynamic: tuple[str, ...]
    train: bool
    target: str
    device: str = "cpu"

    def check(self) -> None:
        """Refuse an impossible request before a framework is imported, which takes seconds.

        Raises:
            TorchferryError: the file is missing, or a framework is not installed.
        """
        check_place(self.place)
        check_installed(self.target)


@dataclass(frozen=True)
class Training:
    """The names of a training's parts in the model's file; empty ones are not given."""

    batch: str = ""
    loss: str = ""
    optimizer: str = ""

    @property
    def asked(self) -> bool:
        """Return whether they are given.

        Raises:
            TorchferryError: some of them are, without the others.
        """
        given = [bool(self.batch), bool(self.loss), bool(self.optimizer)]
        if any(given) and not all(given):
            raise TorchferryError("training needs all of --batch, --loss and --optimizer")
        return all(given)


def check_place(place: str) -> None:
    """Refuse FILE:NAME if the file does not exist.

    Raises:
        TorchferryError: that is so.
    """
    file = _FILE.match(place)
    if file is not None and not Path(file[1]).exists():
        raise TorchferryError(f"{file[1]}: no such file; write FILE:NAME, such as model.py:net")
