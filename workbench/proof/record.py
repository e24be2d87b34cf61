"""The record of proofs: which rules held, on how many cases, with which versions."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

from workbench.proof.cases import CaseResult
from workbench.targets import Target


@dataclass(slots=True)
class Record:
    """What was run.

    Attributes:
        versions: of the two frameworks that the cases ran in.
        held: for each rule, how many of its cases gave the same on both sides.
        failed: for each rule with a failure, the first case and what differed.
    """

    versions: dict[str, str] = field(default_factory=dict)
    held: dict[str, int] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)

    def add(self, result: CaseResult) -> None:
        """Count one case."""
        if result.problem is None:
            self.held[result.rule] = self.held.get(result.rule, 0) + 1
        else:
            self.failed.setdefault(result.rule, f"{result.case}: {result.problem}")

    def merge(self, newer: Record, rules: Iterable[str]) -> None:
        """Replace what is known of these rules."""
        for name in rules:
            self.held.pop(name, None)
            self.failed.pop(name, None)
        self.held |= newer.held
        self.failed |= newer.failed
        self.versions = newer.versions


def empty(target: Target) -> Record:
    """A record of nothing, with the versions that are installed."""
    names = ("torch", target.packages["torch"])
    return Record({name: version(name).partition("+")[0] for name in names})


def path_of(target: Target) -> Path:
    """Where the record of a target is kept."""
    return Path(__file__).parent.parent / "targets" / target.name / "proof.json"


def read(target: Target) -> Record:
    """The committed record; an empty one where there is none."""
    path = path_of(target)
    if not path.exists():
        return Record()
    data = json.loads(path.read_text(encoding="utf-8"))
    return Record(data["versions"], data["held"], data["failed"])


def write(target: Target, record: Record) -> None:
    """Write the record, sorted, so that changes read well."""
    data = {"versions": record.versions, "held": record.held, "failed": record.failed}
    text = json.dumps(data, indent=0, sort_keys=True)
    path_of(target).write_text(text + "\n", encoding="utf-8")
