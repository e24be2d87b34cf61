"""Codes selected by their full name or a prefix: `TF200`, `TF2`, `TF`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches

from workbench.codes import CODES, SYNTAX
from workbench.errors import TorchferryError


@dataclass(frozen=True, slots=True)
class CodeSelection:
    """The selection of reported codes; the longest matching prefix decides.

    Attributes:
        select: codes and prefixes of codes; all codes if it is empty.
        ignore: codes and prefixes that are not reported.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()

    def __contains__(self, code: object) -> bool:
        word = str(code)
        if word == SYNTAX:  # the code around it may hide any finding
            return True
        return _longest(word, self.select or ("",)) > _longest(word, self.ignore)

    def but(self, select: tuple[str, ...] = (), ignore: tuple[str, ...] = ()) -> CodeSelection:
        """Return this selection with a command line's: `select` replaces, `ignore` is added."""
        if select:
            return CodeSelection(select, ignore)
        return CodeSelection(self.select, self.ignore + ignore)


EVERY_CODE = CodeSelection()


def _longest(code: str, words: Iterable[str]) -> int:
    return max((len(word) for word in words if code.startswith(word)), default=-1)


def known_codes(words: Iterable[str]) -> tuple[str, ...]:
    """Return the words, each a code or the beginning of one.

    Raises:
        TorchferryError: a word is neither.
    """
    found = tuple(word.strip() for word in words)
    for word in found:
        if not word or not any(code.startswith(word) for code in CODES):
            raise TorchferryError(
                f"{word!r}: neither a code nor the beginning of one; {nearest(word)}"
            )
    return found


def nearest(word: str) -> str:
    """Return a suggestion for a word that is not a code."""
    if word and any(code.startswith(word.upper()) for code in CODES):
        return f"did you mean {word.upper()}?"
    alike = [code for code in sorted(CODES) if code.startswith(word[:3].upper())] or CODES
    near = get_close_matches(word.upper(), alike, n=1, cutoff=0.5)
    return f"did you mean {near[0]}?" if near else "write one such as TF200"
