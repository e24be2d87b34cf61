"""Fuzzes `check` and `convert` with mutated programs.

    python -m tests.fuzz.convert --count 20000

Checking raises nothing, and its findings lie within the text. What Python does not take is a
message that names the place. A program that Python takes converts to one that it takes; comments
and the lines without torch stay; and converting the result again changes nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

from bench.wild.examining import problems
from tests.fuzz.harness import run
from tests.fuzz.programs import program
from workbench import Conversion, Lines, SourceError, TorchferryError, check, convert


def examine(text: str) -> Iterator[str]:
    """Yield the faults in checking and converting a text."""
    lines = Lines(text)
    for finding in check(text):
        start, end = finding.range.start, finding.range.end
        if not (start <= end and end.line < len(lines) and end.column <= len(lines.line(end.line))):
            yield f"a finding lies outside the text: {finding.range}"
    try:
        conversion = convert(text)
    except TorchferryError as error:
        if not str(error) or "\n" in str(error):
            yield f"a message that is not one line: {str(error)!r}"
        deep = "nested" in str(error)  # which Python takes, and not once more is around it
        if isinstance(error, SourceError) and not deep and compiles(text):
            yield f"refused, though Python takes it: {error}"
        return
    if not compiles(text):
        return
    if not compiles(conversion.code):
        yield "the converted code does not compile"
        return
    deep = any("nested too deeply" in finding.message for finding in conversion.findings)
    try:
        for problem in problems(text, conversion):
            # How deep is too deep depends on how much of Python's stack is in use.
            if not (deep and problem.startswith("converted again")):
                yield problem
    except TorchferryError as error:
        if "nested too deeply" not in str(error):
            yield f"converted again, it is refused: {error}"
    yield from _touched(text, conversion)


def compiles(text: str) -> bool:
    """Return whether Python takes a text as a module."""
    try:
        compile(text.removeprefix("\ufeff"), "<case>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return False
    return True


def _touched(text: str, conversion: Conversion) -> Iterator[str]:
    """Yield lines that no edit names and that differ nevertheless, or are gone."""
    edited = {
        line
        for edit in conversion.edits
        for line in range(edit.range.start.line, edit.range.end.line + 1)
    }
    old, new = Lines(text), Lines(conversion.code)
    kept = {
        origin: new.line(number)
        for number, origin in enumerate(conversion.line_map)
        if origin >= 0 and origin not in edited
    }
    for number in range(len(old)):
        if number not in edited and kept.get(number) != old.line(number):
            yield f"line {number + 1} is touched: {old.line(number)!r} to {kept.get(number)!r}"


def main(arguments: list[str] | None = None) -> int:
    """Run the cases that the command line asks for; the exit code."""
    return run("tests.fuzz.convert", program, examine, arguments)


if __name__ == "__main__":
    sys.exit(main())
