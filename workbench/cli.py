"""The `torchferry` command."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NoReturn

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from workbench import files
from workbench.commands.compare import compare
from workbench.commands.rules import TRUST_RULES, in_force, rules
from workbench.commands.trace import trace
from workbench.commands.weights import weights
from workbench.convert.configuration.settings import INLINE, MODULE, Settings, settings_for
from workbench.convert.project.file_job import Order, convert_bytes, deeply
from workbench.convert.project.runner import checked, convert_path
from workbench.convert.project.vcs import clean_files
from workbench.convert.report.report import Report
from workbench.convert.report.report_text import print_report, print_row
from workbench.convert.report.written_report import KINDS, write_report
from workbench.errors import TorchferryError
from workbench.findings import Severity
from workbench.stopping import listen, stoppable
from workbench.targets import DEFAULT, INITS, PLAIN, STYLES, load
from workbench.terminal import tell, visible
from workbench.version import __version__

_TARGET = click.option(
    "--target",
    help="The framework to convert to, with a version where it matters: paddle==3.3. "
    f"[default: {DEFAULT}, or what [tool.torchferry] in pyproject.toml says]",
)

_STYLE = click.option(
    "--style",
    type=click.Choice(STYLES),
    help="How code is written: as an expert of the target would for this program (plain), or as"
    " torch is in every corner, with helper functions (exact). [default: plain, or what"
    " [tool.torchferry] says]",
)
_INIT = click.option(
    "--init",
    type=click.Choice(INITS),
    help="Whose distribution new weights follow: torch's, or the target's own (native), which reads"
    " shorter. [default: torch, or what [tool.torchferry] says]",
)

_JOBS = click.option(
    "--jobs", type=click.IntRange(1), help="Work in as many processes. [default: cores]"
)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="torchferry")
def cli() -> None:
    """Carry PyTorch code to another framework, and prove that it computes the same."""


def _settings(path: Path, **chosen: str | None) -> Settings:
    """The project's settings, but for what the command line says."""
    settings = settings_for(path).but(**chosen)
    load(settings.target, settings.style, settings.init)
    return settings


@cli.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@_TARGET
@_STYLE
@_INIT
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text")
@_JOBS
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
        settings = _settings(path, target=target, style=style, init=init)
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


@cli.command()
@click.argument("source", type=click.Path(path_type=Path, allow_dash=True))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, allow_dash=True),
    help="The file or folder to write; it is made, and nothing of SOURCE is changed.",
)
@click.option("--in-place", is_flag=True, help="Write over SOURCE, where git has it as it is.")
@click.option("--diff", is_flag=True, help="Print a unified diff, and write nothing.")
@click.option("--force", is_flag=True, help="Write over what git or an earlier run does not know.")
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
    help="Where helper functions go: into a module beside the code, or into each file."
    " [default: into a module, but for a few lines of them, and where a single file is printed]",
)
@_JOBS
@TRUST_RULES
@_TARGET
@_STYLE
@_INIT
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
    """Convert a file, a notebook or a folder; in a folder everything else is copied.

    SOURCE - reads standard input and writes standard output.

    Exit code 0: every use converted; 1: some remain, each under a comment; 2: bad input.
    """
    streams = "-" in {str(source), str(output)}
    if sum([output is not None, in_place, diff]) != 1 and not streams:
        raise TorchferryError(
            f"say what to do with {source}: -o PLACE converts to there, --in-place writes over it,"
            " --diff prints what would change (one of them)"
        )
    for place in reports:
        if place.suffix not in KINDS:
            raise TorchferryError(f"{place}: a report's name ends in one of {', '.join(KINDS)}")
    if streams and helpers == MODULE:
        raise TorchferryError("helpers in a module need a file to stand beside; name files")
    chosen = {"target": target, "style": style, "init": init}
    if streams:
        _convert_stream(source, output, chosen, trust_rules)
    if not source.exists():
        raise TorchferryError(f"{source}: no such file or folder; check the path")
    settings = _settings(source, **chosen)
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
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=errors,
        transient=True,
        disable=not errors.is_terminal,
    ) as progress:
        task = progress.add_task("Converting", total=None)

        def tick(done: int, total: int) -> None:
            progress.update(task, completed=done, total=total)

        report = convert_path(source, output, order, workers=jobs, only=only, tick=tick)
    _tell(report, diff, reports)
    sys.exit(report.exit_code if understood else 2)


def _convert_stream(
    source: Path, output: Path | None, chosen: Mapping[str, str | None], trust_rules: bool
) -> NoReturn:
    """Convert from standard input, or to standard output."""
    if str(source) == "-":
        data, folder = sys.stdin.buffer.read(), Path.cwd()
    else:
        data, folder = files.read(source), source
    settings = _settings(folder, **chosen)
    own, understood = in_force(settings, trust_rules)
    code, result = deeply(lambda: convert_bytes(data, source, settings, own))
    if output is None or str(output) == "-":
        sys.stdout.buffer.write(code)
    else:
        files.write(output, code)
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    remaining = [row for row in result.rows if row.severity == Severity.ERROR]
    for row in remaining:
        print_row(console, str(source), row)
    sys.exit(2 if not understood else 1 if remaining else 0)


def _tell(report: Report, diff: bool, places: tuple[Path, ...]) -> None:
    for file in report.failures():
        tell(file.failure)
    if diff:
        shows = sys.stdout.isatty()
        for file in report.files:
            # Down a pipe, a difference is for a program: every byte of it counts.
            click.echo(visible(file.diff, "\n\t") if shows else file.diff, nl=False)
    else:
        print_report(Console(highlight=False, soft_wrap=True), report)
    for place in places:
        write_report(report, place)


@cli.command()
@click.argument("names", nargs=-1)
@_TARGET
@click.option(
    "--style",
    type=click.Choice(STYLES),
    help="Run the cases as they are written in this style alone. [default: both; plain for rules"
    " of your own]",
)
@click.option("--share", default=1.0, show_default=True, help="Of the full number of samples.")
@click.option("--jobs", type=click.IntRange(1), help="Work in as many processes. [default: cores]")
@click.option(
    "--write",
    type=click.Path(path_type=Path, file_okay=False),
    help="Also write the record of proofs, and its pages into this folder.",
)
@click.option(
    "--rules",
    type=click.Path(path_type=Path),
    help="Prove the rules of this module of your own instead.",
)
@click.option("--changed", is_flag=True, help="Only rules that differ from those on record.")
@click.option("--json", "as_json", is_flag=True, help="Print every result.")
def prove(
    names: tuple[str, ...],
    target: str | None,
    style: str | None,
    share: float,
    jobs: int | None,
    write: Path | None,
    changed: bool,
    rules: Path | None,
    as_json: bool,
) -> None:
    """Run rules on both sides and compare: NAMES as in torch.cat or torch.fft, all without any.

    Runs each rule's own cases in both styles, and in the exact style, in many call forms, them,
    the samples of torch's databases of operators, modules and optimizers, and the examples of
    torch's documentation. Both frameworks must be installed.

    In the plain style a case may differ as a finding tells, and the target may raise: these are
    counted apart.

    Exit code 0: nothing differs without a finding; 1: something does; 2: bad input.
    """
    if rules is not None:
        from workbench.proof.own import prove as run_own

        aim = target or DEFAULT
        sys.exit(run_own(rules, names, aim, style=style or PLAIN, jobs=jobs, as_json=as_json))
    from workbench.proof.command import prove as run

    sys.exit(
        run(
            names,
            target or DEFAULT,
            style=style,
            share=share,
            jobs=jobs,
            write=write,
            changed=changed,
            as_json=as_json,
        )
    )


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


for command in (trace, compare, weights, rules):
    cli.add_command(command)


def main() -> None:
    """The entry point: errors meant for the user end the run with exit code 2."""
    listen()
    try:
        with stoppable():
            cli(prog_name="torchferry", standalone_mode=False)
    except click.ClickException as error:
        said = io.StringIO()
        error.show(said)
        click.echo(visible(said.getvalue(), "\n"), nl=False, err=True)
        sys.exit(2)
    except TorchferryError as error:
        tell(error)
        sys.exit(2)
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        tell(f"{place}{error.strerror or error}; check the path")
        sys.exit(2)


if __name__ == "__main__":
    main()
