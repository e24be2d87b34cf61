"""Fresh weights of both sides, held against each other as distributions."""

from __future__ import annotations

import torch

from workbench.verify.checks.fresh import fresh_weights, samples_of
from workbench.verify.pairing.bound import Pair
from workbench.verify.result import Outcome

PAIRS = [Pair(("a",), ("b",))]


def test_the_same_distribution_is_no_difference() -> None:
    for seed in range(20):
        torch.manual_seed(seed)
        ours, theirs = ({name: torch.rand(40, 30)} for name in "ab")
        check = fresh_weights(PAIRS, samples_of(ours), samples_of(theirs), {})
        assert check.outcome is Outcome.AGREES


def test_another_bound_is_reported() -> None:
    check = fresh_weights(PAIRS, {"a": torch.rand(1000)}, {"b": torch.rand(1000) * 1.5}, {})
    assert check.outcome is Outcome.REPORTED
    assert check.summary.startswith("made otherwise: a spreads by 0.4")


def test_constants_are_compared_as_they_are() -> None:
    ones, zeros = torch.ones(3), torch.zeros(3)
    assert fresh_weights(PAIRS, {"a": ones}, {"b": ones}, {}).outcome is Outcome.AGREES
    check = fresh_weights(PAIRS, {"a": torch.rand(3)}, {"b": zeros}, {})
    assert check.outcome is Outcome.REPORTED
    assert "a is 0, in torch spreads by" in check.summary


def test_a_table_of_whole_numbers_that_would_be_hidden_by_carrying_differs() -> None:
    ours, theirs = {"a": torch.tensor([0, 10, 17])}, {"b": torch.tensor([0, 10, 7])}
    held = samples_of(ours), samples_of(theirs)
    check = fresh_weights(PAIRS, *held, {"a": True})
    assert check.outcome is Outcome.DIFFERS
    assert "a has other values" in check.summary
    same = samples_of({"b": ours["a"]})
    assert fresh_weights(PAIRS, held[0], same, {"a": True}).outcome is Outcome.AGREES


def test_another_table_of_floats_is_reported() -> None:
    table = torch.linspace(-1, 1, 50)
    check = fresh_weights(PAIRS, {"a": table}, {"b": table.flip(0)}, {"a": False})
    assert check.outcome is Outcome.REPORTED
    assert "a has other values, which are copied from the original" in check.summary


def test_zeros_in_place_of_a_table_wait_for_a_file() -> None:
    table = torch.linspace(-1, 1, 50)
    check = fresh_weights(PAIRS, {"a": table}, {"b": torch.zeros(50)}, {"a": True})
    assert check.outcome is Outcome.REPORTED
