"""The share of the samples that is run."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from workbench.proof.samples import modules, operators
from workbench.proof.snippet import Snippet


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (operators.snippets, "add"),
        (modules.snippets, "torch.nn.Linear"),
        (modules.optimizer_snippets, "torch.optim.SGD"),
    ],
)
def test_a_share_of_zero_still_runs_the_fewest(
    make: Callable[[str, float], Iterator[Snippet]], name: str
) -> None:
    few = sum(1 for _ in make(name, 0))
    assert 0 < few <= sum(1 for _ in make(name, 1))
