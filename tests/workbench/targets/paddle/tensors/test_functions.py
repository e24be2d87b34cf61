"""Functions of several tensors in plain code."""

from __future__ import annotations

import pytest

import workbench


@pytest.mark.parametrize(
    ("lines", "count"),
    [
        ("def join(parts):\n    return torch.cat(parts, dim=1)\n", 1),
        ("from other import pieces\ny = torch.cat(pieces())\n", 1),
        ("def join(a, b):\n    return torch.cat([a, b])\n", 0),
        (
            "def join(loader):\n    found = []\n    for x in loader:\n        found.append(x)\n"
            "    return torch.cat(found)\n",
            0,
        ),
    ],
)
def test_lists_that_come_from_elsewhere_may_have_several_dtypes(lines: str, count: int) -> None:
    findings = workbench.convert(f"import torch\n{lines}").findings
    assert sum("several dtypes in the list" in one.message for one in findings) == count
