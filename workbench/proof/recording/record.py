"""Record of proofs: what was run for each rule, with which versions, and the results.

This module imports neither torch nor a target, as editors use it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from typing import Any

from workbench.proof.recording.plainly import Plainly
from workbench.proof.snippet import PLAIN_CASE, UNREPORTED, Outcome, Result
from workbench.targets import EXACT, PLAIN, Target, evidence

_SHOWN = 120  # characters of a reason


@dataclass(slots=True)
class Entry:
    """Proof of one rule.

    Attributes:
        digest: the exact style's digest when it was run.
        cases: the number of its own cases that hold.
        counts: the number of samples by outcome.
        forms: the forms of the calls.
        dtypes: the dtypes of the samples that are equal.
        lacks: dtypes for which the target has no kernel.
        largest: the largest difference of a float, relative for values above one.
        problems: the first reason for each outcome other than equal.
        left_out: the number of forms that torch itself does not accept.
        plain: the results of its cases in the plain style.
    """

    digest: str = ""
    cases: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    forms: list[str] = field(default_factory=list)
    dtypes: list[str] = field(default_factory=list)
    lacks: list[str] = field(default_factory=list)
    largest: float = 0.0
    problems: dict[str, str] = field(default_factory=dict)
    left_out: int = 0
    plain: Plainly = field(default_factory=Plainly)

    @property
    def samples(self) -> int:
        """The number of samples that are equal, without its own cases."""
        return self.counts[Outcome.EQUAL]

    @property
    def holds(self) -> bool:
        """Return whether nothing differs without a finding."""
        return not any(self.counts[outcome] or self.plain.counts[outcome] for outcome in UNREPORTED)

    def add(self, result: Result) -> None:
        """Add one result."""
        if result.form == PLAIN_CASE:
            self.plain.add(result)
            return
        if result.outcome == Outcome.SKIPPED:
            self.left_out += 1
            return
        if result.outcome == Outcome.EQUAL:
            self.largest = max(self.largest, float(f"{result.largest:.1e}"))
        else:
            detail = " ".join(result.detail.split())
            self.problems.setdefault(result.outcome, detail[:_SHOWN])
        if result.form == "case":
            self.cases += result.outcome == Outcome.EQUAL
            if result.outcome != Outcome.EQUAL:
                self.counts[Outcome.WRONG] += 1
            return
        self.counts[result.outcome] += 1
        form = result.form.rpartition(", ")[2]
        if form not in self.forms:
            self.forms = sorted([*self.forms, form])
        dtypes = {Outcome.EQUAL: self.dtypes, Outcome.LACKS: self.lacks}.get(result.outcome)
        if dtypes is not None and result.dtype and result.dtype not in dtypes:
            dtypes.append(result.dtype)
            dtypes.sort()

    def as_data(self) -> dict[str, Any]:
        """Return data for JSON, without empty values."""
        data = {
            "digest": self.digest,
            "cases": self.cases,
            "counts": dict(sorted(self.counts.items())),
            "forms": ", ".join(self.forms),
            "dtypes": ", ".join(self.dtypes),
            "lacks": ", ".join(self.lacks),
            "largest": self.largest,
            "problems": dict(sorted(self.problems.items())),
            "left_out": self.left_out,
            "plain": self.plain.as_data(),
        }
        return {key: value for key, value in data.items() if value}

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> Entry:
        """Create an instance from JSON data."""
        return cls(
            data.get("digest", ""),
            data.get("cases", 0),
            Counter(data.get("counts", {})),
            data["forms"].split(", ") if "forms" in data else [],
            data["dtypes"].split(", ") if "dtypes" in data else [],
            data["lacks"].split(", ") if "lacks" in data else [],
            data.get("largest", 0.0),
            data.get("problems", {}),
            data.get("left_out", 0),
            Plainly.from_data(data.get("plain", {})),
        )

    def with_plain(self, plain: Plainly) -> Entry:
        """Return a copy with other results of the plain style."""
        return replace(self, plain=plain)


@dataclass(slots=True)
class Record:
    """Record of all rules: the versions of the two frameworks, and an entry per rule."""

    versions: dict[str, str] = field(default_factory=dict)
    rules: dict[str, Entry] = field(default_factory=dict)

    def add(self, result: Result) -> None:
        """Add one result."""
        self.rules.setdefault(result.rule, Entry()).add(result)

    def merge(self, newer: Record, proved: Mapping[str, Iterable[str]]) -> None:
        """Replace the entries of rules; `proved` has the names by the style in which they ran."""
        for name in proved.get(EXACT, ()):
            plain = self.rules.pop(name, Entry()).plain
            if name in newer.rules:
                self.rules[name] = newer.rules[name].with_plain(plain)
        for name in proved.get(PLAIN, ()):
            if name in newer.rules:
                entry = self.rules.get(name, Entry())
                self.rules[name] = entry.with_plain(newer.rules[name].plain)
        self.versions = newer.versions

    def totals(self) -> Counter[str]:
        """Return the number of samples by outcome, over all rules."""
        total: Counter[str] = Counter()
        for entry in self.rules.values():
            total.update(entry.counts)
        return total


def empty(target: Target) -> Record:
    """Return an empty record with the installed versions."""
    names = ("torch", target.packages["torch"])
    return Record({name: version(name).partition("+")[0] for name in names})


def read(target: str) -> Record:
    """Return the committed record, or an empty one if there is none."""
    lines = evidence.lines(target)
    versions = json.loads(lines.pop("", "{}"))
    rules = {name: Entry.from_data(json.loads(text)) for name, text in lines.items()}
    return Record(versions, rules)


def write(target: str, record: Record) -> None:
    """Write the record with one line per rule."""
    rows = [f'"": {json.dumps(record.versions)}']
    rows += [
        f"{json.dumps(name)}: {json.dumps(entry.as_data())}"
        for name, entry in sorted(record.rules.items())
    ]
    text = "{\n" + ",\n".join(rows) + "\n}\n"
    evidence.path_of(target).write_text(text, encoding="utf-8")
    evidence.forget()


def entry_of(name: str, target: str) -> Entry | None:
    """Return the entry of one canonical name, read without the others, or None."""
    data = evidence.data_of(name, target)
    return None if data is None else Entry.from_data(data)


def sentence(name: str, target: str, title: str = "") -> str | None:
    """Return a sentence about the proof of a canonical name, or None if nothing was run.

    The plain style's results come first, since readers meet that style first.
    """
    entry = entry_of(name, target)
    if entry is None:
        return None
    parts = ", ".join(_run(entry))
    plainly = entry.plain.sentence(title or target)
    if not parts:
        return plainly or None
    versions = json.loads(evidence.lines(target)[""])
    where = ", ".join(f"{package} {number}" for package, number in versions.items())
    largest = f"; largest difference {entry.largest:.0e}" if entry.largest else ""
    dtypes = f" ({', '.join(entry.dtypes)})" if entry.dtypes else ""
    proved = "In the exact style" if plainly else "Proved:"
    exact = f"{proved} {parts} gave the same result on both sides{dtypes}{largest}"
    return f"{plainly} {exact}. {where}.".lstrip()


def _run(entry: Entry) -> Iterator[str]:
    for count, word in ((entry.cases, "case"), (entry.samples, "sample")):
        if count:
            yield f"{count} {word}" if count == 1 else f"{count} {word}s"
