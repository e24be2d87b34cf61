"""Small models and ports in other forms, with their inputs and training."""

from __future__ import annotations

from pathlib import Path

from workbench.verify.result import Check, Verification
from workbench.verify.scripts.verification import verify_scripts
from workbench.verify.sides.task import Asked
from workbench.verify.verification import verify_files

ORIGINAL = """
import torch
from torch import nn
from torch.nn import functional as F

def batch(step):
    g = torch.Generator().manual_seed(step)
    return torch.randn(3, 8, 6, generator=g), torch.randint(0, 4, (3,), generator=g)

def loss(outputs, labels):
    return F.cross_entropy(outputs, labels)

def optimizer(model):
    return torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
"""
PORT = """
import paddle
from paddle import nn
from paddle.nn import functional as F

def loss(outputs, labels):
    return F.cross_entropy(outputs, labels)

def optimizer(model):
    return paddle.optimizer.Momentum(0.1, 0.9, parameters=model.parameters())
"""


def verify(folder: Path, original: str, port: str, *maps: str) -> Verification:
    """Verify the class Net of a port against its original, on 3 by 8 by 6 numbers."""
    files = folder / "original.py", folder / "port.py"
    files[0].write_text(ORIGINAL + original)
    files[1].write_text(PORT + port)
    asked = Asked(batch="batch", loss="loss", optimizer="optimizer", steps=3, maps=maps)
    names = [f"{file}:Net" for file in files]
    return verify_files(names[0], names[1], asked, "paddle", lambda what: None)


def verify_changed(
    folder: Path, form: tuple[str, str], right: str, wrong: str
) -> tuple[Verification, list[int], int]:
    """Verify a changed port; return also the reported lines, and the line of the change."""
    original, port = form
    found = verify(folder, original, port.replace(right, wrong))
    text = (folder / "port.py").read_text()
    lines = [int(where.port.rpartition(":")[2]) for where in found.places]
    return found, lines, text[: text.index(wrong)].count("\n") + 1


def verify_training(folder: Path, original: str, port: str, steps: int) -> Verification:
    """Hold the training of one script's text against that of another."""
    files = folder / "train.py", folder / "port.py"
    files[0].write_text(original)
    files[1].write_text(port)
    return verify_scripts(*files, Asked(steps=steps), "paddle", lambda what: None)


def check_of(found: Verification, name: str) -> Check:
    """Return the only check with these words in its name."""
    (check,) = (check for check in found.checks if name in check.name)
    return check
