"""Text for a terminal, in which control characters of names and messages are escaped."""

from __future__ import annotations

import click


def visible(text: str, keep: str = "") -> str:
    """Return the text with unprintable characters, such as control characters, as `\\x1b`.

    Args:
        text: a text that may contain names and other words of users and files.
        keep: unprintable characters to keep, such as line endings.
    """
    if text.isprintable():
        return text
    return "".join(
        sign if sign.isprintable() or sign in keep else sign.encode("unicode_escape").decode()
        for sign in text
    )


def print_message(message: object) -> None:
    """Print a message for the user on standard error, on one line."""
    click.echo(f"torchferry: {visible(str(message))}", err=True)
