"""Pairs of tensors as they are said and kept: on a command line, or in a file, one a line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from workbench import files
from workbench.errors import TorchferryError
from workbench.verify.pairing.bound import LAST, LAYOUTS, Pair

_SHOWN = 3  # doubtful pairs in a message


class DoubtError(TorchferryError):
    """Two readings of the models are as likely, and running them does not decide."""

    def __init__(self, first: Sequence[Pair], second: Sequence[Pair]) -> None:
        self.first, self.second = first, second
        told = {pair.theirs: pair for pair in second}
        pairs = [(pair, told.get(pair.theirs)) for pair in self.doubtful]
        shown = [f"--map {_quoted(a)} or --map {_quoted(b)}" for a, b in pairs if b is not None]
        more = f", and {len(shown) - _SHOWN} more" if len(shown) > _SHOWN else ""
        super().__init__(
            "names and order tell different pairs, and the sides agree under neither; say which:"
            f" {'; '.join(shown[:_SHOWN])}{more}. --save-map FILE writes all pairs, to be mended"
            " and given as --map FILE"
        )

    @property
    def doubtful(self) -> list[Pair]:
        """The pairs of the first reading that the second has not."""
        others = {str(pair) for pair in self.second}
        return [pair for pair in self.first if str(pair) not in others]


def read_map(text: str) -> Pair:
    """A pair as it is written on a command line: `a.weight=b.w`, `a.weight=b.w:T`, `a=q + k + v`.

    Raises:
        TorchferryError: it is not written so.
    """
    ours, mark, rest = text.partition("=")
    theirs, _, layout = rest.partition(":")
    if not mark or (layout not in LAYOUTS and not re.fullmatch(rf"{LAST}[1-9]\d*", layout)):
        raise TorchferryError(
            f"--map {text}: write ORIGINAL=PORT, with :T behind it where the port keeps it"
            " transposed, such as --map fc.weight=linear.w:T, or name a file of such lines"
        )
    left, right = (tuple(n.strip() for n in side.split("+")) for side in (ours, theirs))
    return Pair(left, right, layout, "map")


def said(texts: Iterable[str]) -> Iterator[str]:
    """Pairs as they are said, with those of a file in place of its name.

    Raises:
        TorchferryError: there is no such file.
    """
    for text in texts:
        if "=" in text:
            yield text
            continue
        lines = files.read(Path(text)).decode("utf-8", "replace").splitlines()
        yield from (line.strip() for line in lines if line.strip() and line.strip()[0] != "#")


def written(pairs: Iterable[str], doubt: DoubtError | None = None) -> str:
    """The content of such a file; what is in doubt has its other reading beneath."""
    lines = ["# Tensors of the original, and those of the port that they are."]
    lines += pairs
    if doubt is not None:
        lines += ["", "# Or, as likely:", *(f"# {pair}" for pair in doubt.second)]
    return "\n".join(lines) + "\n"


def _quoted(pair: Pair) -> str:
    return f"'{pair}'" if " " in str(pair) else str(pair)
