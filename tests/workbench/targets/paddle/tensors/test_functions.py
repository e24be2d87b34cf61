"""Functions of several tensors in plain code."""

from __future__ import annotations

import pytest

import workbench
from tests.workbench.targets.paddle.both_sides import assert_prints_the_same


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


@pytest.mark.parametrize(
    "written",
    [
        "x.amax(dim=-1, keepdims=True)",
        "x.amin(axis=0, keepdims=True)",
        "torch.amax(x, axis=-1, keepdims=True)",
        "x.softmax(axis=-1)",
        "torch.sort(x, axis=0, descending=True)[0]",
        "x.sort(axis=-1)[1].float()",
    ],
)
def test_names_of_parameters_that_torch_takes_from_numpy(written: str) -> None:
    assert_prints_the_same(
        f"import torch\nx = torch.linspace(-1, 2, 6).reshape(2, 3)\nprint(({written}).tolist())\n"
    )


@pytest.mark.parametrize("length", [1, 6, 7])
@pytest.mark.parametrize("written", ["x.chunk(n)", "torch.chunk(x, n, dim=-1)", "x.chunk(2 + n)"])
def test_a_count_of_chunks_need_not_divide_the_length(written: str, length: int) -> None:
    assert_prints_the_same(
        "import torch\ndef parts(x: torch.Tensor, n):\n"
        f"    return [list(one.shape) for one in {written}]\n"
        f"for n in (1, 2, 4, 100):\n    print(parts(torch.zeros({length}, {length}), n))\n"
    )
