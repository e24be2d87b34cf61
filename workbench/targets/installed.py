"""Whether a Python has the frameworks that both sides run in; nothing is imported for it."""

from __future__ import annotations

import sys
from importlib.util import find_spec

from workbench.errors import TorchferryError
from workbench.targets import BY_GRAPH, NAMES, load


def check_installed(spec: str) -> None:
    """Refuse to run both sides without their frameworks.

    Raises:
        TorchferryError: torch or the target is not installed.
    """
    missing = missing_packages(spec)
    if missing:
        raise TorchferryError(lacking(missing))


def missing_packages(spec: str) -> list[str]:
    """The packages of both frameworks that are not installed, as PyPI calls them."""
    modules = ("torch", spec.partition("==")[0].strip())
    return [one for module in modules if not find_spec(module) and (one := package_of(module))]


def package_of(module: str) -> str | None:
    """The package of a framework's module, as PyPI calls it; None for another module."""
    name = module.partition(".")[0]
    if name in NAMES:
        return load(name).packages["torch"]
    return name if name in ("torch", *BY_GRAPH) else None


def lacking(packages: list[str]) -> str:
    """Say what is not installed, and what to do."""
    return (
        f"{sys.executable} lacks {' and '.join(packages)}, in which both sides run;"
        f" install it there (pip install {' '.join(packages)}), or select another interpreter"
    )
