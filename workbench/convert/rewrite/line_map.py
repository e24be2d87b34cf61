"""A map from the lines of an edited text to the lines of the original."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.findings import Edit
from workbench.positions import Lines


def mapped_lines(source: str, edits: Sequence[Edit]) -> list[int]:
    """Return for each line of an edited text its line in the original, -1 for added ones."""
    origin = list(range(len(Lines(source))))
    for edit in sorted(edits, key=lambda edit: edit.range, reverse=True):
        start, end = edit.range.start, edit.range.end
        added = len(Lines(edit.text)) - 1
        if start == end and start.column == 0:
            origin[start.line : start.line] = [-1] * added
            continue
        span = range(start.line, end.line + 1)
        count = added + 1
        origin[start.line : end.line + 1] = [min(start.line + k, span[-1]) for k in range(count)]
    return origin
