"""The page of the documentation that tells about a torch name, or about a code."""

from __future__ import annotations

import re
import sys
from functools import cache
from pathlib import Path

import workbench

_ROW = re.compile(r"\| `(torch[\w.]*)` \|")


@cache
def page_of(name: str | None, code: str) -> str | None:
    """The address of the page, at the name's own line; None where there is no such page."""
    if name is None:
        page = _docs() / "editors" / "findings.md"
        return page.as_uri() if page.is_file() else None
    parts = name.split(".")
    for count in range(len(parts), 0, -1):
        stem = ".".join(parts[:count])
        if stem in _pages():
            line = _lines(stem).get(name)
            return _pages()[stem] + (f"#L{line}" if line else "")
    return None


@cache
def _docs() -> Path:
    """Beside the package in a source tree and a bundle, else where a wheel has its shared data."""
    beside = Path(workbench.__file__).resolve().parents[1] / "docs"
    return beside if beside.is_dir() else Path(sys.prefix, "share", "torchferry", "docs")


@cache
def _pages() -> dict[str, str]:
    return {page.stem: page.as_uri() for page in (_docs() / "coverage").glob("torch*.md")}


@cache
def _lines(stem: str) -> dict[str, int]:
    """The lines on a page that tell about one name each, counted from 1."""
    text = (_docs() / "coverage" / f"{stem}.md").read_text(encoding="utf-8")
    rows = ((number, _ROW.match(row)) for number, row in enumerate(text.split("\n"), 1))
    return {match[1]: number for number, match in rows if match}
