"""Functions that generated modules define at their top: torch's semantics in Paddle alone.

Their source is copied into the module, so that each stands on its own: it may use `paddle`, `F`
and `math`, and other helpers of any file here.
"""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

_FILES = ("checking", "arithmetic", "places", "blocks", "flow")
_CALLED = re.compile(r"\b_[a-z]\w+(?=\()")
_MARKS = re.compile(r"  # (type: ignore|noqa).*")


@cache
def sources() -> dict[str, str]:
    """The source of every helper by its name, in the order in which modules define them."""
    found: dict[str, str] = {}
    for file in _FILES:
        text = (Path(__file__).parent / f"{file}.py").read_text(encoding="utf-8")
        lines = text.splitlines(keepends=True)
        for node in ast.parse(text).body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                first = min(part.lineno for part in (node, *node.decorator_list))
                written = "".join(lines[first - 1 : node.end_lineno])
                found[node.name] = _MARKS.sub("", written).rstrip()
    return found


def with_called(names: set[str]) -> list[str]:
    """The sources of these helpers and of those that they call, in order."""
    known = sources()
    needed: set[str] = set()
    waiting = set(names)
    while waiting:
        name = waiting.pop()
        needed.add(name)
        waiting |= (set(_CALLED.findall(known[name])) & known.keys()) - needed
    return [text for name, text in known.items() if name in needed]
