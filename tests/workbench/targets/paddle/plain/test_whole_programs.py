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


@pytest.mark.parametrize(
    "line",
    ["a[:, 0] * 2 + k[:, 0]", "k[1:].t() - a[1:].t()", "p(k) == a", "p(k[0]) < a[0]", "p(a) >= k"],
)
def test_an_array_of_whole_numbers_meets_floating_point(line: str) -> None:
    assert_prints_the_same(
        "import numpy as np\nimport torch\n\ndef p(x):\n    return x\n\n"
        "arrays = {'k': np.arange(6).reshape(2, 3), 'a': np.ones((2, 3))}\n"
        "k, a = torch.from_numpy(arrays['k']), torch.from_numpy(arrays['a']).float()\n"
        f"print(({line}).tolist())\n"
    )


def test_an_array_meets_what_is_computed_from_it_as_it_is() -> None:
    code = assert_prints_the_same(
        "import numpy as np\nimport torch\n\ndef scaled(array):\n    x = torch.from_numpy(array)\n"
        "    y = (x - x.mean(0)) / x.std(0)\n    return (y[1:] - y[:-1]).tolist()\n"
        "\nprint(scaled(np.arange(6.0).reshape(3, 2) ** 2))\n"
    )
    assert "torch_" not in code


@pytest.mark.parametrize(
    "context",
    [
        "torch.autocast('cpu', enabled=False)",
        "torch.amp.autocast(device_type='cuda', dtype=torch.float16) if on else torch.no_grad()",
        "torch.cuda.amp.autocast(enabled=on)",
        "torch.cpu.amp.autocast(enabled=on)",
    ],
)
def test_a_context_of_mixed_precision_is_entered_more_than_once(context: str) -> None:
    assert_prints_the_same(
        f"import torch\non = False\ncontext = {context}\nx = torch.ones(2, 2)\n"
        "for step in range(2):\n    with context:\n        y = x @ x\n"
        "with context:\n    with context:\n        y = y @ x\n"
        "print(y.tolist(), torch.is_grad_enabled())\n"
    )
