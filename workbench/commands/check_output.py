"""How a check's findings are printed: the formats, and the number of each code."""

from __future__ import annotations

from collections.abc import Sequence

import click

from workbench.convert.report.check_formats import FORMATS, as_sarif
from workbench.convert.report.check_text import finding_line, statistics_json, statistics_lines
from workbench.convert.report.report import FileResult
from workbench.errors import TorchferryError

TEXT, JSON, SARIF = "text", "json", "sarif"

output_format = click.option(
    "--output-format",
    "form",
    type=click.Choice([TEXT, JSON, SARIF, *(name for name in FORMATS if name != JSON)]),
    default=TEXT,
    show_default=True,
)
STATISTICS = click.option(
    "--statistics", is_flag=True, help="Print how many findings each code has."
)


def check_statistics(statistics: bool, form: str) -> None:
    """Refuse statistics in a format that has no place for them.

    Raises:
        TorchferryError: that is so.
    """
    if statistics and form not in (TEXT, JSON):
        raise TorchferryError("--statistics is printed as text or json; say --output-format json")


def print_found(found: Sequence[FileResult], form: str, statistics: bool, target: str) -> None:
    """Print what was found in a format, or the number of each code."""
    if form == TEXT:
        lines = (
            list(statistics_lines(found))
            if statistics
            else [finding_line(file.path, row) for file in found for row in file.rows]
        )
        if lines:
            click.echo("\n".join(lines))
    elif statistics:
        click.echo(statistics_json(found))
    else:
        click.echo(as_sarif(found, target) if form == SARIF else FORMATS[form](found))
