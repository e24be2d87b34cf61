"""Jobs of a proof: rules' own cases, and the entries of torch's databases."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

from workbench.proof.snippet import Result
from workbench.targets import EXACT, PLAIN, STYLES
from workbench.upstream.facts import load as load_facts

Kind = Literal["cases", "operator", "module", "optimizer", "example"]


@dataclass(frozen=True, slots=True)
class Job:
    """One job: a rule with its cases, an operator, module or optimizer of torch, or an example.

    Attributes:
        kind: the kind of job.
        name: the name of the rule, of the database entry, or of the documented object.
        rules: the rules that it exercises.
        styles: the styles to run it in; samples of torch's databases run in the exact style.
    """

    kind: Kind
    name: str
    rules: tuple[str, ...]
    styles: tuple[str, ...] = STYLES


def catalogue(target: str) -> list[Job]:
    """Return every job; those of the databases come first, as they take longest. Imports torch."""
    from workbench.proof.samples import examples, modules, operators
    from workbench.targets import load

    exact = (EXACT,)
    jobs = [Job("optimizer", name, (name,), exact) for name in modules.optimizer_names()]
    jobs += [Job("module", name, (name,), exact) for name in modules.names()]
    jobs += [
        Job("operator", name, tuple(sorted(operators.rules_of(name))), exact)
        for name in operators.names()
    ]
    jobs += [
        Job("example", name, (load_facts().canonical(name),), exact) for name in examples.names()
    ]
    jobs += [Job("cases", rule.name, (rule.name,)) for rule in load(target).rules if rule.cases]
    return jobs


def jobs_of_rules(jobs: Iterable[Job], chosen: Mapping[str, set[str]]) -> Iterator[Job]:
    """Yield the jobs that exercise a chosen rule, each restricted to the styles that chose it."""
    for job in jobs:
        styles = tuple(style for style in job.styles if chosen.get(style, set()) & set(job.rules))
        if styles:
            yield replace(job, styles=styles)


def trials(job: Job, target: str, share: float) -> Iterator[tuple[str, Callable[[], Result]]]:
    """Yield each trial of a job: its text, to report if the trial hangs, and its function."""
    from workbench.proof.cases import cases_of, prove_case, prove_plainly, prove_variant
    from workbench.proof.samples import examples, modules, operators
    from workbench.proof.samples.variants import variants
    from workbench.proof.trial import attempt
    from workbench.targets import load

    plain = load(target, PLAIN)
    if job.kind == "cases" and PLAIN in job.styles:
        rule = plain.rules.get(job.name)
        for case in cases_of(rule, plain) if rule is not None else ():
            yield case, partial(prove_plainly, job.name, case, target=target)
    if EXACT not in job.styles or EXACT not in plain.styles:
        return
    exact = load(target, EXACT)
    if job.kind == "cases":
        rule = exact.rules.get(job.name)
        for case in rule.cases if rule is not None else ():
            yield case, partial(prove_case, job.name, case, target=exact)
            for form, text in variants(job.name, case):
                yield text, partial(prove_variant, job.name, form, text, target=exact)
        return
    make = {
        "operator": operators.snippets,
        "module": modules.snippets,
        "optimizer": modules.optimizer_snippets,
        "example": examples.snippets,
    }[job.kind]
    rules = exact.rules
    for snippet in make(job.name, share):
        if rules.get(snippet.rule) is not None:
            yield snippet.source(), partial(attempt, snippet, exact)
