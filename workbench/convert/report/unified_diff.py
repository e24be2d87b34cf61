"""Unified diffs, as `patch` and `git apply` take them."""

from __future__ import annotations

import difflib

_NO_NEWLINE = "\\ No newline at end of file\n"


def difference(old: str, new: str, path: str) -> str:
    """Return the unified diff between a file's two texts, empty if they are the same.

    Lines end where a line feed is: a carriage return is part of its line, as `git` has it.
    """
    if old == new:
        return ""
    lines = difflib.unified_diff(_lines(old), _lines(new), f"a/{path}", f"b/{path}", n=3)
    return "".join(line if line.endswith("\n") else f"{line}\n{_NO_NEWLINE}" for line in lines)


def _lines(text: str) -> list[str]:
    parts = text.split("\n")
    return [f"{part}\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])
