"""Alignment of lines whose indentation does not fit.

A line at the wrong depth breaks Python for all later lines. As few lines as possible are moved (the
columns of a masked line do not matter) or removed, so that the others stay.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from workbench.source.parsing.logical_lines import HEADERS, Logical, is_blank
from workbench.source.parsing.repair import opens_suite, parses_alone

if TYPE_CHECKING:
    from collections.abc import Sequence

_NEAR = 3  # misplaced lines that are removed rather than making the line above a header
_FAR = 30
_AHEAD = 8  # following lines by which a choice is judged


class _State(NamedTuple):
    """The open depths before a line, and whether the line above opens another."""

    depths: tuple[int, ...] = (0,)
    opener: bool = False

    def after(self, line: Logical, opener: bool) -> _State | None:
        """Return the state after a line, or None if its depth does not fit."""
        depths = self.depths
        if line.indent == depths[-1] and opener == self.opener:
            return self
        if line.indent > depths[-1]:
            return _State((*depths, line.indent), opener) if self.opener else None
        while depths[-1] > line.indent:
            depths = depths[:-1]
        return _State(depths, opener) if depths[-1] == line.indent else None


def align(lines: list[str], logical: Sequence[Logical]) -> list[Logical]:
    """Align `lines` in place and return the remaining logical lines with their new depths."""
    return _Alignment(lines, logical).run()


class _Alignment:
    def __init__(self, lines: list[str], logical: Sequence[Logical]) -> None:
        self.lines = lines
        self.logical = list(logical)
        self.states = [_State()]  # before each line so far, and before the next one

    def run(self) -> list[Logical]:
        while len(self.states) <= len(self.logical):
            line = self.logical[len(self.states) - 1]
            state = self.states[-1].after(line, self._opens(line))
            if state:
                self.states.append(state)
            else:
                self._mend()
        return self.logical

    def _opens(self, line: Logical) -> bool:
        return line.header or (line.word in HEADERS and opens_suite(self.lines[line.start]))

    def _mend(self) -> None:
        """Fix the present line, which does not fit, or go back to fix one before it."""
        number = len(self.states) - 1
        line = self.logical[number]
        back, forth = self._run(number - 1, number), self._run(number, number + 1)
        if back > forth or (back and back == forth and not self._parses_alone(number - 1)):
            self._move(number - 1, line.indent)
        elif forth:
            self._move(number, self.logical[number + 1].indent)
        elif self._hung(line):
            return
        elif not self._left_out(number, _NEAR):
            deeper = line.indent > self.states[-1].depths[-1]
            if deeper and number:
                self._make_header(number - 1)
            elif not self._left_out(number, _FAR):
                self._leave_out(number, number + 1)

    def _fits(self, before: int, number: int) -> bool:
        """Return whether a line fits in the place of an earlier one."""
        return self._run(before, number) > 0

    def _run(self, before: int, number: int) -> int:
        """Return how many lines fit, from `number` on, in the place of an earlier one."""
        state: _State | None = self.states[before] if before >= 0 else None
        count = 0
        for line in self.logical[number : number + _AHEAD]:
            state = state and state.after(line, self._opens(line))
            if state is None:
                break
            count += 1
        return count

    def _parses_alone(self, number: int) -> bool:
        line = self.logical[number]
        return parses_alone(self.lines[line.start : line.stop], suite=self._opens(line))

    def _move(self, number: int, following: int) -> None:
        """Move one line to a depth that fits the line after it."""
        line = self.logical[number]
        depths = self.states[number].depths
        depth = following
        if self._opens(line):
            depth = max((depth for depth in depths if depth < following), default=following)
        self.lines[line.start] = " " * depth + self.lines[line.start].lstrip(" \t\f")
        self.logical[number] = line._replace(indent=depth)
        del self.states[number + 1 :]

    def _hung(self, line: Logical) -> bool:
        """Turn a blank line above a too deep line into a header; return whether there is one."""
        state = self.states[-1]
        above = line.start - 1
        number = len(self.states) - 1
        taken = self.logical[number - 1].stop if number else 0
        if line.indent < state.depths[-1] or above < taken or not is_blank(self.lines[above]):
            return False
        self.lines[above] = " " * state.depths[-1] + "if 1:"
        header = Logical(above, line.start, state.depths[-1], "if", header=True)
        self.logical.insert(number, header)
        return True

    def _make_header(self, number: int) -> None:
        line = self.logical[number]
        stand_in = [" " * line.indent + "if 1:", *[""] * (line.stop - line.start - 1)]
        self.lines[line.start : line.stop] = stand_in
        self.logical[number] = line._replace(header=True)
        self.states[-1] = self.states[-1]._replace(opener=True)

    def _left_out(self, number: int, most: int) -> bool:
        """Remove the shortest run of lines, before or after, without which the rest fits."""
        for count in range(2, most + 1):
            if self._fits(number - count, number):
                self._leave_out(number - count, number)
                return True
            if self._fits(number, number + count):
                self._leave_out(number, number + count)
                return True
        return False

    def _leave_out(self, start: int, stop: int) -> None:
        for line in self.logical[start:stop]:
            self.lines[line.start : line.stop] = [""] * (line.stop - line.start)
        del self.logical[start:stop]
        del self.states[start + 1 :]
