"""Torch's documented examples as snippets, and what comes of some of them."""

from __future__ import annotations

import pytest
import torch

from workbench.proof.jobs import Job, trials
from workbench.proof.samples import examples
from workbench.proof.snippet import Snippet


def _only(name: str) -> Snippet:
    (snippet,) = examples.snippets(name)
    return snippet


def test_random_inputs_become_the_numbers_that_were_drawn() -> None:
    source = _only("torch.cat").source()
    assert "randn" not in source
    assert "x = t0" in source
    assert not _only("torch.cat").undefined


def test_layers_get_weights_that_both_sides_know() -> None:
    snippet = _only("torch.nn.Linear")
    assert "m.load_state_dict(" in snippet.body
    assert not snippet.undefined


def test_the_function_that_draws_is_compared_by_shape() -> None:
    snippet = _only("torch.randn")
    assert "torch.randn(" in snippet.body
    assert snippet.undefined


def test_settings_of_an_example_are_restored() -> None:
    assert _only("torch.set_default_dtype").after == "torch.set_default_dtype(torch.float32)"
    assert torch.get_default_dtype() is torch.float32


def test_numbers_that_are_drawn_without_a_tensor_are_no_sample() -> None:
    assert not list(examples.snippets("torch.utils.data.WeightedRandomSampler"))


@pytest.mark.parametrize(
    "name",
    [
        "torch.cat",
        "torch.Tensor.register_post_accumulate_grad_hook",
        "torch.nn.Identity",
        "torch.nn.Linear",
        "torch.nn.functional.one_hot",
    ],
)
def test_documented_examples_give_the_same(name: str) -> None:
    ((_, run),) = trials(Job("example", name, (name,)), "paddle", 1.0)
    result = run()
    assert result.outcome == "equal", f"{result.detail}\n{result.source}\n{result.converted}"
