"""Values that are a number in some calls and a tensor in others."""

from __future__ import annotations

import pytest

from tests.workbench.targets.paddle.both_sides import assert_prints_the_same

HEAD = """
import torch
class Shift:
    def __init__(self, by):
        self.by = by
    def apply(self, p):
        {change}
        return p
"""


@pytest.mark.parametrize(
    "change",
    [
        "p.add_(self.by)",
        "p.subtract_(self.by)",
        "p.multiply_(self.by).divide_(self.by + 1)",
        "p += self.by",
        "by = self.by\n        p.sub_(by)",
    ],
)
@pytest.mark.parametrize("order", [("2", "t"), ("t", "2")])
def test_an_attribute_that_may_be_either_changes_a_tensor(
    change: str, order: tuple[str, str]
) -> None:
    calls = "".join(f"print(Shift({by}).apply(torch.ones(2)).tolist())\n" for by in order)
    assert_prints_the_same(f"{HEAD.format(change=change)}t = torch.tensor([1.0, 2.0])\n{calls}")


def test_a_cast_by_type_is_a_tensor_of_that_dtype() -> None:
    code = assert_prints_the_same(
        "import torch\n"
        "def grow(c):\n    c += 1\n"
        "x = torch.arange(4.0)\ny = x.type(torch.long)\nz = x.type(dtype=torch.int32)\n"
        "grow(y)\nprint((y * x).tolist(), (x - z).tolist(), x.type(torch.bool).tolist())\n"
    )
    assert "paddle.assign(c + 1, c)" in code
