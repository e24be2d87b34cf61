"""Pages of the documentation about a torch name or a code."""

from __future__ import annotations

import re
import sys
from functools import cache
from pathlib import Path

import workbench
from workbench.targets import DEFAULT

_ROW = re.compile(r"\| `?(torch[\w.]*|TF\d+)`? \|")


@cache
def page_of(name: str | None, code: str, target: str = DEFAULT) -> str | None:
    """Return the address of the page, at the line of the name or code, or None without a page."""
    parts = name.split(".") if name else []
    for count in range(len(parts), 0, -1):
        stem = ".".join(parts[:count])
        if page := _pages(target).get(stem):
            return page.as_uri() + _anchor(_lines(page).get(str(name)))
    page = _docs() / "editors" / "findings.md"
    return page.as_uri() + _anchor(_lines(page).get(code)) if page.is_file() else None


def _anchor(line: int | None) -> str:
    return f"#L{line}" if line else ""


@cache
def _docs() -> Path:
    """Return the folder next to the package in a source tree, else a wheel's shared data."""
    in_tree = Path(workbench.__file__).resolve().parents[1] / "docs"
    return in_tree if in_tree.is_dir() else Path(sys.prefix, "share", "torchferry", "docs")


@cache
def _pages(target: str) -> dict[str, Path]:
    """Return the pages of a target's names. The default target's are in the folder itself."""
    folder = _docs() / "coverage" / ("" if target == DEFAULT else target)
    return {page.stem: page for page in folder.glob("torch*.md")}


@cache
def _lines(page: Path) -> dict[str, int]:
    """Return the lines of a page that describe one name or code each, counted from 1."""
    text = page.read_text(encoding="utf-8")
    rows = ((number, _ROW.match(row)) for number, row in enumerate(text.split("\n"), 1))
    return {match[1]: number for number, match in rows if match}
