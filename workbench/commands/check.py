"""`torchferry check`: every use of torch in files and folders, and what becomes of it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click
from rich.console import Console

from workbench.commands import conversion_options as options
from workbench.commands.rules import TRUST_RULES, in_force
from workbench.convert.project.file_job import Order
from workbench.convert.project.runner import checked
from workbench.convert.report.report_text import print_row
from workbench.errors import TorchferryError
from workbench.findings import Severity
from workbench.terminal import tell


@click.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@options.TARGET
@options.STYLE
@options.INIT
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text")
@options.JOBS
@TRUST_RULES
def check(
    paths: tuple[Path, ...],
    target: str | None,
    style: str | None,
    init: str | None,
    form: str,
    jobs: int | None,
    trust_rules: bool,
) -> None:
    """Report every use of torch in files, notebooks and folders, and what becomes of it.

    Exit code 0: all of it converts; 1: some does not; 2: something could not be read.
    """
    console = Console(highlight=False, soft_wrap=True)
    entries: list[dict[str, object]] = []
    failed = remaining = False
    known: dict[tuple[Path | None, ...], tuple[Path | None, bool]] = {}

    def failure(message: str) -> None:
        nonlocal failed
        failed = True
        tell(message)

    for path in paths:
        if not path.exists():
            raise TorchferryError(f"{path}: no such file or folder; check the path")
        settings = options.settings_of(path, target=target, style=style, init=init)
        project = settings.file, settings.rules
        if project not in known:
            known[project] = in_force(settings, trust_rules)
        own, understood = known[project]
        failed = failed or not understood
        order = Order(settings.target, settings, write=False, check=True, rules=own)
        for result in checked(path, order, lambda _, message: failure(message), jobs):
            if result.failure:
                failure(result.failure)
            for row in result.rows:
                failed = failed or row.code == "TF000"
                remaining = remaining or row.severity == Severity.ERROR
                if form == "json":
                    entries.append({"file": result.path, **row.as_finding()})
                else:
                    print_row(console, result.path, row)
    if form == "json":
        click.echo(json.dumps(entries, indent=2))
    sys.exit(2 if failed else 1 if remaining else 0)
