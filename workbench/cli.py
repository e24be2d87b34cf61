"""The `torchferry` command."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import click
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from workbench import __version__
from workbench.convert.conversion import check as check_source
from workbench.convert.project import Report, convert_path, python_files, read_source
from workbench.errors import TorchferryError
from workbench.findings import Finding, Severity
from workbench.targets import NAMES, load

_STYLES = {
    Severity.HINT: "dim",
    Severity.INFORMATION: "cyan",
    Severity.WARNING: "yellow",
    Severity.ERROR: "red",
}
_TARGET = click.option(
    "--target",
    default=NAMES[0],
    show_default=True,
    help="The framework to convert to, with a version where it matters: paddle==3.3.",
)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="torchferry")
def cli() -> None:
    """Carry PyTorch code to another framework, and prove that it computes the same."""


@cli.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@_TARGET
@click.option("--format", "style", type=click.Choice(["text", "json"]), default="text")
def check(paths: tuple[Path, ...], target: str, style: str) -> None:
    """Report every use of torch in files and folders, and what becomes of it.

    Exit code 0: all of it converts; 1: some does not; 2: something could not be read.
    """
    load(target)
    console = Console(highlight=False, soft_wrap=True)
    rows: list[dict[str, object]] = []
    failed = remaining = False
    for path in paths:
        if not path.exists():
            raise TorchferryError(f"{path}: no such file or folder; check the path")
        for file in python_files(path):
            try:
                found = check_source(read_source(file), target=target)
            except TorchferryError as error:
                failed = True
                click.echo(f"torchferry: {error}", err=True)
                continue
            failed = failed or any(finding.code == "TF000" for finding in found)
            remaining = remaining or any(f.severity is Severity.ERROR for f in found)
            if style == "json":
                rows += [_as_json(file, finding) for finding in found]
            else:
                for finding in found:
                    _print_finding(console, file, finding)
    if style == "json":
        click.echo(json.dumps(rows, indent=2))
    sys.exit(2 if failed else 1 if remaining else 0)


def _as_json(file: Path, finding: Finding) -> dict[str, object]:
    start, end = finding.range.start, finding.range.end
    return {
        "file": str(file),
        "line": start.line + 1,
        "column": start.column + 1,
        "end_line": end.line + 1,
        "end_column": end.column + 1,
        "code": finding.code,
        "severity": finding.severity.value,
        "certainty": finding.certainty.value,
        "name": finding.name,
        "target": finding.target,
        "converts": finding.converts,
        "message": finding.message,
    }


def _print_finding(console: Console, file: Path, finding: Finding) -> None:
    at = finding.range.start
    style = _STYLES[finding.severity]
    place = f"{file}:{at.line + 1}:{at.column + 1}"
    console.print(f"{place}: ", end="", markup=False)
    console.print(f"{finding.severity.value} {finding.code} ", style=style, end="")
    console.print(finding.message, markup=False)


@cli.command()
@click.argument("source", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(path_type=Path),
    help="The file or folder to write; it is made, and nothing of SOURCE is changed.",
)
@_TARGET
def convert(source: Path, output: Path, target: str) -> None:
    """Convert a file or a folder; files without Python are copied.

    Exit code 0: every use converted; 1: some remain, each under a comment; 2: bad input.
    """
    load(target)
    errors = Console(stderr=True, highlight=False)
    with Progress(console=errors, transient=True, disable=not errors.is_terminal) as progress:
        task = progress.add_task("Converting", total=None)

        def tick(done: int, total: int) -> None:
            progress.update(task, completed=done, total=total)

        report = convert_path(source, output, target=target, tick=tick)
    _print_report(report)
    sys.exit(report.exit_code)


def _print_report(report: Report) -> None:
    console = Console(highlight=False, soft_wrap=True)
    for file, message in report.failures:
        click.echo(f"torchferry: {file}: {message}", err=True)
    for file, finding in report.unconverted:
        _print_finding(console, file, finding)
    table = Table(title="Conversion", title_justify="left", show_header=False)
    for label, value in _summary(report):
        table.add_row(label, value)
    console.print(table)


def _summary(report: Report) -> Iterator[tuple[str, str]]:
    yield "Python files", str(report.converted_files)
    if report.copied_files:
        yield "other files copied", str(report.copied_files)
    yield "uses of torch", str(report.uses)
    share = f" ({report.converted_uses / report.uses:.1%})" if report.uses else ""
    yield "converted", f"{report.converted_uses}{share}"
    yield "with a caveat", str(report.caveats)
    yield "left as they were", str(len(report.unconverted))
    if report.failures:
        yield "files not read", str(len(report.failures))


@cli.command()
def lsp() -> None:
    """Serve the Language Server Protocol on standard input and output."""
    from lsp_server.server import main as serve

    serve()


@cli.command(context_settings={"ignore_unknown_options": True})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def lab(arguments: tuple[str, ...]) -> None:
    """Open JupyterLab with Torchferry's panel; arguments go to JupyterLab."""
    try:
        from jupyter_ext.launch import main as launch
    except ImportError as error:
        raise TorchferryError(
            f"JupyterLab is not installed ({error.name}); run: pip install 'torchferry[lab]'"
        ) from error
    sys.exit(launch(list(arguments)))


def main() -> None:
    """The entry point: errors meant for the user end the run with exit code 2."""
    try:
        cli(prog_name="torchferry")
    except TorchferryError as error:
        click.echo(f"torchferry: {error}", err=True)
        sys.exit(2)


if __name__ == "__main__":
    main()
