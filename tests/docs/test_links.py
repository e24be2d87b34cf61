"""Links between documents lead somewhere: to a file that is there, and to a heading in it."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).parents[2]
_LISTED = subprocess.run(
    ["git", "ls-files", "-z", "*.md"], cwd=ROOT, check=True, capture_output=True, text=True
).stdout
DOCUMENTS = [ROOT / name for name in _LISTED.split("\0") if name]


def broken(file: Path) -> list[str]:
    """Return the links of a document within the repository that lead nowhere."""
    return [link for link in _links(file) if not _holds(file, unquote(link))]


def _links(file: Path) -> Iterator[str]:
    for token in _tokens(file):
        for part in token.children or ():
            link = part.attrs.get("href") or part.attrs.get("src")
            if isinstance(link, str) and not re.match(r"[a-z+]+:", link):
                yield link


def _holds(file: Path, link: str) -> bool:
    path, _, anchor = link.partition("#")
    place = file.parent / path if path else file
    if not place.exists() or not place.resolve().is_relative_to(ROOT.resolve()):
        return False
    return not anchor or place.suffix != ".md" or anchor in _anchors(place)


@cache
def _anchors(file: Path) -> set[str]:
    """Return the headings of a document, as GitHub and the site spell their anchors."""
    tokens = _tokens(file)
    titles = [
        "".join(part.content for part in inline.children or () if part.type != "image")
        for opened, inline in pairwise(tokens)
        if opened.type == "heading_open"
    ]
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@cache
def _tokens(file: Path) -> list[Token]:
    return MarkdownIt("commonmark").enable("table").parse(file.read_text(encoding="utf-8"))


@pytest.mark.parametrize("file", DOCUMENTS, ids=lambda file: str(file.relative_to(ROOT)))
def test_links_lead_somewhere(file: Path) -> None:
    assert broken(file) == []


@pytest.mark.parametrize(
    ("link", "holds"),
    [
        ("README.md", True),
        ("README.md#in-a-notebook", True),
        ("#in-a-notebook", True),
        ("README.md#nowhere", False),
        ("nowhere.md", False),
        ("../outside.md", False),
    ],
)
def test_a_link_that_leads_nowhere_is_found(link: str, holds: bool) -> None:
    assert _holds(ROOT / "README.md", link) == holds


def test_enough_is_read_to_be_worth_it() -> None:
    assert sum(1 for file in DOCUMENTS for _ in _links(file)) > 100
