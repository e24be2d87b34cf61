"""Implementation of `torchferry prove`, with a progress bar, a record and pages."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from workbench.errors import TorchferryError
from workbench.proof.jobs import Job, jobs_of_rules
from workbench.proof.recording import record
from workbench.proof.recording.digest import changed_rules, digest, plain_digest
from workbench.proof.recording.record import Record
from workbench.proof.snippet import PLAIN_CASE, UNREPORTED, Outcome, Result
from workbench.proof.worker import Worker, run_all
from workbench.targets import EXACT, PLAIN, Target, load
from workbench.upstream.facts import load as load_facts

_MOST = 40  # failures to print
_REASONS = 5  # reasons for skipped forms to print


def prove(
    names: tuple[str, ...],
    spec: str,
    *,
    style: str | None = None,
    share: float = 1.0,
    jobs: int | None = None,
    write: Path | None = None,
    changed: bool = False,
    as_json: bool = False,
) -> int:
    """Prove the rules of these names or namespaces, or all rules.

    Args:
        names: torch names; `torch.fft` includes all names below it.
        spec: the target, with a version if needed.
        style: the only style to run, `plain` or `exact`; None runs both.
        share: the share of the full number of samples.
        jobs: the number of processes; by default one per core.
        write: the folder of the generated pages, if these and the record are to be written.
        changed: skip rules that have not changed since the record was written, per style.
        as_json: print every result instead of a summary.

    Returns:
        0 if nothing differs without a finding, else 1.
    """
    target = load(spec)
    chosen = dict.fromkeys((style,) if style else target.styles, _chosen(target, names))
    if changed:
        known = record.read(target.name)
        chosen = {
            each: rules & changed_rules(target, known, each) for each, rules in chosen.items()
        }
    workers = [Worker(target.name, share) for _ in range(jobs or os.cpu_count() or 1)]
    console = Console(stderr=True, highlight=False)
    fresh = record.empty(target)
    results: list[Result] = []
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(
        *columns, TimeElapsedColumn(), console=console, disable=not console.is_terminal
    ) as progress:
        task = progress.add_task("Reading torch's databases", total=None)
        wanted = list(jobs_of_rules(workers[0].catalogue(), chosen))
        progress.update(task, total=len(wanted), description="Proving")
        for job, found in run_all(wanted, workers):
            kept = [one for one in found if one.rule in chosen.get(_style_of(one), ())]
            results += kept
            for one in kept:
                fresh.add(one)
            progress.update(task, advance=1, description=_shortened(job))
        progress.update(task, description="Proving")
    for name, entry in fresh.rules.items():
        rule = target.rules.get(name)
        if rule is not None:
            entry.digest, entry.plain.digest = digest(rule, target), plain_digest(rule, target)
    if write is not None:
        unknown = {one.rule for one in results if one.lacks_package}
        _written(target, fresh, {each: rules - unknown for each, rules in chosen.items()}, write)
    if as_json:
        print(json.dumps([asdict(one) for one in results], indent=1))
    else:
        _print_results(fresh, results, Console(highlight=False))
    return 0 if all(entry.holds for entry in fresh.rules.values()) else 1


def _chosen(target: Target, names: Iterable[str]) -> set[str]:
    """Return the rules of these names and of all names below them, or every rule without names."""
    wanted = [load_facts().canonical(name) for name in names]
    every = {rule.name for rule in target.rules}
    if not wanted:
        return every
    found = {name for name in every for one in wanted if name == one or name.startswith(f"{one}.")}
    for given, one in zip(names, wanted, strict=True):
        if not any(name == one or name.startswith(f"{one}.") for name in found):
            raise TorchferryError(
                f"{given}: {target.title} has no rule for it; write a torch name in full, such as"
                " torch.cat or torch.nn.functional"
            )
    return found


def _style_of(result: Result) -> str:
    return PLAIN if result.form == PLAIN_CASE else EXACT


def _shortened(job: Job) -> str:
    name = job.name if len(job.name) < 40 else f"…{job.name[-39:]}"
    return f"{name:<40}"


def _written(target: Target, fresh: Record, chosen: Mapping[str, set[str]], folder: Path) -> None:
    from workbench.proof.recording import coverage

    known = record.read(target.name)
    known.merge(fresh, chosen)
    for name in known.rules.keys() - {rule.name for rule in target.rules}:
        del known.rules[name]
    record.write(target.name, known)
    coverage.write(target, known, folder)


def _print_results(fresh: Record, results: list[Result], console: Console) -> None:
    """Print the differences, then the totals."""
    wrong = [one for one in results if one.outcome in UNREPORTED or _is_lost(one)]
    for one in wrong[:_MOST]:
        console.print(f"[red]{one.rule}[/red] ({one.form}) {one.outcome}: {one.detail}")
        for line in one.source.strip().splitlines()[-1:]:
            console.print(f"    {line}", markup=False)
    if len(wrong) > _MOST:
        console.print(f"… and {len(wrong) - _MOST} more; --json prints all of them")
    total = fresh.totals()
    cases = sum(entry.cases for entry in fresh.rules.values())
    plain = sum((entry.plain.counts for entry in fresh.rules.values()), Counter())
    if plain:
        words = ", ".join(f"{count} {outcome}" for outcome, count in plain.most_common())
        console.print(f"{plain.total()} cases in the plain style: {words}")
    if cases:
        console.print(f"{cases} cases of {len(fresh.rules)} rules hold in the exact style")
    counted = sum(total.values())
    if counted:
        words = ", ".join(f"{count} {outcome}" for outcome, count in total.most_common())
        console.print(f"{counted} samples: {words} ({total['equal'] / counted:.1%} equal)")
    reasons = Counter(_reason(one) for one in results if one.outcome == Outcome.SKIPPED)
    if reasons:
        console.print(f"{reasons.total()} more are left out, since torch does not take them:")
    for reason, count in reasons.most_common(_REASONS):
        console.print(f"    {count} × {reason}", markup=False)
    if len(reasons) > _REASONS:
        console.print(f"    … and {len(reasons) - _REASONS} other reasons; --json prints all")


def _reason(skipped: Result) -> str:
    """Return why a form was skipped, without the numbers that vary from form to form."""
    return re.sub(r"\d+(\.\d+)?", "N", skipped.detail)[:100]


def _is_lost(result: Result) -> bool:
    return result.form == "case" and result.outcome != Outcome.EQUAL
