"""Converted expressions get the brackets that they need, and no others."""

from __future__ import annotations

import pytest

from workbench.convert.conversion import convert

PRELUDE = "import torch\ndef f(x: torch.Tensor, n: int):\n    "


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("x[x.le(-1)] = 0", "x[x <= -1] = 0"),
        ("return x.mul(3) + x.sub(2) * x.add(1)", "return x * 3 + (x - 2) * (x + 1)"),
        ("return 1 - x.sub(3)", "return 1 - (x - 3)"),
        ("return -torch.pow(x, n)", "return -x ** n"),
        ("return torch.pow(x.sub(1), n) ** n", "return ((x - 1) ** n) ** n"),
        ("return x.ge(1) & x.lt(2)", "return (x >= 1) & (x < 2)"),
        ("return ~x.gt(1)", "return ~(x > 1)"),
        ("return x.mul(2)[0]", "return (x * 2)[0]"),
        ("return x.requires_grad and n > 1", "return not x.stop_gradient and n > 1"),
        ("return x.requires_grad == n", "return (not x.stop_gradient) == n"),
        ("return not x.requires_grad", "return x.stop_gradient"),
        ("return n or not x.requires_grad", "return n or x.stop_gradient"),
        ("if not x.requires_grad: pass", "if x.stop_gradient: pass"),
        ("x.requires_grad = not n", "x.stop_gradient = bool(n)"),
        ("x.requires_grad = n != 3", "x.stop_gradient = n == 3"),
        ("x.requires_grad = n is not None", "x.stop_gradient = n is None"),
        ("x.requires_grad = not (n > 3)", "x.stop_gradient = not (not (n > 3))"),
        ("if x.requires_grad: pass", "if not x.stop_gradient: pass"),
        (
            "return [p for p in [x] if p.requires_grad]",
            "return [p for p in [x] if not p.stop_gradient]",
        ),
        ("return lambda: x.requires_grad", "return lambda: not x.stop_gradient"),
        ("return x.requires_grad if n else 0", "return not x.stop_gradient if n else 0"),
        ("return 2 * x.mul(1\n        + n)", "return 2 * (x * (1\n        + n))"),
    ],
)
def test_brackets(line: str, expected: str) -> None:
    assert convert(PRELUDE + line + "\n").code.rstrip().endswith(expected)
