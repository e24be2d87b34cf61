"""Large models are verified in single precision, with what is large on disk."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from workbench.verify.sides import shelf, sides
from workbench.verify.sides.shelf import Shelf
from workbench.verify.sides.task import Asked
from workbench.verify.verification import verify_files

PORTS = Path(__file__).parent / "ports"


def test_a_shelf_gives_copies_back_and_cleans_up() -> None:
    large, small = torch.randn(200, 200), torch.ones(3, dtype=torch.float64)
    held = Shelf([("large", large), ("small", small), ("none", None)])
    [place] = [value for value in held._held.values() if isinstance(value, Path)]
    before = large.clone()
    large.zero_()
    assert torch.equal(held["large"] if held["large"] is not None else large, before)
    assert held["small"] is not None and held["small"].dtype == torch.float64
    assert held["none"] is None and list(held) == ["large", "small", "none"]
    del held
    assert not place.exists()


@pytest.mark.parametrize("name", ["mlp", "encoder"])
def test_a_large_port_is_certified_in_single_precision(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sides, "_LARGE", 10)
    monkeypatch.setattr(shelf, "_LARGE", 0)
    original, port = f"{PORTS}/{name}_torch.py:Net", f"{PORTS}/{name}_port.py:Net"
    found = verify_files(original, port, Asked(), report=lambda _: None)
    assert found.certified, found.as_dict()
    assert not found.precise
