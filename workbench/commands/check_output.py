"""Printing of a check's findings: the formats, and the number of each code."""

from __future__ import annotations

import os
from collections.abc import Sequence

import click

from workbench.convert.report.check_formats import FORMATS, as_sarif
from workbench.convert.report.check_text import (
    finding_line,
    folded,
    statistics_json,
    statistics_lines,
)
from workbench.convert.report.report import FileResult
from workbench.errors import TorchferryError
from workbench.findings import Severity

TEXT, JSON, SARIF = "text", "json", "sarif"

output_format = click.option(
    "--output-format",
    "form",
    type=click.Choice([TEXT, JSON, SARIF, *(name for name in FORMATS if name != JSON)]),
    default=TEXT,
    show_default=True,
    help="How findings are printed.",
)
STATISTICS = click.option(
    "--statistics", is_flag=True, help="Print how many findings each code has."
)


ALL = click.option(
    "--all",
    "hints",
    is_flag=True,
    help="Print all findings. Without it, hints (such as exact conversions) and repeated uses of a"
    " refused class are left out.",
)
COLOUR = click.option(
    "--color",
    "--colour",
    "colour",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    help="Whether to print in colour. [default: auto, on a terminal without NO_COLOR]",
)


def is_coloured(choice: str) -> bool | None:
    """Return whether to print in colour; None where the terminal decides."""
    if choice == "auto":
        return False if os.environ.get("NO_COLOR") else None
    return choice == "always"


def check_statistics(statistics: bool, form: str) -> None:
    """Refuse statistics in a format that has no place for them.

    Raises:
        TorchferryError: that is so.
    """
    if statistics and form not in (TEXT, JSON):
        raise TorchferryError("--statistics needs --output-format json or text")


def print_found(
    found: Sequence[FileResult],
    form: str,
    statistics: bool,
    target: str,
    hints: bool,
    coloured: bool | None,
) -> None:
    """Print what was found in a format, or the number of each code.

    As text, `hints` are left out unless they are wanted, and so are further uses of a refused
    class. `coloured` is None where the terminal
    decides.
    """
    if form == TEXT:
        lines = (
            list(statistics_lines(found))
            if statistics
            else [
                finding_line(file.path, row)
                for file in found
                for row in (file.rows if hints else folded(file.rows))
                if hints or row.severity != Severity.HINT
            ]
        )
        if lines:
            click.echo("\n".join(lines), color=coloured)
    elif statistics:
        click.echo(statistics_json(found))
    else:
        click.echo(as_sarif(found, target) if form == SARIF else FORMATS[form](found))
