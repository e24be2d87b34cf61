"""`torchferry report`: the findings of several checks in one report."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import click

from workbench import files
from workbench.commands.check_output import (
    ALL,
    COLOUR,
    STATISTICS,
    TEXT,
    check_statistics,
    is_coloured,
    output_format,
    print_found,
)
from workbench.convert.report.check_formats import from_json
from workbench.convert.report.check_text import summary
from workbench.convert.report.report import FileResult
from workbench.errors import TorchferryError
from workbench.findings import Severity
from workbench.targets import DEFAULT


@click.group()
def report() -> None:
    """Combine the findings of several checks."""


@report.command()
@click.argument("reports", nargs=-1, required=True, type=click.Path(path_type=Path))
@output_format
@STATISTICS
@ALL
@COLOUR
def merge(reports: tuple[Path, ...], form: str, statistics: bool, hints: bool, colour: str) -> None:
    """Merge REPORTS, each written by `torchferry check --shard I/N --output-format json`.

    Exit code 0: all of it converts; 1: some does not; 2: a report cannot be read.
    """
    check_statistics(statistics, form)
    merged: dict[str, FileResult] = {}
    for place in reports:
        try:
            found = from_json(files.read(place))
        except ValueError as error:
            raise TorchferryError(
                f"{place}: not a report of a check ({error}); write one with: torchferry check"
                " --output-format json"
            ) from error
        for file in found:
            known = merged.get(file.path)
            new = [row for row in file.rows if known is None or row not in known.rows]
            merged[file.path] = replace(file, rows=[*(known.rows if known else ()), *new])
    every = [merged[path] for path in sorted(merged)]
    print_found(every, form, statistics, DEFAULT, hints, is_coloured(colour))
    if form == TEXT:
        click.echo(summary(every, hints or statistics))
    remaining = any(row.severity == Severity.ERROR for file in every for row in file.rows)
    sys.exit(1 if remaining else 0)
