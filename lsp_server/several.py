"""Converting some uses of a text and leaving the others: by name, or within a stretch of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

import workbench
from workbench.findings import Edit, Finding, apply_edits
from workbench.positions import Lines, Position, Range

# Uses nested in each other take a round each; nobody nests as deep as this.
_MOST_ROUNDS = 40


@dataclass(frozen=True)
class Selection:
    """The uses that are meant: those of a name, those in a range, or both."""

    name: str | None = None
    range: Range | None = None

    def picks(self, finding: Finding) -> bool:
        """Whether a finding is among them, and can be mended."""
        return (
            finding.make_fix is not None
            and (self.name is None or finding.name == self.name)
            and (self.range is None or finding.range in self.range)
        )

    def moved(self, before: Lines, edits: Sequence[Edit], after: Lines) -> Selection:
        """The same uses in the text after some edits."""
        if self.range is None:
            return self
        start, end = before.offset(self.range.start), before.offset(self.range.end)
        new_start, new_end = start, end
        for edit in edits:
            first, last = before.offset(edit.range.start), before.offset(edit.range.end)
            grown = len(edit.text) - (last - first)
            new_start += grown if last <= start else 0
            new_end += grown if first < end else 0
        return Selection(self.name, after.range(new_start, new_end))


def convert_some(text: str, selection: Selection, target: str) -> list[Edit]:
    """The edits that convert the selected uses, whole lines at a time.

    Fixes that would get in each other's way, as those of nested uses do, take turns: each round
    works on the text that the one before it left.
    """
    current = text
    for _ in range(_MOST_ROUNDS):
        wanted = [f for f in workbench.check(current, target=target) if selection.picks(f)]
        edits = _compatible(wanted)
        if not edits:
            break
        before, current = Lines(current), apply_edits(current, edits)
        selection = selection.moved(before, edits, Lines(current))
    return line_edits(text, current)


def _compatible(findings: Sequence[Finding]) -> list[Edit]:
    """The edits of as many fixes as go together. Equal insertions, such as imports, count once."""
    taken: list[Edit] = []
    for finding in findings:
        fix = finding.fix
        if fix is None:
            continue
        new = [edit for edit in fix.edits if edit not in taken or edit.range.start < edit.range.end]
        if not any(edit.range.overlaps(other.range) for edit in new for other in taken):
            taken += new
    return taken


def line_edits(old: str, new: str) -> list[Edit]:
    """The lines that differ between two texts, as edits of the first."""
    before, after = _split(old), _split(new)
    edits: list[Edit] = []
    for kind, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind != "equal":
            edits.append(Edit(Range(Position(a, 0), Position(b, 0)), "".join(after[c:d])))
    return edits


def _split(text: str) -> list[str]:
    """The lines with their endings, as Python's grammar counts them."""
    lines = Lines(text)
    found = [text[lines.start(n) : lines.start(n + 1)] for n in range(len(lines))]
    return found if found[-1] else found[:-1]
