"""Implementation of `torchferry prove --rules`: proof of a project's own rules."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import asdict
from functools import partial
from pathlib import Path

from rich.console import Console

from workbench.errors import TorchferryError
from workbench.proof.jobs import Job
from workbench.proof.snippet import UNREPORTED, Outcome, Result
from workbench.proof.worker import Worker, run_all
from workbench.targets import PLAIN, load
from workbench.targets.own import read
from workbench.terminal import print_message

_BAD = frozenset({*UNREPORTED, Outcome.LACKS})


def trials(
    file: Path, style: str, job: Job, spec: str, share: float
) -> Iterator[tuple[str, Callable[[], Result]]]:
    """Yield the cases of a project's own rule, and these in other forms."""
    from workbench.proof.cases import prove_case, prove_variant
    from workbench.proof.samples.variants import variants

    own = read(spec, file)
    rule = own.target.rules.get(job.name)
    target, prelude = load(own.target, style), own.prelude
    for case in rule.cases if rule is not None else ():
        yield case, partial(prove_case, job.name, case, target=target, prelude=prelude)
        for form, text in variants(job.name, case, own.target.facts):
            run = partial(prove_variant, job.name, form, text, target=target, prelude=prelude)
            yield text, run


def prove(
    file: Path,
    names: tuple[str, ...],
    spec: str,
    *,
    style: str = PLAIN,
    jobs: int | None = None,
    as_json: bool = False,
) -> int:
    """Prove the rules of a project's module in one style; all rules without names.

    Returns:
        0 if every rule is in force and has cases, and these hold; else 1.

    Raises:
        TorchferryError: there is no such file, or no rule in it has such a name.
    """
    if not file.is_file():
        raise TorchferryError(f"{file}: no such file; name the module of your own rules")
    own = read(spec, file.resolve())
    for problem in own.problems:
        print_message(problem)
    rules = [rule for rule in own.rules if not names or _is_named(rule.name, names)]
    if names and not rules:
        raise TorchferryError(f"{file}: no rule in it is called {' or '.join(names)}")
    wanted = [Job("cases", rule.name, (rule.name,)) for rule in rules if rule.cases]
    count = min(jobs or os.cpu_count() or 1, len(wanted))
    make = partial(trials, file.resolve(), style)
    results: list[Result] = []
    for _, found in run_all(wanted, [Worker(spec, make=make) for _ in range(count)]):
        results += found
    results.sort(key=lambda one: one.rule)
    wrong = [one for one in results if one.outcome in _BAD or _is_lost(one)]
    bare = [rule.name for rule in rules if not rule.cases and rule.refusal is None]
    if as_json:
        print(json.dumps([asdict(one) for one in results], indent=1))
    else:
        _print_results(results, wrong, bare, len(rules))
    return 1 if wrong or bare or own.problems else 0


def _is_named(name: str, wanted: tuple[str, ...]) -> bool:
    return any(f"{name}.".startswith(f"{one}.") for one in wanted)


def _is_lost(result: Result) -> bool:
    return result.form == "case" and result.outcome != Outcome.EQUAL and result.reported is None


def _print_results(results: list[Result], wrong: list[Result], bare: list[str], rules: int) -> None:
    console = Console(highlight=False, soft_wrap=True)
    for one in wrong:
        console.print(f"[red]{one.rule}[/red] ({one.form}) {one.outcome}: {one.detail}")
        console.print("    " + one.source.strip().splitlines()[-1], markup=False)
    for name in bare:
        console.print(f"{name}: no cases, so nothing proves it; give the rule some")
    equal = sum(one.outcome == Outcome.EQUAL for one in results)
    tried = sum(one.outcome != Outcome.SKIPPED for one in results)
    apart = sum(one.reported is not None for one in results)
    rest = f"; {apart} differ as reported, or the target raises" if apart else ""
    console.print(f"{rules} own rules; {equal} of {tried} cases and forms of them are equal{rest}")
