"""Writes the tables of codes into the documents, from `workbench.codes`.

    python scripts/code_tables.py

A table stands between `<!-- codes: NAME -->` and `<!-- end -->`; a test holds that each is as it
would be written.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from workbench.codes import CAPTURE, CODES, DIFFERENCES, HAZARDS, LAYER, TEXTS, USES, Code  # noqa: E402

FILES = ("README.md", "docs/editors/findings.md")
_PLACE = re.compile(r"(<!-- codes: (\w+) -->\n).*?(?=<!-- end -->)", re.DOTALL)


def written(text: str) -> str:
    """Return a document with updated tables; raise KeyError for an unknown table."""
    return _PLACE.sub(lambda found: found[1] + _TABLES[found[2]], text)


def _table(codes: Mapping[str, Code], advice: str) -> str:
    """Return a table of some codes; `advice` is the heading of its last column."""
    rows = [
        f"| {code} | {one.severity} | {one.meaning}{_SILENT if one.silent else ''} | {one.advice} |"
        for code, one in codes.items()
    ]
    return "\n".join([f"| code | severity | what it says | {advice} |", _RULE, *rows, ""])


def _summary() -> str:
    """Return a row for each code of a conversion, and one for the small differences."""
    kinds = list(DIFFERENCES)
    lines = {code: (one.severity, code, one.meaning) for code, one in USES.items()}
    lines[kinds[0]] = (
        DIFFERENCES[kinds[0]].severity,
        f"{kinds[0]} … {kinds[-1]}",
        "the target's own form differs a little; each kind is"
        " [reported once per file](docs/editors/findings.md#small-differences-of-plain-code)",
    )
    rows = ["| {} | {} | {} |".format(*lines[code]) for code in sorted(lines)]
    return "\n".join(["| severity | code | what it says |", "|---|---|---|", *rows, ""])


_RULE = "|---|---|---|---|"
_SILENT = " (silently wrong)"
_TABLES = {
    "summary": _summary(),
    "uses": _table(USES, "more"),
    "differences": _table(DIFFERENCES, "more"),
    "texts": _table(TEXTS, "more"),
    "hazards": _table(HAZARDS, "what to write instead"),
    "capture": _table(CAPTURE, "what to do"),
    "layer": _table(LAYER, "what to do"),
}


def main() -> None:
    for name in FILES:
        file = ROOT / name
        file.write_text(written(file.read_text(encoding="utf-8")), encoding="utf-8")
    print(f"{len(CODES)} codes in {', '.join(FILES)}")


if __name__ == "__main__":
    main()
