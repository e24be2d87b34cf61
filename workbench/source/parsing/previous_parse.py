"""A broken text made whole with the help of how it parsed before the last edit.

Whatever the edit did not touch is taken from the lines that parsed, stand-ins and all; so only the
edited lines can be at fault.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.source.parsing.changed_lines import Edit, difference
from workbench.source.parsing.logical_lines import indentation, is_blank, margin
from workbench.source.parsing.recover import recover
from workbench.source.parsing.repair import completed, opens_suite, stands
from workbench.source.parsing.spans import statement_lines

if TYPE_CHECKING:
    import ast
    from collections.abc import Iterator, Sequence

_FEW = 3  # lines; a larger paste is looked into rather than left out


def carried(
    old: Sequence[str],
    source: Sequence[str],
    masked: frozenset[int],
    tree: ast.Module,
    new: Sequence[str],
) -> Iterator[list[str]]:
    """Readings of the lines `new`, likeliest first, each a list of as many lines.

    `old` is the text before; `source` the same with the stand-ins that made it parse into `tree`;
    `masked` the lines that these affected.
    """
    edit = difference(old, new)
    base = [*source[: edit.start], *new[edit.start : edit.new_stop], *source[edit.old_stop :]]
    low, high = _extent(edit, masked, tree)
    touched = [*base[:low], *new[low:high], *base[high:]]
    freed = _freed(touched, new)
    if freed != new:
        yield freed
    size = edit.new_stop - edit.start
    if size <= _FEW:
        yield from _completions(touched, low, high, edit, old, new)
    if edit.shift >= 0 and size <= _FEW:
        # The lines as they last parsed, and nothing in place of those that the edit adds.
        kept = source[edit.start : edit.old_stop]
        yield [*source[: edit.start], *kept, *[""] * edit.shift, *source[edit.old_stop :]]
    elif size <= _FEW and 0 < high - low <= 4 * _FEW:
        space = margin(touched[low])
        deeper = high < len(touched) and indentation(touched[high]) > indentation(touched[low])
        filler = [space + ("if 1:" if deeper else "pass"), *[""] * (high - low - 1)]
        yield [*touched[:low], *filler, *touched[high:]]
    yield recover(touched)


def _extent(edit: Edit, masked: frozenset[int], tree: ast.Module) -> tuple[int, int]:
    """The edited lines, with the statements and the stand-ins that they belong to, as new lines."""
    low, high = edit.start, edit.old_stop
    inside = range(edit.start, edit.old_stop) if high > low else range(max(low - 1, 0), low + 1)
    for first, last in statement_lines(tree, inside):
        # An insertion belongs to a statement only where it parts it.
        if high > low or (first < low <= last):
            low, high = min(low, first), max(high, last + 1)
    while low - 1 in masked:
        low -= 1
    while high in masked:
        high += 1
    return low, high + edit.shift


def _freed(lines: list[str], new: Sequence[str]) -> list[str]:
    """The lines without those stand-ins whose statements have come to stand by themselves."""
    freed = list(lines)
    number = 0
    while number < len(lines):
        stop = number
        while stop < len(lines) and lines[stop] != new[stop]:
            stop += 1
        if stop > number:
            if stands(new[number:stop], suite=_opens(new, number, stop)):
                freed[number:stop] = new[number:stop]
            number = stop
        number += 1
    return freed


def _opens(lines: Sequence[str], start: int, stop: int) -> bool:
    """True where these lines look like a header, and the next line of code is deeper."""
    if not opens_suite(lines[start]):
        return False
    following = next((line for line in lines[stop:] if not is_blank(line)), "")
    return indentation(following) > indentation(lines[start])


def _completions(
    lines: list[str], low: int, high: int, edit: Edit, old: Sequence[str], new: Sequence[str]
) -> Iterator[list[str]]:
    statement = lines[low:high]
    for number in range(edit.start, edit.new_stop):
        column = None
        if edit.new_stop - edit.start == edit.old_stop - edit.start == 1:
            column = _typed_up_to(old[number], new[number])
        suite = _opens(lines, low, high)
        if mended := completed(statement, number - low, suite=suite, column=column):
            yield [*lines[:low], *mended, *lines[high:]]
            return


def _typed_up_to(old: str, new: str) -> int:
    """The column behind what differs between two versions of a line."""
    most = min(len(old), len(new))
    same = 0
    while same < most and old[-1 - same] == new[-1 - same]:
        same += 1
    return len(new) - same
