"""Small programs as people write them, whose two sides print the same."""

from __future__ import annotations

import pytest

from tests.workbench.targets.paddle.plain.both_sides import assert_prints_the_same

IMPORTS = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"


@pytest.mark.parametrize(
    "sampler",
    [
        "BatchSampler(SequentialSampler(range(6)), 2, drop_last=False)",
        "BatchSampler(sampler=SequentialSampler(x), batch_size=4, drop_last=True)",
        "SequentialSampler(x)",
    ],
)
def test_rows_are_picked_by_the_places_that_a_sampler_gives(sampler: str) -> None:
    assert_prints_the_same(
        "import torch\nfrom torch.utils.data import BatchSampler, SequentialSampler\n"
        f"x = torch.arange(12).view(6, 2)\nfor places in {sampler}:\n"
        "    print(x[places].tolist(), x[:, 1][places].tolist())\n"
    )
