"""Advice for a file that does not parse: fix it, or run on another Python."""

from __future__ import annotations

import sys

import libcst

_MEND = "fix the syntax there, then convert again"
_OLD = ("Missing parentheses in call to", "leading zeros in decimal", "multiple exception types")


def next_step(text: str, message: str) -> str:
    """Return the advice that ends the message about a file which this Python cannot parse."""
    if any(sign in message for sign in _OLD):
        return "this looks like Python 2; convert it to Python 3, then try again"
    try:
        libcst.parse_module(text)
    except (libcst.ParserSyntaxError, RecursionError, ValueError):
        return _MEND
    running = f"{sys.version_info.major}.{sys.version_info.minor}"
    return (
        f"fix the syntax there; if it is newer than Python {running}, which runs Torchferry,"
        " use a newer Python"
    )
