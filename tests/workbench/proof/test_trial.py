"""Snippets run on both sides: what equal, refused, wrong and failing look like."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator

import numpy as np
import pytest
import torch

from tests.workbench.exact import TARGET as EXACT
from workbench.convert.conversion import Conversion
from workbench.proof import trial
from workbench.proof.cases import prove_variant
from workbench.proof.distribution import alike
from workbench.proof.jobs import Job
from workbench.proof.recording.record import Entry
from workbench.proof.samples.sample_spelling import Setup, UnwritableError
from workbench.proof.snippet import Result, Snippet
from workbench.proof.trial import attempt
from workbench.proof.values import difference
from workbench.proof.worker import Worker

SETUP = "t0 = torch.tensor([[3.0, 1.0], [2.0, 5.0]], dtype=torch.float32, requires_grad=True)"


def outcome(body: str, **more: object) -> Result:
    snippet = Snippet("torch.sum", "positional", "float32", SETUP, body, **more)  # type: ignore[arg-type]
    return attempt(snippet, EXACT)


def converting_to(monkeypatch: pytest.MonkeyPatch, old: str, new: str) -> None:
    """Let the engine make a mistake."""
    real = trial.convert

    def mistaken(source: str, *, target: str) -> Conversion:
        conversion = real(source, target=target)
        assert old in conversion.code
        conversion.code = conversion.code.replace(old, new)
        return conversion

    monkeypatch.setattr(trial, "convert", mistaken)


def test_agreeing_values_have_equal_gradients() -> None:
    result = outcome("result = torch.sum(t0, dim=1)", leaves=("t0",))
    assert result.outcome == "equal"
    assert "backward" in result.source or result.source == ""


def test_calls_that_torch_refuses_are_not_forms() -> None:
    assert outcome("result = torch.sum(t0, unheard_of=1)").outcome == "skipped"
    assert outcome("result = t0.__pow__(other=t0)").outcome == "skipped"


def test_a_case_in_a_form_that_torch_refuses_is_left_out_with_the_reason() -> None:
    result = prove_variant("torch.Tensor.max", "defaults given", "x.max(keepdim=False)")
    assert result.outcome == "skipped"
    assert result.detail.startswith("torch: TypeError")
    entry = Entry()
    entry.add(result)
    assert entry.left_out == 1 and not entry.counts


def test_a_refusal_gives_its_reason() -> None:
    result = outcome("result = torch.sum(t0)\nt0.register_hook(print)\nt0.storage_type()")
    assert result.outcome == "refused"
    assert "storage" in result.detail


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("axis=1", "axis=0", "elements differ"),
        ("axis=1", "axis=1, keepdim=True", "shape"),
        ("axis=1", "axis=1, dtype='float64'", "dtype float64 instead of float32"),
        ("paddle.sum(t0", "paddle.sum(t0.detach()", "requires_grad False"),
    ],
)
def test_differences_are_found(
    monkeypatch: pytest.MonkeyPatch, old: str, new: str, words: str
) -> None:
    converting_to(monkeypatch, old, new)
    result = outcome("result = torch.sum(t0, dim=1)")
    assert result.outcome == "wrong"
    assert words in result.detail


def test_a_wrong_gradient_is_found_behind_a_right_value(monkeypatch: pytest.MonkeyPatch) -> None:
    converting_to(monkeypatch, "paddle.sum(t0", "paddle.sum(t0 * 2 - t0.detach()")
    result = outcome("result = torch.sum(t0, dim=1)", leaves=("t0",))
    assert result.outcome == "wrong"
    assert result.detail.startswith("gradient: ")


def test_no_gradient_and_one_of_zeros_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    body = "result = torch.linalg.norm(t0.flatten(), 0)"
    assert outcome(body, leaves=("t0",)).outcome == "equal"
    converting_to(monkeypatch, "result = ", "result = (t0 - t0.detach()).sum() + ")
    assert outcome(body, leaves=("t0",)).detail.startswith("gradient: ")


def test_an_error_only_in_the_target_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    converting_to(monkeypatch, "axis=1", "unheard_of=1")
    result = outcome("result = torch.sum(t0, dim=1)")
    assert result.outcome == "fails"
    assert "too many arguments" in result.detail


def test_random_results_are_compared_by_their_distribution(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    body = "result = torch.rand(400)"
    assert outcome(body, random=True).outcome == "equal"
    converting_to(monkeypatch, "paddle.rand", "paddle.randn")
    result = outcome(body, random=True)
    assert result.outcome == "wrong"
    assert "another distribution" in result.detail


def test_a_shift_of_a_distribution_is_reported_and_chance_is_not() -> None:
    draw = np.random.default_rng(0).random
    same = [torch.tensor(draw(300)) for _ in range(24)]
    assert alike(same[:12], same[12:]) is None
    assert alike(same[:12], [each + 0.3 for each in same[12:]]) is not None


def test_rounding_and_nan_make_no_other_distribution() -> None:
    values = np.array([0.25, 3.0, np.nan, np.inf])
    mine = [torch.tensor(values) for _ in range(12)]
    assert alike(mine, [torch.tensor(values * (1 + 1e-7)) for _ in range(12)]) is None
    assert alike(mine, [torch.tensor(values * 1.1) for _ in range(12)]) is not None


def test_values_that_are_drawn_together_count_as_one_draw() -> None:
    draw = np.random.default_rng(0).random
    same = [torch.full((300,), draw()) for _ in range(24)]
    assert alike(same[:12], same[12:]) is None


def test_rounding_is_allowed_as_far_as_torch_itself_rounds() -> None:
    import paddle

    mine, theirs = torch.tensor([1.0, 100.0]), paddle.to_tensor([1.0, 100.001])
    assert difference(mine, theirs) is not None
    precise = torch.tensor([1.0, 100.0005], dtype=torch.float64)
    assert difference(mine, theirs, precise) is None
    assert difference(mine, paddle.to_tensor([1.0, 100.1]), precise) is not None


def test_inputs_are_written_as_a_person_would_write_them() -> None:
    setup = Setup()
    wide = torch.tensor([[1.5, 2.0], [3.0, 4.0]], requires_grad=True)
    names = [setup.spell(wide), setup.spell(wide), setup.spell(torch.zeros(0, 3))]
    assert names == ["t0", "t0", "t1"]
    assert setup.lines[0] == (
        "t0 = torch.tensor([[1.5, 2.0], [3.0, 4.0]], dtype=torch.float32, requires_grad=True)"
    )
    assert setup.arrays["t1_data"].shape == (0, 3)
    assert setup.spell((1, float("inf"), torch.int64)) == '(1, float("inf"), torch.int64)'
    with pytest.raises(UnwritableError, match="Linear"):
        setup.spell(torch.nn.Linear(1, 1))


def test_the_database_gives_methods_in_place_forms_and_every_dtype() -> None:
    # Here and below: the database takes seconds to import, in each worker that collects this file.
    from workbench.proof.samples import operators

    found = list(operators.snippets("sigmoid", 0.3))
    rules = {"torch.Tensor.sigmoid", "torch.Tensor.sigmoid_", "torch.special.expit"}
    assert rules <= {snippet.rule for snippet in found} | {"torch.special.expit"}
    assert {"float32", "float64", "int64", "bool", "bfloat16"} <= {one.dtype for one in found}
    assert any("out=" in snippet.body for snippet in found)


@pytest.mark.parametrize("name", ["sparse.sampled_addmm", "chalf", "to_sparse"])
def test_operators_of_sparse_tensors_and_narrow_numbers_have_samples(name: str) -> None:
    from workbench.proof.samples import operators

    assert isinstance(list(operators.snippets(name, 0.1)), list)


def test_the_database_does_not_freeze_the_backends() -> None:
    torch.backends.cudnn.benchmark = torch.backends.cudnn.benchmark


def hostile(job: Job, target: str, share: float) -> Iterator[tuple[str, Callable[[], Result]]]:
    """Yield trials of which the second ends its process and the third never ends."""

    def fine() -> Result:
        return Result(job.name, "positional", "", "equal")

    def crash() -> Result:
        os._exit(1)

    def hang() -> Result:
        time.sleep(600)
        return fine()

    yield from (("one", fine), ("two", crash), ("three", hang), ("four", fine))


@pytest.mark.thorough  # three processes that import both frameworks
def test_a_crash_and_a_hang_cost_one_trial_each() -> None:
    worker = Worker("paddle", make=hostile, patience=8)
    try:
        results = list(worker.run(Job("operator", "sum", ("torch.sum",))))
    finally:
        worker.stop()
    assert [one.outcome for one in results] == ["equal", "hangs", "hangs", "equal"]
    assert [one.source for one in results[1:3]] == ["two", "three"]
    assert "ended" in results[1].detail
    assert "no answer within 8 s" in results[2].detail
