"""Check of the rules against an older version of the target: `python -m workbench.proof.older`.

Run it with the older version installed; arguments are prefixes of names. Rules with failing cases
are recorded by name, with whether all of their cases fail or only some. A conversion for that
version then refuses or reports them. Samples from torch's databases run only with the newest
version.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from pathlib import Path

from rich.console import Console
from rich.progress import track

from workbench.proof.cases import prove_case
from workbench.proof.jobs import Job
from workbench.proof.snippet import UNREPORTED, Result
from workbench.proof.worker import Worker
from workbench.targets import DEFAULT, EXACT, load


def own_cases(job: Job, target: str, share: float) -> Iterator[tuple[str, Callable[[], Result]]]:
    """Yield a rule's own cases as they are written, without their variants."""
    rule = load(target).rules.get(job.name)
    for case in rule.cases if rule is not None else ():
        yield case, partial(prove_case, job.name, case, target=load(target, EXACT))


def failing(spec: str, prefixes: tuple[str, ...] = ()) -> dict[str, str]:
    """Return `all` or `some` for every rule with a case that fails in this target."""
    rules = [
        rule
        for rule in load(spec).rules
        if rule.cases and (not prefixes or rule.name.startswith(prefixes))
    ]
    worker = Worker(spec, make=own_cases)
    found = {}
    for rule in track(rules, f"Proving with {spec}", console=Console(stderr=True)):
        held = [
            result.outcome not in UNREPORTED
            for result in worker.run(Job("cases", rule.name, (rule.name,)))
        ]
        if not all(held):
            found[rule.name] = "some" if any(held) else "all"
    worker.stop()
    return found


def main(prefixes: list[str]) -> int:
    """Prove with the installed version, and record the rules that fail."""
    name = DEFAULT
    place: Path = import_module(f"workbench.targets.{name}").OLDER
    version = load(name).version
    known = json.loads(place.read_text(encoding="utf-8")) if place.exists() else {}
    before = known.pop(version, {})
    # Without the record of this version, its rules convert, so that they can be tried.
    _write(place, known)
    found = failing(f"{name}=={version}", tuple(prefixes))
    kept = {
        rule: share
        for rule, share in before.items()
        if prefixes and not rule.startswith(tuple(prefixes))
    }
    _write(place, known | {version: kept | found})
    print(f"{name} {version}: {len(found)} rules do not hold in all of their cases")
    return 0


def _write(place: Path, known: dict[str, dict[str, str]]) -> None:
    text = json.dumps(known, indent=0, sort_keys=True)
    place.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
