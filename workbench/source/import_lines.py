"""Search for import lines in a text without parsing it."""

from __future__ import annotations

import re
from collections.abc import Iterator


def import_lines(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Yield the matches of a pattern at the start of lines that contain `import`.

    `finditer` would try the pattern at each character, which takes ten times as long.
    """
    at, last = 0, -1
    while (at := text.find("import", at)) >= 0:
        start = text.rfind("\n", 0, at) + 1
        match = pattern.match(text, start) if start != last else None
        last = start
        at += len("import")
        if match is not None:
            at = max(at, match.end())
            yield match
