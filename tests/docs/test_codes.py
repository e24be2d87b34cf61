"""The table of codes has every code that the source names, and the documents are made from it."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from scripts.code_tables import FILES, written
from workbench.codes import CODES, DIFFERENCES
from workbench.rules.difference import Difference

ROOT = Path(__file__).parents[2]
SOURCES = [
    file
    for room in ("workbench", "lsp_server", "mcp_server", "jupyter_ext", "torchferry")
    for file in sorted((ROOT / room).rglob("*.py"))
    if "node_modules" not in file.parts
]


def test_every_code_that_the_source_names_is_in_the_table() -> None:
    named = {
        node.value
        for file in SOURCES
        if "TF" in (text := file.read_text(encoding="utf-8"))
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and re.fullmatch(r"TF\d{3}", node.value)
    }
    assert named == set(CODES)


def test_every_small_difference_has_a_code() -> None:
    assert {kind.value for kind in Difference} == set(DIFFERENCES)


@pytest.mark.parametrize("name", FILES)
def test_documents_are_as_they_would_be_written(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    assert written(text) == text, "run: python scripts/code_tables.py"


def test_every_code_has_its_line_on_the_page() -> None:
    page = (ROOT / "docs" / "editors" / "findings.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| (TF\d{3}) \|", page, re.MULTILINE)) == set(CODES)
