"""`torchferry convert`: a file, a notebook or a folder in the target's words."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NoReturn

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from workbench import files
from workbench.commands import conversion_options as options
from workbench.commands.rules import TRUST_RULES, in_force
from workbench.convert.configuration.keys import INLINE, MODULE
from workbench.convert.project.file_job import Order, convert_bytes, with_deep_stack
from workbench.convert.project.runner import convert_path
from workbench.convert.project.vcs import clean_files
from workbench.convert.report.report import Report
from workbench.convert.report.report_text import print_report, print_row
from workbench.convert.report.written_report import KINDS, write_report
from workbench.errors import TorchferryError
from workbench.findings import Severity
from workbench.stopping import resumable
from workbench.terminal import print_message, visible


@click.command(short_help="Convert a file, a notebook or a folder.")
@click.argument("source", type=click.Path(path_type=Path, allow_dash=True))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, allow_dash=True),
    help="The file or folder to write; SOURCE is not changed.",
)
@click.option("--in-place", is_flag=True, help="Overwrite SOURCE if it has no uncommitted changes.")
@click.option("--diff", is_flag=True, help="Print a unified diff, and write nothing.")
@click.option(
    "--force",
    is_flag=True,
    help="Overwrite files with uncommitted changes, and files in the output folder that Torchferry"
    " did not write.",
)
@click.option(
    "--report",
    "reports",
    multiple=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help=f"Also write a report; its name ends in one of {', '.join(KINDS)}.",
)
@click.option(
    "--helpers",
    type=click.Choice([MODULE, INLINE]),
    help="Where helper functions go: into a module next to the code, or into each file. [default: a"
    " module; short ones, and those of a file that is only printed, go into the file itself]",
)
@options.JOBS
@TRUST_RULES
@options.TARGET
@options.STYLE
@options.INIT
def convert(
    source: Path,
    output: Path | None,
    in_place: bool,
    diff: bool,
    force: bool,
    reports: tuple[Path, ...],
    helpers: str | None,
    jobs: int | None,
    trust_rules: bool,
    target: str | None,
    style: str | None,
    init: str | None,
) -> None:
    """Convert a file, a notebook or a folder. A folder's other files are copied.

    If SOURCE is -, standard input is converted to standard output.

    Exit code 0: every use converted; 1: some remain, each reported with its line; 2: bad input.
    """
    streams = "-" in {str(source), str(output)}
    ways = {"-o": output is not None, "--in-place": in_place, "--diff": diff}
    asked = [name for name, is_asked in ways.items() if is_asked]
    if len(asked) > 1 and not streams:
        raise TorchferryError(f"{' and '.join(asked)} exclude each other; use only one of them")
    if not asked and not streams:
        raise TorchferryError(
            f"choose where the conversion of {source} goes: -o PATH writes it to a new file or"
            f" folder, --in-place overwrites {source}, --diff prints the changes and writes nothing"
        )
    for place in reports:
        if place.suffix not in KINDS:
            raise TorchferryError(f"{place}: a report's name ends in one of {', '.join(KINDS)}")
    if streams and helpers == MODULE:
        raise TorchferryError(
            "--helpers module writes a file next to the code, so it needs files: give paths instead"
            " of -"
        )
    chosen = {"target": target, "style": style, "init": init}
    if streams:
        _convert_stream(source, output, chosen, trust_rules)
    if not source.exists():
        raise TorchferryError(f"{source}: no such file or folder; check the path")
    settings = options.settings_of(source, **chosen)
    own, understood = in_force(settings, trust_rules)
    order = Order(
        settings.target,
        settings,
        write=not diff,
        diff=diff,
        force=force,
        in_place=in_place,
        helpers=helpers or settings.helpers,
        rules=own,
    )
    only = clean_files(source) if in_place and not force else None
    errors = Console(stderr=True, highlight=False)
    progress = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=errors,
        transient=True,
        disable=not errors.is_terminal,
    )
    task = progress.add_task("Converting", total=None)

    def tick(done: int, total: int) -> None:
        progress.start()  # starts a thread, so only after workers have been forked
        progress.update(task, completed=done, total=total)

    try:
        resumable()
        report = convert_path(source, output, order, workers=jobs, only=only, tick=tick)
    finally:
        progress.stop()
    _present(report, diff, in_place, reports)
    sys.exit(report.exit_code if understood else 2)


def _convert_stream(
    source: Path, output: Path | None, chosen: Mapping[str, str | None], trust_rules: bool
) -> NoReturn:
    """Convert from standard input, or to standard output."""
    if str(source) == "-":
        data, folder = sys.stdin.buffer.read(), Path.cwd()
    else:
        data, folder = files.read(source), source
    settings = options.settings_of(folder, **chosen)
    own, understood = in_force(settings, trust_rules)
    code, result = with_deep_stack(lambda: convert_bytes(data, source, settings, own))
    if output is None or str(output) == "-":
        sys.stdout.buffer.write(code)
    else:
        files.write(output, code)
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    remaining = [row for row in result.rows if row.severity == Severity.ERROR]
    for row in remaining:
        print_row(console, str(source), row)
    sys.exit(2 if not understood else 1 if remaining else 0)


def _present(report: Report, diff: bool, in_place: bool, places: tuple[Path, ...]) -> None:
    for file in report.failures():
        print_message(file.failure)
    if diff:
        shows = sys.stdout.isatty()
        for file in report.files:
            # In a pipe, a diff is for a program, so every byte counts.
            click.echo(visible(file.diff, "\n\t") if shows else file.diff, nl=False)
    else:
        print_report(Console(highlight=False, soft_wrap=True), report, in_place)
    for place in places:
        write_report(report, place)
