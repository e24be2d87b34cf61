"""Which jobs are run for the rules that are chosen, and in which style."""

from __future__ import annotations

from workbench.proof.jobs import Job, jobs_of_rules, trials
from workbench.targets import EXACT, PLAIN

CASES = Job("cases", "torch.relu", ("torch.relu",))
SAMPLES = Job("operator", "relu", ("torch.relu", "torch.Tensor.relu"), (EXACT,))


def test_one_style_runs_only_the_rules_chosen_for_it() -> None:
    def found(**chosen: set[str]) -> list[tuple[str, tuple[str, ...]]]:
        return [(job.kind, job.styles) for job in jobs_of_rules([CASES, SAMPLES], chosen)]

    both = {"torch.relu"}
    assert found(plain=both) == [("cases", (PLAIN,))]
    assert found(exact=both) == [("cases", (EXACT,)), ("operator", (EXACT,))]
    assert found(plain=both, exact=set()) == [("cases", (PLAIN,))]
    assert found(plain={"torch.sum"}, exact={"torch.sum"}) == []


def test_the_cases_of_the_plain_style_are_run_once_and_in_no_other_form() -> None:
    (job,) = jobs_of_rules([CASES], {PLAIN: {"torch.relu"}})
    texts = [text for text, _ in trials(job, "paddle", 1.0)]
    assert "torch.relu(x)" in texts and len(texts) == len(set(texts))
    every = [text for text, _ in trials(CASES, "paddle", 1.0)]
    assert len(every) >= 2 * len(texts)  # and in the exact style


def test_a_target_without_the_exact_style_runs_the_plain_cases() -> None:
    texts = [text for text, _ in trials(CASES, "jax", 1.0)]
    assert "torch.relu(x)" in texts and len(texts) == len(set(texts))
    assert list(trials(SAMPLES, "jax", 1.0)) == []
