"""Lines of converted code that move to another place, as changes of the original."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from workbench.convert.rewrite.edits import Change, in_order


@dataclass(frozen=True, slots=True)
class Move:
    """Lines that become a definition further up, and the call in their place.

    Attributes:
        start: the offset in the converted code at which the lines begin.
        end: the offset after them.
        call: the lines in their place.
        above: the offset of the line before which the definition stands.
        definition: the definition.
    """

    start: int
    end: int
    call: str
    above: int
    definition: str


@dataclass(slots=True)
class _Written:
    """A change, with the offsets of its text in the converted code."""

    change: Change
    low: int
    high: int


def moved(text: str, changes: list[Change], find: Callable[[str], Iterable[Move]]) -> list[Change]:
    """Return the changes that convert all of a text, and then move lines of the new code.

    Args:
        text: the original.
        changes: the changes.
        find: a function that finds the moves in the new code.
    """
    pieces: list[str] = []
    done = 0
    for one in in_order(changes):
        pieces += text[done : one.start], one.text
        done = one.end
    moves = list(find("".join((*pieces, text[done:])))) if changes else []
    return _with_moves(changes, moves) if moves else changes


def _with_moves(changes: Iterable[Change], moves: Sequence[Move]) -> list[Change]:
    """Return the changes of the original that also move lines of the converted code."""
    written: list[_Written] = []
    shift = 0
    for one in in_order(changes):
        low = one.start + shift
        written.append(_Written(one, low, low + len(one.text)))
        shift += len(one.text) - (one.end - one.start)
    result = [one.change for one in written]
    for move in moves:
        within = [one for one in written if _meets(one, move)]
        start, end = _origin(move.start, written, within), _origin(move.end, written, [])
        before = after = ""
        if within and within[0].low <= move.start:
            first = within[0]
            start, before = first.change.start, first.change.text[: move.start - first.low]
        if within and within[-1].high > move.end:
            last = within[-1]
            end, after = last.change.end, last.change.text[move.end - last.low :]
        place = next((at for at, one in enumerate(written) if one.low >= move.above), len(written))
        known = written[place].change if place < len(written) else None
        above = _origin(move.above, written, [])
        gone = {id(one.change) for one in within}
        definition = Change(above, above, move.definition)
        at = next((i for i, one in enumerate(result) if one is known), len(result))
        result.insert(at, definition)
        result = [one for one in result if id(one) not in gone]
        result += [Change(start, start, before)] * bool(before)
        result += [Change(start, end, move.call)]
        result += [Change(end, end, after)] * bool(after)
    return result


def _meets(one: _Written, move: Move) -> bool:
    if one.low == one.high:
        return move.start <= one.low < move.end
    return one.low < move.end and one.high > move.start


def _origin(offset: int, written: Iterable[_Written], apart: Sequence[_Written]) -> int:
    """Return the offset in the original of one between the changes of the converted code."""
    left_out = {id(one) for one in apart}
    shift = 0
    for one in written:
        if one.high <= offset and id(one) not in left_out:
            shift += len(one.change.text) - (one.change.end - one.change.start)
    return offset - shift
