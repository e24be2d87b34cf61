"""Globs as gitignore reads them, matched without backtracking.

The time is proportional to the length of a glob times that of a path, since both may come from an
untrusted project.
"""

from __future__ import annotations

import re
import sys
from functools import cache

# The file systems of these platforms find a file by its name in capitals or not.
ANY_CASE = sys.platform in {"win32", "darwin"}
_ANY_FOLDERS = "**/"
_PART = re.compile(r"(?:\*\*/)+|\*+|\?|[^*?]+")


def names(glob: str, path: str) -> bool:
    """Return whether a glob names a path, or a folder that the path lies in.

    Args:
        glob: one without a slash inside counts at any depth, else it is seen from the root.
        path: from the root, with slashes between its parts.
    """
    if ANY_CASE:
        glob, path = glob.lower(), path.lower()
    anywhere, parts = _read(glob)
    # The positions of the path at which the parts so far can end.
    ends = {0}
    if anywhere:
        ends |= {at + 1 for at, letter in enumerate(path) if letter == "/"}
    for part in parts:
        ends = _after(part, path, ends)
        if not ends:
            return False
    return any(at == len(path) or path[at] == "/" for at in ends)


@cache
def _read(glob: str) -> tuple[bool, tuple[str, ...]]:
    """Return whether a glob counts at any depth, and its parts."""
    body = glob.removeprefix("./").rstrip("/")
    return "/" not in body, tuple(_PART.findall(body.removeprefix("/")))


def _after(part: str, path: str, ends: set[int]) -> set[int]:
    """Return the positions at which a part can end that begins at one of `ends`."""
    if part.startswith(_ANY_FOLDERS):
        return ends | {at + 1 for at in range(min(ends), len(path)) if path[at] == "/"}
    if part.startswith("**"):
        return set(range(min(ends), len(path) + 1))
    if part == "*":
        return _within_a_name(path, ends)
    if part == "?":
        return {at + 1 for at in ends if at < len(path) and path[at] != "/"}
    return {at + len(part) for at in ends if path.startswith(part, at)}


def _within_a_name(path: str, ends: set[int]) -> set[int]:
    """Return the places, and all behind them up to the end of the name that each is in."""
    found: set[int] = set()
    for start in ends:
        at = start
        while at not in found:
            found.add(at)
            if at == len(path) or path[at] == "/":
                break
            at += 1
    return found
