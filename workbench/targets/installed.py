"""Checks that a Python installation has the frameworks of both sides, without importing them."""

from __future__ import annotations

import sys
from importlib.util import find_spec

from workbench.errors import TorchferryError
from workbench.targets import NAMES, load


def check_installed(spec: str) -> None:
    """Raise an error if a framework of either side is missing.

    Raises:
        TorchferryError: torch or the target is not installed.
    """
    missing = missing_packages(spec)
    if missing:
        raise TorchferryError(lacking(missing))


def missing_packages(spec: str) -> list[str]:
    """Return the packages of both frameworks that are not installed, by their names on PyPI."""
    modules = ("torch", spec.partition("==")[0].strip())
    return [one for module in modules if not find_spec(module) and (one := package_of(module))]


def package_of(module: str) -> str | None:
    """Return the PyPI package of a framework's module, or None for another module."""
    name = module.partition(".")[0]
    if name in NAMES:
        return load(name).packages["torch"]
    return name if name == "torch" else None


def lacking(packages: list[str]) -> str:
    """Return a message that names the missing packages and the remedy."""
    return (
        f"{sys.executable} does not have {' and '.join(packages)}, needed to run both"
        f" sides; install it there (pip install {' '.join(packages)}), or select another"
        " interpreter"
    )
