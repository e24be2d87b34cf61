"""Contexts of mixed precision that are made by a `functools.partial`."""

from __future__ import annotations

import pytest

import workbench
from workbench.targets import load

_HEAD = "import torch\nfrom functools import partial\n"


@pytest.mark.parametrize("style", ["plain", "exact"])
@pytest.mark.parametrize(
    ("written", "converted"),
    [
        ("torch.autocast, device_type='cpu'", "paddle.amp.auto_cast"),
        ("torch.autocast, 'cuda', torch.float16", "paddle.amp.auto_cast, dtype=paddle.float16"),
        ("torch.amp.autocast, 'cpu', enabled=False", "paddle.amp.auto_cast, enable=False"),
        ("torch.cuda.amp.autocast, enabled=False", "paddle.amp.auto_cast, enable=False"),
    ],
)
def test_each_call_of_a_partial_makes_a_context(written: str, converted: str, style: str) -> None:
    source = f"{_HEAD}amp = partial({written})\nwith amp():\n    pass\nwith amp():\n    pass\n"
    conversion = workbench.convert(source, target=load("paddle", style))
    assert not conversion.unconverted
    assert f"amp = partial({converted})\n" in conversion.code
    exec(conversion.code, {})


def test_keywords_of_later_calls_are_reported_beside_the_difference() -> None:
    source = f"{_HEAD}amp = partial(torch.autocast, 'cpu')\n"
    messages = [one.message for one in workbench.convert(source).findings]
    assert [one for one in messages if "results are float32" in one and "later calls" in one]
