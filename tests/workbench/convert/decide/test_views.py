"""In-place writes into views: gradients of the whole ignore them, and that is reported."""

from __future__ import annotations

import pytest

from tests.workbench.exact import convert

_HEAD = "import torch\nt = torch.zeros(2, 3)\n"


@pytest.mark.parametrize(
    "code",
    [
        "v = t[0]\nv[0].mul_(2)",
        "v = t[0]\nv.mul_(2)",
        "v = t.view(-1)\nv.add_(1)",
        "t.t().zero_()",
        "v = t[0]\nv[1] = 3.0",
        "v = t.view(-1)\nv[torch.tensor([0, 2])] = 3.0",
        "v = t[:1]\nv *= 2",
        "t.view(-1)[:2] = 3.0",
        "v = t[1]\nv[:2] += 1",
        "def f(rows):\n    rows[0].mul_(2)",  # a list of tensors, or the rows of one
    ],
)
def test_a_write_into_a_view_says_that_gradients_do_not_know_of_it(code: str) -> None:
    assert any(
        "gradients ignore an in-place write" in one.message
        for one in convert(_HEAD + code).findings
    )


@pytest.mark.parametrize(
    "code",
    [
        "t.mul_(2)",
        "t = t.view(-1)\nt.add_(1)",  # the whole has no name any more
        "v = t[t > 0]\nv.mul_(2)",  # picked values are copies
        "v = t.data[0]\nv.mul_(2)",
        "v = t.exp()[0]\nv.mul_(2)",
        "t[0] = 3.0",
        "t[0].mul_(2)",
        "t = t.view(-1)\nt[0] = 3.0\nt *= 2",
        "v = torch.zeros(3, dtype=torch.int64)[1:]\nv[0] = 3",
        "k = t > 0\nv = k[0]\nv[1] = True",
        "held = [t]\nheld[0].mul_(2)",
        "def f(state):\n    state['mean'].mul_(2)",
    ],
)
def test_other_writes_are_not_warned_of(code: str) -> None:
    found = convert(_HEAD + code).findings
    assert not any("gradients ignore an in-place write" in one.message for one in found)


@pytest.mark.parametrize(
    "line",
    [
        "t[:, 1:][i] = 3",
        "v = t.t()\nv[i] = 3",
        "v, w = t.chunk(2, 1)\nv[i] = 3",
        "v = t[:, ::2]\nv[i, 1:] += 3  # kept",
        "t.select(1, 0)[t[:, 0] > 2], u = 3, 4",
    ],
)
def test_places_picked_in_a_view_with_gaps_are_written_by_a_helper(line: str) -> None:
    converted = convert(f"{_HEAD}i = torch.tensor([0, 1])\n{line}\n").code
    assert "TorchPlaces(" in converted.splitlines()[-1]


@pytest.mark.parametrize(
    "line",
    ["t[i] = 3", "t[1:][i] = 3", "t[:, 1:][0] = 3", "t[0, i] = 3", "v = t.t().clone()\nv[i] = 3"],
)
def test_other_places_are_written_as_they_are(line: str) -> None:
    converted = convert(f"{_HEAD}i = torch.tensor([0, 1])\n{line}\n").code
    assert converted.splitlines()[-1] == line.splitlines()[-1]
