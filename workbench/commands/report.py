"""`torchferry report`: several checks in one report, and the page of a port."""

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
from workbench.terminal import visible


@click.group()
def report() -> None:
    """Merge reports of checks, or show the evidence of a port."""


@report.command(short_help="Write the evidence of a port as one page.")
@click.argument(
    "folder", type=click.Path(path_type=Path, file_okay=False, exists=True), default=Path()
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The page to write; its name ends in .md or .html. [default: print Markdown]",
)
def port(folder: Path, output: Path | None) -> None:
    """Write the evidence of the port in FOLDER as one page for a pull request.

    The page lists the files with their commits, the verified models with their figures and times,
    the remaining differences, what a person accepted, and the pairs of weights.

    Exit code 0: every step is done and nothing is left; 1: a step is open or something is left; 2:
    bad input.
    """
    from workbench.commands.port_evidence import evidence_of, markdown, write
    from workbench.ports.folder import open_plan
    from workbench.ports.repository import Repository

    sheet = evidence_of(folder, open_plan(folder)[0], Repository(folder))
    if output is None:
        click.echo(markdown(sheet), nl=False)
    else:
        write(sheet, output)
        click.echo(visible(f"{sheet.verdict}; written to {output}"))
    sys.exit(0 if sheet.good else 1)


@report.command(short_help="Merge the reports of a check in parts.")
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
