"""Writes to all of a tensor, which may have no dimensions: `x[...] = y`."""

from __future__ import annotations

import pytest

import workbench
from tests.workbench.targets.paddle.both_sides import TARGET, assert_prints_the_same


@pytest.mark.frameworks
@pytest.mark.parametrize("write", ["c[...] = w * 3", "c[()] = w.view(1) * 3", "c[...] += w"])
@pytest.mark.parametrize("dtype", ["torch.float32", "torch.float64"])
def test_a_tensor_is_written_to_one_without_dimensions(write: str, dtype: str) -> None:
    text = f"""import torch
w = torch.tensor(2.0, dtype={dtype}, requires_grad=True)
c = torch.tensor(1.0, dtype={dtype})
{write}
c.backward()
print(float(c), float(w.grad))
"""
    assert "TorchPlaces(c)[" in assert_prints_the_same(text)


@pytest.mark.parametrize("write", ["c[...] = 7", "c[:] = w", "x[...] = 0", "x[0] = w"])
def test_other_writes_stay_without_a_finding(write: str) -> None:
    text = (
        f"import torch\nw = torch.tensor(2.0)\nc = torch.tensor(1.0)\nx = torch.ones(3)\n{write}\n"
    )
    conversion = workbench.convert(text, target=TARGET)
    assert write in conversion.code
    assert not any("no dimensions" in one.message for one in conversion.findings)


@pytest.mark.parametrize("write", ["t[...] = s", "t[()] = s", "t.grad[...] = s.sum()"])
def test_a_write_to_a_tensor_of_unknown_dimensions_is_reported(write: str) -> None:
    text = f"import torch\ndef f(t: torch.Tensor, s: torch.Tensor):\n    {write}\n"
    conversion = workbench.convert(text, target=TARGET)
    assert f"    {write}\n" in conversion.code
    assert [one.code for one in conversion.findings if "no dimensions" in one.message] == ["TF119"]
