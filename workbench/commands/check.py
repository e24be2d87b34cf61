"""`torchferry check`: every use of torch in files and folders, and its outcome."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import click

from workbench.codes import SYNTAX
from workbench.commands import conversion_options as options
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
from workbench.commands.rules import TRUST_RULES, in_force
from workbench.convert.configuration.code_selection import known_codes
from workbench.convert.configuration.settings import Settings
from workbench.convert.project.cache import Cache, cache_folder
from workbench.convert.project.check_job import check_bytes
from workbench.convert.project.check_run import CheckRun, check_path
from workbench.convert.project.file_job import Order, with_deep_stack
from workbench.convert.project.share import WHOLE, Share, share_of
from workbench.convert.report.baseline import beyond_baseline, write_baseline
from workbench.convert.report.check_text import amount, summary
from workbench.convert.report.report import FileResult
from workbench.errors import TorchferryError
from workbench.findings import Severity
from workbench.targets import DEFAULT
from workbench.targets.layer import LAYERS
from workbench.terminal import print_message, visible


@dataclass
class _Check:
    """One run of the command: its options, and its results."""

    select: tuple[str, ...]
    ignore: tuple[str, ...]
    fix: bool
    examples: bool
    share: Share
    jobs: int | None
    trust_rules: bool
    cache: Cache | None
    chosen: dict[str, str | None]
    under: str | None = None
    started: int = field(default_factory=time.monotonic_ns)
    failed: bool = False
    target: str = DEFAULT
    runs: list[CheckRun] = field(default_factory=list)
    streams: list[FileResult] = field(default_factory=list)
    _rules: dict[tuple[Path | None, ...], tuple[Path | None, bool]] = field(default_factory=dict)

    def of(self, path: Path) -> None:
        """Check a file or folder, or standard input for `-`."""
        stream = str(path) == "-"
        if not stream and not path.exists():
            raise TorchferryError(f"{path}: no such file or folder; check the path")
        settings = options.settings_of(Path() if stream else path, **self.chosen)
        settings = replace(settings, codes=settings.codes.but(self.select, self.ignore))
        own = self._own_rules(settings)
        order = Order(
            settings.target,
            settings,
            fix=self.fix,
            examples=self.examples or settings.examples,
            helpers=settings.helpers,
            rules=own,
            run=self.started,
            under=self.under,
        )
        if self.under is not None:
            _ = order.aim  # a missing layer is reported once, before any file is checked
        self.target = settings.target
        if stream:
            data = sys.stdin.buffer.read()
            self.streams.append(with_deep_stack(lambda: check_bytes(data, path, order)))
            return
        run = check_path(
            path,
            order,
            lambda _, message: self._failure(message),
            self.jobs,
            self.cache,
            self.share,
            {job.place.resolve() for earlier in self.runs for job, _ in earlier.done},
        )
        self.runs.append(run)

    def _own_rules(self, settings: Settings) -> Path | None:
        project = settings.file, settings.rules
        if project not in self._rules:
            self._rules[project] = in_force(settings, self.trust_rules)
        own, understood = self._rules[project]
        self.failed = self.failed or not understood
        return own

    def _failure(self, message: str) -> None:
        self.failed = True
        print_message(message)

    @property
    def found(self) -> list[FileResult]:
        """Return the results, each file once, and report unreadable files on standard error."""
        files = {file.path: file for run in self.runs for file in run.found}
        files |= {file.path: file for file in self.streams}
        for file in files.values():
            if file.failure:
                self._failure(file.failure)
            self.failed = self.failed or any(row.code == SYNTAX for row in file.rows)
        return list(files.values())


@click.command(short_help="Report every use of torch and how it converts.")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path, allow_dash=True))
@ALL
@click.option(
    "--select",
    metavar="CODES",
    help="Report only these codes, separated by commas: TF200, or TF2 for all that begin with it.",
)
@click.option("--ignore", metavar="CODES", help="Codes not to report.")
@click.option(
    "--fix", is_flag=True, help="Convert the reported uses in files without uncommitted changes."
)
@click.option("--diff", is_flag=True, help="Print what --fix would do, and write nothing.")
@click.option(
    "--force", is_flag=True, help="With --fix: also change files with uncommitted changes."
)
@click.option(
    "--examples", is_flag=True, help="Also check code in docstrings and in Markdown files."
)
@output_format
@STATISTICS
@click.option("--quiet", "-q", is_flag=True, help="Print findings without the summary.")
@click.option("--exit-zero", is_flag=True, help="Exit with 0 even if some uses do not convert.")
@COLOUR
@click.option(
    "--baseline",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Report only findings that are not in this file.",
)
@click.option(
    "--write-baseline", is_flag=True, help="Write the findings to the file of --baseline."
)
@click.option(
    "--shard",
    metavar="I/N",
    help="Check only part I of N parts of the files, to divide the work between machines.",
)
@click.option(
    "--under",
    type=click.Choice(LAYERS),
    help="Report how each use runs unchanged under paddle.enable_compat() of the installed Paddle,"
    " which is imported, instead of how it converts.",
)
@options.JOBS
@options.NO_CACHE
@TRUST_RULES
@options.TARGET
@options.STYLE
@options.INIT
def check(
    paths: tuple[Path, ...],
    hints: bool,
    select: str | None,
    ignore: str | None,
    fix: bool,
    diff: bool,
    force: bool,
    examples: bool,
    form: str,
    statistics: bool,
    quiet: bool,
    exit_zero: bool,
    colour: str,
    baseline: Path | None,
    write_baseline: bool,
    shard: str | None,
    under: str | None,
    jobs: int | None,
    no_cache: bool,
    trust_rules: bool,
    target: str | None,
    style: str | None,
    init: str | None,
) -> None:
    """Report every use of torch in files, notebooks and folders, and how it converts.

    PATHS are files and folders, or - for standard input. [default: the current folder]

    Exit code 0: every use converts (with --under: may run); 1: some do not; 2: a file could not
    be read.
    """
    if under and (fix or diff):
        raise TorchferryError("--under checks programs as they are; omit --fix and --diff")
    _check_options(fix or diff, baseline, write_baseline, statistics, form)
    if (fix or diff) and Path("-") in paths:
        raise TorchferryError("--fix cannot change standard input; use: torchferry convert -")
    run = _Check(
        _codes("--select", select),
        _codes("--ignore", ignore),
        fix or diff,
        examples,
        share_of(shard) if shard else WHOLE,
        jobs,
        trust_rules,
        None if no_cache or under else Cache(cache_folder()),
        {"target": target, "style": style, "init": init},
        under,
    )
    for path in paths or (Path(),):
        run.of(path)
    found = run.found
    if write_baseline and baseline is not None:
        _keep(baseline, found, run.failed)
    known = gone = 0
    if baseline is not None:
        compared = beyond_baseline(baseline, found)
        found, known, gone = compared.new, compared.known, compared.gone
    if diff:
        _print_diffs(run.runs)
    else:
        modules = _write(run.runs, force) if fix else []
        hints = hints or bool(run.select)
        print_found(found, form, statistics, run.target, hints, is_coloured(colour))
        if form == TEXT and not quiet:
            _print_sum(found, fix, modules, known, gone, hints or statistics)
    remaining = any(row.severity == Severity.ERROR for file in found for row in file.rows)
    sys.exit(2 if run.failed else 1 if remaining and not exit_zero else 0)


def _check_options(
    fix: bool, baseline: Path | None, write: bool, statistics: bool, form: str
) -> None:
    if write and baseline is None:
        raise TorchferryError(
            "--write-baseline needs a file to write; give it with --baseline FILE"
        )
    if fix and baseline is not None:
        raise TorchferryError(
            "--fix and --diff also convert findings of the baseline; omit --baseline, and choose"
            " with --select"
        )
    check_statistics(statistics, form)


def _codes(option: str, words: str | None) -> tuple[str, ...]:
    try:
        return known_codes(words.split(",")) if words else ()
    except TorchferryError as error:
        raise TorchferryError(f"{option} {error}") from error


def _keep(place: Path, found: Sequence[FileResult], failed: bool) -> None:
    count = write_baseline(place, found)
    click.echo(visible(f"{amount(count, 'finding')} written to {place}."))
    sys.exit(2 if failed else 0)


def _write(runs: Sequence[CheckRun], force: bool) -> list[FileResult]:
    """Write what was converted, all or nothing; the modules of helpers, each once."""
    if not force:
        for run in runs:
            run.check_kept()
    modules = [module for run in runs for module in run.write() if module.changed]
    return list({module.path: module for module in modules}.values())


def _print_diffs(runs: Sequence[CheckRun]) -> None:
    shows = sys.stdout.isatty()
    for text in (text for run in runs for text in run.diffs()):
        # In a pipe, a diff is for a program, so every byte counts.
        click.echo(visible(text, "\n\t") if shows else text, nl=False)


def _print_sum(
    found: Sequence[FileResult],
    fix: bool,
    modules: Sequence[FileResult],
    known: int,
    gone: int,
    hints: bool,
) -> None:
    lines = [summary(found, hints)]
    if known or gone:
        are = "is" if gone == 1 else "are"
        again = f", and {gone:,} {are} no longer found: write it again with --write-baseline"
        old = again if gone else ""
        lines.append(f"{amount(known, 'finding')} of the baseline not shown{old}.")
    converts = sum(row.converts for file in found for row in file.rows)
    if fix:
        done = sum(file.converted_uses for file in found)
        written = sum(file.changed for file in [*found, *modules])
        lines.append(f"{amount(done, 'use')} converted; {amount(written, 'file')} written.")
    elif converts:
        lines.append(f"{converts:,} of them convert: --diff shows how, --fix writes it.")
    click.echo("\n".join(lines))
