"""Text form of tensor pairs, for the command line and for files with one pair per line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from workbench import files
from workbench.errors import TorchferryError
from workbench.verify.pairing.bound import Pair
from workbench.verify.pairing.layout import Layout


def read_map(text: str) -> Pair:
    """Parse a pair such as `a.weight=b.w`, `a.weight=b.w:T` or `a=q + k + v`.

    Raises:
        TorchferryError: the text has another form.
    """
    ours, mark, rest = text.partition("=")
    theirs, _, named = rest.partition(":")
    layout = Layout.read(named)
    if not mark or layout is None:
        raise TorchferryError(
            f"--map {text}: write ORIGINAL=PORT, followed by :T if the port keeps it transposed,"
            " such as --map fc.weight=linear.w:T, or give a file of such lines"
        )
    left, right = (tuple(n.strip() for n in side.split("+")) for side in (ours, theirs))
    return Pair(left, right, layout, "map")


def pair_texts(texts: Iterable[str]) -> Iterator[str]:
    """Yield the texts of pairs, and replace a file's name by the lines of that file.

    Raises:
        TorchferryError: there is no such file.
    """
    for text in texts:
        if "=" in text:
            yield text
            continue
        lines = files.read(Path(text)).decode("utf-8", "replace").splitlines()
        yield from (line.strip() for line in lines if line.strip() and line.strip()[0] != "#")


def written(pairs: Iterable[str], instead: Iterable[str] = ()) -> str:
    """Return the content of such a file; an alternative pairing follows as comments."""
    lines = ["# Tensors of the original, and those of the port that they are."]
    lines += pairs
    others = [f"# {pair}" for pair in instead]
    if others:
        lines += ["", "# Or, as likely:", *others]
    return "\n".join(lines) + "\n"


def quoted(pair: Pair) -> str:
    """Return a pair quoted for a shell."""
    return f"'{pair}'" if " " in str(pair) else str(pair)
