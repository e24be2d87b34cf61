"""Imports found in a text without parsing it."""

from __future__ import annotations

import re

import pytest

from workbench.source.import_lines import import_lines

_PATTERN = re.compile(r"^[ \t]*(?:from[ \t]+[\w.]+[ \t]+)?import[ \t]+(\([^)]*\)|[\w, ]+)", re.M)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "import a",
        "import a; import b\nimport c\n",
        "x = 1\n    from a import important, b\nfrom c import (\n    d,\n    imported)\nimport e",
        "important = 1\n# import a\nimport b\r\nimport c\n",
        "from a import (b, c); import d\n",
    ],
)
def test_they_are_those_that_a_search_through_the_whole_text_finds(text: str) -> None:
    found = [match[0] for match in import_lines(_PATTERN, text)]
    assert found == [match[0] for match in _PATTERN.finditer(text)]
