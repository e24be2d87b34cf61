"""Results that Paddle's gradients need, changed in place; torch's gradients need the arguments."""

from __future__ import annotations

import pytest

from tests.workbench.targets.paddle.both_sides import assert_prints_the_same

_HEAD = """\
import torch
import torch.nn as nn
import torch.nn.functional as F
x = torch.arange(64.).reshape(1, 2, 4, 8).sin().requires_grad_()
"""


@pytest.mark.parametrize(
    "made",
    [
        "nn.MaxPool2d(2)(x)",
        "F.avg_pool2d(x, 2)",
        "F.adaptive_avg_pool2d(x, 2)",
        "nn.GroupNorm(2, 2)(x)",
        "nn.CosineSimilarity()(x, x.cos())",
    ],
)
@pytest.mark.parametrize("change", ["y += 1", "y *= torch.full_like(y, 2.0)", "y.mul_(3)"])
def test_gradients_flow_through_a_changed_result(made: str, change: str) -> None:
    text = f"y = {made}\n{change}\n(y ** 3).sum().backward()\nprint(x.grad.abs().sum().item())\n"
    assert_prints_the_same(_HEAD + text)
