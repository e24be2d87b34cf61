"""Real torch code to measure on: packages from PyPI, fetched once and never installed.

A package that pip cannot download is left out, with a line on stderr: the rest is still measured.
"""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from functools import cache
from pathlib import Path

FOLDER = Path("build/wild")
PACKAGES = ("timm==1.0.31", "torchvision==0.29.2")
# Models, losses, optimizers and training code of many authors, small and large.
PLAIN_PACKAGES = (
    "entmax==1.3",
    "lion-pytorch==0.2.5",
    "lpips==0.1.4",
    "nflows==0.14",
    "perceiver-pytorch==0.11.0",
    "pytorch-metric-learning==2.9.0",
    "pytorch-msssim==1.0.0",
    "pytorch-tabnet==4.1.0",
    "segmentation-models-pytorch==0.6.0",
    "tab-transformer-pytorch==0.6.1",
    "timesformer-pytorch==0.4.1",
    "torchdiffeq==0.2.5",
)
_IMPORTS = re.compile(r"^\s*(import|from) torch\b", re.MULTILINE)


def fetch(*packages: str) -> Path:
    """Return the folder of the unpacked sources of these packages."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for package in packages or PACKAGES:
        mark = FOLDER / f".{package}"
        if not mark.exists() and _unpacked(package):
            mark.touch()
    return FOLDER


@cache
def _unpacked(package: str) -> bool:
    """Download and unpack a package; return whether that was possible."""
    wheels = FOLDER / "wheels"
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    done = subprocess.run([*command, "--dest", wheels, package], capture_output=True, check=False)
    if done.returncode:
        print(f"{package} is left out: pip cannot download it", file=sys.stderr)
        return False
    name = package.partition("==")[0].replace("-", "_")
    for wheel in wheels.glob(f"{name}-*.whl"):
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(FOLDER)
    return True


def models(count: int) -> list[Path]:
    """Return model files of timm and torchvision, spread evenly; the same in every run."""
    root = fetch()
    files = sorted([*root.glob("timm/models/*.py"), *root.glob("torchvision/models/**/*.py")])
    step = max(1, len(files) // count)
    return files[::step][:count]


def of_length(lines: int) -> str:
    """Return a real program with models of about this many lines."""
    root = fetch()
    texts = (file.read_text(encoding="utf-8") for file in sorted(root.glob("timm/**/*.py")))
    models = (text for text in texts if "nn.Module)" in text)
    return min(models, key=lambda text: abs(text.count("\n") - lines))


def files_of(*packages: str, longest: int, count: int) -> list[Path]:
    """Return files of these packages that import torch, spread evenly; the same in every run."""
    root = fetch(*packages)
    names = {package.partition("==")[0].replace("-", "_") for package in packages}
    files = [
        file
        for name in sorted(names)
        for file in sorted((root / name).rglob("*.py"))
        if _IMPORTS.search(text := file.read_text(encoding="utf-8", errors="replace"))
        and text.count("\n") <= longest
    ]
    step = max(1, len(files) // count)
    return files[::step][:count]
