"""Images resized to a single row, which Paddle samples elsewhere than torch does."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional

from workbench.capture import capture
from workbench.compare.nodes.comparison import compare_nodes
from workbench.lower import lower


class Resized(torch.nn.Module):
    def __init__(self, **options: object) -> None:
        super().__init__()
        self.options = options

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return functional.interpolate(x, **self.options) * 2


@pytest.mark.parametrize(
    "options",
    [
        {"size": (1, 5), "mode": "bilinear"},
        {"scale_factor": (1.3, 2.1), "mode": "bilinear"},
        {"size": (5, 5), "mode": "bicubic"},
    ],
)
def test_images_are_resized_as_torch_resizes_them(options: dict[str, object]) -> None:
    x = torch.arange(12.0).reshape(1, 1, 3, 4)
    assert compare_nodes(lower(capture(Resized(**options).eval(), (x,))), (x,)).equal
