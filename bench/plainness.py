"""The plainness of converted code: lines, changed lines and helpers, on packages from PyPI.

Each file is converted separately, with its helpers in it, in both styles.
"""

from __future__ import annotations

import difflib
import re
import statistics
from collections.abc import Iterator
from dataclasses import dataclass

import workbench
from bench.sources import PLAIN_PACKAGES, files_of
from bench.table import Row
from workbench.errors import TorchferryError

_FILES = 400
_HELPER = re.compile(r"\b(?:Torch[A-Z]\w*|torch_\w+)")
# Findings that are not about torch: unknown receivers, other packages, unreadable code.
_NO_USE = frozenset({"TF300", "TF400", "TF000"})
_BUDGETS = {
    "lines out per line in": "1.45",
    "of the median file": "1.05",
    "source lines changed": "15 %",
    "uses written as helpers": "8 %",
    "files without helpers": "65 %",
}


@dataclass(frozen=True, slots=True)
class Counted:
    """One file: its lines before and after, changed lines, uses, uses as helpers, helpers."""

    before: int
    after: int
    changed: int
    uses: int
    helped: int
    helpers: int


def rows() -> Iterator[Row]:
    """Yield the figures of each style, over all files and for the median file."""
    texts = [
        file.read_text(encoding="utf-8", errors="replace")
        for file in files_of(*PLAIN_PACKAGES, longest=100_000, count=_FILES)
    ]
    for style in ("plain", "exact"):
        found = [one for text in texts if (one := counted(text, style)) is not None]
        before = sum(one.before for one in found)
        uses = sum(one.uses for one in found)
        free = sum(not one.helpers for one in found)
        values = {
            "lines out per line in": f"{sum(one.after for one in found) / before:.3f}",
            "of the median file": f"{statistics.median(o.after / o.before for o in found):.3f}",
            "source lines changed": f"{sum(one.changed for one in found) / before:.1%}",
            "uses written as helpers": f"{sum(one.helped for one in found) / uses:.1%}",
            "files without helpers": f"{free / len(found):.0%} of {len(found)}",
        }
        for title, value in values.items():
            budget = _BUDGETS[title] if style == "plain" else ""
            yield Row(f"plainness, {style}: {title}", value, budget=budget)


def counted(text: str, style: str) -> Counted | None:
    """Return the figures of one file, or None if it is empty or unreadable."""
    before = text.splitlines()
    try:
        conversion = workbench.convert(text, style=style)
    except TorchferryError:
        return None
    after = conversion.code.splitlines()
    if not before:
        return None
    steps = difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    uses = [one for one in conversion.findings if one.code not in _NO_USE and one.name]
    return Counted(
        before=len(before),
        after=len(after),
        changed=sum(end - start for kind, start, end, _, _ in steps if kind != "equal"),
        uses=len(uses),
        helped=sum(one.converts and bool(_HELPER.search(one.target or "")) for one in uses),
        helpers=len(conversion.helpers),
    )
