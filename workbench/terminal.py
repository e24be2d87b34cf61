"""Text for a terminal: what a file's name or a message holds is shown, and never obeyed."""

from __future__ import annotations

import click


def visible(text: str, keep: str = "") -> str:
    """The text with characters that steer a terminal, or cannot be written to it, as `\\x1b`.

    Args:
        text: what may hold names and other words of users and files.
        keep: such characters that are to stay, as the line endings of a text of many lines.
    """
    if text.isprintable():
        return text
    return "".join(
        sign if sign.isprintable() or sign in keep else sign.encode("unicode_escape").decode()
        for sign in text
    )


def tell(message: object) -> None:
    """Say something to the user on standard error, in one line."""
    click.echo(f"torchferry: {visible(str(message))}", err=True)
