"""The page of the documentation that tells about a torch name, or about a code."""

from __future__ import annotations

import re
import sys
from functools import cache
from pathlib import Path

import workbench

_ROW = re.compile(r"\| `?(torch[\w.]*|TF\d+)`? \|")


@cache
def page_of(name: str | None, code: str) -> str | None:
    """The address of the page, at the line of the name, else of the code; None without a page."""
    parts = name.split(".") if name else []
    for count in range(len(parts), 0, -1):
        stem = ".".join(parts[:count])
        if stem in _pages():
            page = _pages()[stem]
            return page.as_uri() + _anchor(_lines(page).get(str(name)))
    page = _docs() / "editors" / "findings.md"
    return page.as_uri() + _anchor(_lines(page).get(code)) if page.is_file() else None


def _anchor(line: int | None) -> str:
    return f"#L{line}" if line else ""


@cache
def _docs() -> Path:
    """Beside the package in a source tree and a bundle, else where a wheel has its shared data."""
    beside = Path(workbench.__file__).resolve().parents[1] / "docs"
    return beside if beside.is_dir() else Path(sys.prefix, "share", "torchferry", "docs")


@cache
def _pages() -> dict[str, Path]:
    return {page.stem: page for page in (_docs() / "coverage").glob("torch*.md")}


@cache
def _lines(page: Path) -> dict[str, int]:
    """The lines of a page that tell about one name or code each, counted from 1."""
    text = page.read_text(encoding="utf-8")
    rows = ((number, _ROW.match(row)) for number, row in enumerate(text.split("\n"), 1))
    return {match[1]: number for number, match in rows if match}
