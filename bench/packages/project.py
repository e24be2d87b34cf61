"""A package's code in a folder: installed, cut to what is wanted, and converted."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from bench.packages.recipes import SCRIPT, Package
from workbench.convert.configuration.settings import settings_for
from workbench.convert.project.file_job import Order
from workbench.convert.project.runner import convert_path
from workbench.convert.report.report import Report

FOLDER = Path("build/programs")
PEER = "paconvert==3.3.1"
_PATIENCE = 300  # seconds, for installing the peer and for each of its conversions
_CODE = {".py", ".json", ".yaml", ".yml", ".txt", ".npy", ".npz", ".pth", ".csv"}
_LEFT_OUT = ("bin", "tests", "test", "docs", "examples", "__pycache__")


def installed(requirement: str) -> Path:
    """Return the folder of a package, which is installed once, without its dependencies."""
    place = FOLDER / "packages" / requirement
    if not place.exists():
        fresh = place.with_name(f".{requirement}")
        shutil.rmtree(fresh, ignore_errors=True)
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-compile"]
        done = subprocess.run(
            [*command, "--no-build-isolation", "--target", fresh, requirement],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(f"{requirement}: {done.stderr.strip()[-300:]}")
        fresh.rename(place)
    return place


def source(package: Package) -> Path:
    """Return a folder with the package's code, converted dependencies, and the recipes."""
    place = (FOLDER / package.name / "torch").resolve()
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    for requirement in (package.requirement, *package.converted):
        folder = installed(requirement)
        for file in sorted(folder.rglob("*")):
            path = file.relative_to(folder)
            if file.is_file() and _wanted(path, package.only):
                (place / path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(file, place / path)
    (place / f"{SCRIPT}.py").write_text(package.script(), encoding="utf-8")
    return place


def _wanted(path: Path, only: list[str]) -> bool:
    top = path.parts[0]
    if path.suffix not in _CODE or top.endswith((".dist-info", ".egg-info")) or top in _LEFT_OUT:
        return False
    return not only or any(path == Path(one) or Path(one) in path.parents for one in only)


def converted(package: Package, original: Path) -> tuple[Path, Report]:
    """Return the folder converted in the default style, and the converter's report."""
    place = (FOLDER / package.name / "paddle").resolve()
    shutil.rmtree(place, ignore_errors=True)
    settings = settings_for(original)
    order = Order(settings.target, settings, force=True, helpers=settings.helpers)
    return place, convert_path(original, place, order, workers=1)


def by_peer(package: Package, original: Path) -> Path | None:
    """Return the folder as converted by PaConvert, without its marks; None after a timeout."""
    place = (FOLDER / package.name / "peer").resolve()
    shutil.rmtree(place, ignore_errors=True)
    command = [sys.executable, "-m", "paconvert.main", "-i", original, "-o", place]
    environment = os.environ | {"PYTHONPATH": str(peer())}
    try:
        subprocess.run(
            command, env=environment, capture_output=True, check=False, timeout=_PATIENCE
        )
    except subprocess.TimeoutExpired:
        return None
    for file in place.rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        file.write_text(text.replace(">>>>>>", ""), encoding="utf-8")
    return place if place.exists() else None


def peer() -> Path:
    """Return the folder in which PaConvert is installed, with its dependencies."""
    place = (FOLDER / "packages" / PEER).resolve()
    if not place.exists():
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--target", place, PEER]
        subprocess.run(command, check=True, timeout=_PATIENCE)
    return place


def dependencies(package: Package) -> list[Path]:
    """Return the folders of the package's dependencies that are not converted."""
    return [installed(requirement).resolve() for requirement in package.installed]


def content(folder: Path) -> str:
    """Return a hash of the code in a folder."""
    found = hashlib.sha256()
    for file in sorted(folder.rglob("*")):
        if file.is_file() and file.suffix in _CODE:
            found.update(str(file.relative_to(folder)).encode() + b"\0" + file.read_bytes())
    return found.hexdigest()


def recipes_file(package: Package) -> Path:
    """Return the path of the recipes for the processes of both sides."""
    file = (FOLDER / package.name / "recipes.json").resolve()
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps([vars(one) for one in package.recipes]), encoding="utf-8")
    return file
