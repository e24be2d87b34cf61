"""The table of `PORTED.md`: its columns, and that of `torchferry verify` filled in."""

from __future__ import annotations

import re
from collections.abc import Mapping

HEAD = (
    "| model | verdict | verify | outputs | gap | gradients | gap | note |",
    "|---|---|---|--:|--:|--:|--:|---|",
)
_SECTION = re.compile(r"^## The (\w+) style$")
_COUNT = re.compile(r"^(\*\*\d+ of \d+ are equal\.\*\*).*$")


def filled(text: str, style: str, found: Mapping[str, str]) -> str:
    """Return the document with the results of `verify` in one style's table, and their count.

    Args:
        text: the document.
        style: the style of the table.
        found: the text of the column, by the model's name: `certified`, or the difference.
    """
    lines = text.split("\n")
    within, counted = "", -1
    verified: list[str] = []
    for number, line in enumerate(lines):
        if section := _SECTION.match(line):
            within = section[1]
        if within != style:
            continue
        if _COUNT.match(line):
            counted = number
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 8 and "/" in cells[0]:
            if cells[0] in found:
                cells[2] = found[cells[0]].replace("|", "/").replace("\n", " ")
                lines[number] = f"| {' | '.join(cells)} |".replace("|  |", "| |")
            verified += [cells[2]] if cells[2] else []
    if counted >= 0:
        certified = verified.count("certified")
        sentence = (
            f" Of {len(verified)} that `torchferry verify` has judged, {certified} are certified."
        )
        lines[counted] = _COUNT.sub(r"\1", lines[counted]) + (sentence if verified else "")
    return "\n".join(lines)
