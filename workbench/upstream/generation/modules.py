"""The public modules of the installed torch."""

from __future__ import annotations

import contextlib
import importlib
import io
import pkgutil
import sys
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final
from unittest.mock import MagicMock

import torch

from workbench.words import words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# Modules that user code does not call: tests, build tools, and abandoned ones.
_LEFT_OUT: Final = frozenset(
    words(
        "torch.bin torch.contrib torch.distributed.flight_recorder torch.nativert torch.numa "
        "torch.test torch.utils.benchmark.examples torch.utils.benchmark.op_fuzzers "
        "torch.utils.bottleneck torch.utils.hipify"
    )
)
# Modules that other modules export in spite of their underscore.
_OPENED: Final = frozenset({"torch.nn._reduction"})


def public_modules() -> dict[str, ModuleType]:
    """Return the importable modules of torch without an underscore, and those in `_OPENED`."""
    stand_in = _TensorBoard()
    sys.meta_path.insert(0, stand_in)
    try:
        # Some modules print which dependencies they lack.
        with contextlib.redirect_stdout(io.StringIO()):
            return {"torch": torch, **dict(_below(torch))}
    finally:
        sys.meta_path.remove(stand_in)


def _below(package: ModuleType) -> Iterator[tuple[str, ModuleType]]:
    for info in pkgutil.iter_modules(_path_of(package), f"{package.__name__}."):
        hidden = info.name.rpartition(".")[2].startswith("_") and info.name not in _OPENED
        if info.name in _LEFT_OUT or hidden:
            continue
        try:
            module = importlib.import_module(info.name)
        except Exception:
            # Parts of torch require packages or hardware that are missing here.
            continue
        yield info.name, module
        if info.ispkg:
            yield from _below(module)


def _path_of(package: ModuleType) -> list[str]:
    # Settings objects that replace a module may raise an error.
    try:
        return list(package.__path__)
    except AttributeError:
        return []


class _TensorBoard(MetaPathFinder, Loader):
    """A fake tensorboard, which torch.utils.tensorboard only wraps.

    It also replaces an installed tensorboard, so that the result is the same everywhere.
    """

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname.partition(".")[0] != "tensorboard":
            return None
        return ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _AnyAttribute(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        pass


class _AnyAttribute(ModuleType):
    __version__ = "2"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return MagicMock()
