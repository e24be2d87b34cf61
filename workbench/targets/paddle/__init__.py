"""PaddlePaddle as a target."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from workbench.errors import UnknownTargetError
from workbench.rules.rule import Registry, RuleSet
from workbench.targets import Target
from workbench.targets.helpers import HelperLibrary
from workbench.upstream.facts import load

VERSIONS = ("3.0", "3.1", "3.2", "3.3")


def target(version: str | None) -> Target:
    """Paddle in the version that the user names, or in the newest that rules exist for."""
    short = ".".join((version or VERSIONS[-1]).split(".")[:2])
    if short not in VERSIONS:
        raise UnknownTargetError(
            f"paddle {version} is not supported; write one of: "
            + ", ".join(f"paddle=={known}" for known in VERSIONS)
        )
    return Target(
        name="paddle",
        title="Paddle",
        module="paddle",
        version=short,
        rules=_registry(),
        helpers=_helpers(),
        packages={"torch": "paddlepaddle", "torchvision": "paddlepaddle"},
        modules={"einops.layers.torch": "einops.layers.paddle"},
        no_kernel=r"kernel_key\.backend\(\)|kernel .* is not registered|not support data type"
        r"|data type of '?\w+'? (in .* )?must be",
    )


@cache
def _helpers() -> HelperLibrary:
    folder = Path(__file__).parent / "helpers"
    return HelperLibrary(sorted(folder.glob("[!_]*.py")))


@cache
def _registry() -> Registry:
    """Every module in `rules/` holds one `rules`, a RuleSet."""
    package = f"{__name__}.rules"
    sets: list[RuleSet] = []
    for module in iter_modules([str(Path(__file__).parent / "rules")]):
        sets.append(import_module(f"{package}.{module.name}").rules)
    return Registry(sets, load())
