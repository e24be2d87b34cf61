"""Expressions nested deeper than Python follows: told, never passed over."""

from __future__ import annotations

import pytest

import workbench

DEEP = "import torch\nx = " + "torch.abs(a) + " * 2000 + "1\n"


def test_a_check_says_that_uses_may_be_hidden() -> None:
    found = workbench.check(DEEP)
    assert found[0].code == "TF000"
    assert "nested too deeply" in found[0].message


def test_a_conversion_is_refused() -> None:
    with pytest.raises(workbench.TorchferryError, match=r"a\.py: .* nested too deeply"):
        workbench.convert(DEEP, filename="a.py")
