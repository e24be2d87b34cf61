"""Runs a fuzz target's cases; each is made from its seed and number, so any can be repeated."""

from __future__ import annotations

import argparse
import contextlib
import signal
import sys
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator
from random import Random
from typing import TypeVar

Made = TypeVar("Made")

# Far beyond what a case takes on a busy machine: only what hangs comes here.
SECONDS = 60
SHOWN = 20


def run(
    module: str,
    make: Callable[[Random], Made],
    examine: Callable[[Made], Iterable[str]],
    arguments: list[str] | None = None,
) -> int:
    """Make and examine cases; the exit code.

    Args:
        module: the target's module, named where a case is to be repeated.
        make: a case from its random numbers.
        examine: what is wrong with a case, in words; what it raises is wrong as well.
        arguments: those of the command line where None.
    """
    parser = argparse.ArgumentParser(prog=f"python -m {module}")
    parser.add_argument("--count", type=int, default=1000, help="how many cases")
    parser.add_argument("--seed", type=int, default=0, help="what they are made from")
    parser.add_argument("--case", type=int, help="this one alone, with what it is made of")
    given = parser.parse_args(arguments)
    numbers = range(given.count) if given.case is None else [given.case]
    wrong = 0
    for number in numbers:
        made = make(Random(f"{given.seed}/{number}"))
        found = _found(made, examine)
        if given.case is not None:
            print(f"{made!r}\n{made}")
        if found:
            wrong += 1
            if wrong <= SHOWN:
                print(f"case {number}: {'; '.join(found)}")
                print(
                    f"  again: python -m {module} --seed {given.seed} --case {number}", flush=True
                )
    print(f"{len(numbers):,} cases, {wrong:,} undocumented")
    return 1 if wrong else 0


def _found(made: Made, examine: Callable[[Made], Iterable[str]]) -> list[str]:
    try:
        with _limited(), warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)  # of the case's own escapes
            return list(examine(made))
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        return [f"{type(error).__name__}: {str(error)[:300]} ({place.name}:{place.lineno})"]


@contextlib.contextmanager
def _limited() -> Iterator[None]:
    """End a case that hangs, where the system has timers."""
    if sys.platform == "win32":
        yield
        return

    def stop(*_: object) -> None:
        raise TimeoutError(f"the case takes more than {SECONDS} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
