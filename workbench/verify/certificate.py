"""A verification's result as a certificate, for repeating it and reporting changes."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import torch

from workbench.targets import imports
from workbench.verify.checks.judging import ROUNDING
from workbench.verify.result import Verification
from workbench.verify.sides.seeds import SEED
from workbench.version import __version__


def certificate_of(
    found: Verification, original: str, port: str, asked: dict[str, Any], target: str
) -> dict[str, Any]:
    """Return the certificate as plain data."""
    return {
        **found.as_dict(),
        "sides": {"original": _side(original), "port": _side(port)},
        "asked": asked,
        "target": target,
        "versions": _versions(target),
        "device": f"cpu ({platform.machine()})",
        "seed": SEED,
        "rounding": ROUNDING,
    }


def changes(earlier: dict[str, Any], now: dict[str, Any]) -> Iterator[str]:
    """Yield a sentence for each difference between an earlier certificate and the present one."""
    for side, recorded in earlier["sides"].items():
        if recorded["sha256"] != now["sides"][side]["sha256"]:
            yield f"the {side} has changed: {recorded['place']}"
    for name, version in earlier.get("versions", {}).items():
        other = now["versions"].get(name)
        if version != other:
            yield f"{name} was {version} and is {other}"
    before = {check["name"]: check["outcome"] for check in earlier.get("checks", [])}
    after = {check["name"]: check["outcome"] for check in now["checks"]}
    for name in {**before, **after}:
        if before.get(name) != after.get(name):
            yield f"{name}: {before.get(name, 'not run')} before, {after.get(name, 'not run')} now"


def _side(place: str) -> dict[str, str]:
    named = place.partition("(")[0].rpartition(":")[0]
    file = Path(named or place)
    known = hashlib.sha256(file.read_bytes()).hexdigest() if file.is_file() else ""
    return {"place": place, "sha256": known}


def _versions(target: str) -> dict[str, str]:
    return {
        "torchferry": __version__,
        "python": platform.python_version(),
        "torch": torch.__version__,
        **{name: str(import_module(name).__version__) for name in imports(target)},
    }
