"""`python -m workbench.proof [NAME-PREFIX ...]`: prove rules, keep the record, write the pages.

Cases run in a worker process that is watched: one that hangs or crashes ends that worker alone.
"""

from __future__ import annotations

import sys
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from workbench.proof import coverage, record
from workbench.proof.worker import Worker
from workbench.rules.rule import Rule
from workbench.targets import load

_TARGET = "paddle"


def main(prefixes: list[str]) -> int:
    """Prove the rules whose names begin so, all without any; 1 where one does not hold."""
    target = load(_TARGET)
    chosen: list[Rule] = [
        rule
        for rule in target.rules
        if rule.cases and (not prefixes or rule.name.startswith(tuple(prefixes)))
    ]
    fresh = record.empty(target)
    console = Console()
    worker = Worker(target.name)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TimeElapsedColumn(), console=console) as progress:
        task = progress.add_task("Proving", total=sum(len(rule.cases) for rule in chosen))
        for rule in chosen:
            for case in rule.cases:
                fresh.add(worker.prove(rule.name, case))
                progress.advance(task)
    worker.stop()
    known = record.read(target)
    known.merge(fresh, [rule.name for rule in chosen] if prefixes else list(known.held))
    record.write(target, known if prefixes else fresh)
    coverage.write(target, record.read(target), Path("docs/coverage"))
    for name, problem in sorted(fresh.failed.items()):
        console.print(f"[red]{name}[/red] {problem}", highlight=False)
    held = sum(fresh.held.values())
    console.print(f"{len(chosen)} rules, {held} cases hold, {len(fresh.failed)} rules do not")
    return 1 if fresh.failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
