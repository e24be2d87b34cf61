"""`torchferry port`: carry out the plan of a project, or convert a notebook into a second one."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import click

from workbench.commands import conversion_options as options
from workbench.commands.rules import TRUST_RULES, in_force
from workbench.convert.project.file_job import Order
from workbench.convert.project.notebook_port import EditedPortError, port_notebook, port_place
from workbench.errors import TorchferryError
from workbench.files import NOTEBOOK, check_ending
from workbench.targets import DEFAULT
from workbench.terminal import visible


@dataclass(frozen=True, slots=True)
class Way:
    """The steps of a plan that are carried out or undone, and where they go."""

    resume: bool
    undone: tuple[str, ...]
    steps: int | None
    branch: str | None
    bridge: bool


_FOR_NOTEBOOKS = "With a NOTEBOOK: "


@click.command(short_help="Carry out the plan of a project, or port a notebook.")
@click.argument(
    "path", type=click.Path(path_type=Path), default=Path(), metavar="[FOLDER|NOTEBOOK]"
)
@click.option("--dry-run", is_flag=True, help="Show the steps that are open, and change nothing.")
@click.option(
    "--continue",
    "resume",
    is_flag=True,
    help="Continue with the step that stopped, with your edits of its file.",
)
@click.option(
    "--undo",
    "undone",
    multiple=True,
    metavar="STEP",
    help="Undo a step, given by its path or its number. Can be repeated.",
)
@click.option("--steps", type=click.IntRange(1), help="The most steps to carry out.")
@click.option(
    "--branch",
    help="The branch to commit to. [default: torchferry/TARGET, created before the first step]",
)
@click.option(
    "--bridge",
    is_flag=True,
    help="Keep the project running meanwhile: files that are still in torch get lines that let them"
    " use the ported files.",
)
@click.option(
    "--patience",
    type=click.FloatRange(min=0, min_open=True),
    default=600.0,
    show_default=True,
    help="Stop a model's run if it reports nothing for this many seconds.",
)
@options.JOBS
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help=_FOR_NOTEBOOKS + "the file to write, in the same folder. [default: NAME_TARGET.ipynb]",
)
@click.option("--force", is_flag=True, help=_FOR_NOTEBOOKS + "overwrite a port that was edited.")
@click.option(
    "--verify",
    is_flag=True,
    help=_FOR_NOTEBOOKS + "run the port, and compare its outputs with the original's.",
)
@TRUST_RULES
@options.TARGET
@options.STYLE
@options.INIT
def port(
    path: Path,
    dry_run: bool,
    resume: bool,
    undone: tuple[str, ...],
    steps: int | None,
    branch: str | None,
    bridge: bool,
    patience: float,
    jobs: int | None,
    output: Path | None,
    force: bool,
    verify: bool,
    trust_rules: bool,
    target: str | None,
    style: str | None,
    init: str | None,
) -> None:
    """Carry out the plan of the project in FOLDER, or port a NOTEBOOK.

    For a folder (by default the current one), the steps in torchferry-plan.md are carried out. A
    step converts a file, compiles it, runs the models and tests that verify it, and commits it with
    their certificates. The command stops at a step that needs a person. Only files that git tracks
    are changed.

    For a notebook, NAME_TARGET.ipynb is written next to it. Modules in its folder that it imports
    and that use torch are converted to MODULE_TARGET.py. No original is changed, and an edited port
    is not overwritten.

    Exit code 0: every step is done, or every use converted; 1: a step needs a person, a use remains
    or an output differs; 2: bad input.
    """
    if path.is_dir():
        given = {"--output": output is not None, "--force": force, "--verify": verify}
        given |= {"--target": target is not None, "--style": style is not None}
        _refuse(given | {"--init": init is not None}, "not for a folder: its plan decides")
        way = Way(resume, undone, steps, branch, bridge)
        _port_folder(path, dry_run, way, patience, jobs, trust_rules)
    given = {"--dry-run": dry_run, "--continue": resume, "--undo": bool(undone)}
    given |= {"--steps": steps is not None, "--branch": branch is not None}
    given |= {"--bridge": bridge}
    _refuse(given, "for a folder with a plan, not for a notebook")
    if path.suffix != NOTEBOOK:
        raise TorchferryError(f"{path} is not a notebook; use torchferry convert for other files")
    if output is not None:
        check_ending(output, path)
    settings = options.settings_of(path, target=target, style=style, init=init)
    own, understood = in_force(settings, trust_rules)
    order = Order(settings.target, settings, helpers=settings.helpers, rules=own)
    code, place = 0, output or port_place(path, settings.target)
    try:
        written = port_notebook(path, order, place, force=force)
        click.echo(written.summary())
        code = written.report.exit_code
    except EditedPortError as error:
        if not verify:
            raise
        click.echo(f"{error}; the existing port is verified")
    if verify:
        from workbench.verify.notebook import verify_notebook

        click.echo(f"running {place}, cell by cell ...", err=True)
        verified = verify_notebook(path, place)
        click.echo(str(verified))
        code = max(code, 0 if verified.agrees else 1)
    sys.exit(code if understood else 2)


def _refuse(given: dict[str, bool], why: str) -> None:
    for name, is_given in given.items():
        if is_given:
            raise TorchferryError(f"{name} is {why}")


def _port_folder(
    folder: Path,
    dry_run: bool,
    way: Way,
    patience: float,
    jobs: int | None,
    trust_rules: bool,
) -> NoReturn:
    """Carry out a plan, take steps back, or show the open ones."""
    from workbench.commands.port_runs import ProcessRuns
    from workbench.ports.folder import open_plan
    from workbench.ports.repository import Repository
    from workbench.ports.steps import Porter
    from workbench.ports.undoing import undo

    plan = open_plan(folder)[0]
    if dry_run:
        _show_open(plan)
    settings = options.settings_of(folder, target=plan.target, style=plan.style, init=plan.init)
    own, understood = in_force(settings, trust_rules)
    if not understood:
        raise TorchferryError("the project's own rules are wrong; correct them first")
    order = Order(settings.target, settings, helpers=settings.helpers, rules=own)
    name = order.target.partition("=")[0]
    runs = ProcessRuns(name, patience)
    porter = Porter(folder, Repository(folder), order, runs, lambda line: click.echo(visible(line)))
    if way.undone:
        for line in undo(porter, way.undone):
            click.echo(visible(line))
        sys.exit(0)
    if way.bridge and name != DEFAULT:
        raise TorchferryError(f"--bridge is for the target {DEFAULT}, not for {name}")
    stop = porter.run(
        way.branch or f"torchferry/{name}",
        resume=way.resume,
        steps=way.steps,
        workers=jobs,
        bridge=way.bridge,
    )
    if stop is not None:
        click.echo(visible(f"{stop.step.path}: stopped: {stop.reason}"))
        for line in stop.details:
            click.echo(visible(f"  {line}"))
        click.echo("What you can do:")
        for option in stop.ways:
            click.echo(visible(f"- {option}"))
        sys.exit(1)
    left = [step for step in porter.plan.chosen if step.done is None]
    done = len(porter.plan.chosen) - len(left)
    click.echo(f"{done} of {len(porter.plan.chosen)} steps done, on {porter.plan.branch}")
    if left:
        click.echo("Next: torchferry port")
    sys.exit(0)


def _show_open(plan: object) -> NoReturn:
    """Print the open steps with what would stop them."""
    from workbench.ports.plan import Plan

    assert isinstance(plan, Plan)
    if plan.next is None:
        click.echo("No step is open. Next: torchferry report port")
    for step in plan.chosen:
        if step.done is not None:
            continue
        click.echo(visible(f"[{plan.number(step)}/{len(plan.chosen)}] {step.path}: {step.effort}"))
        for trial in step.trials:
            inputs = ", ".join(trial.inputs) or "guessed inputs"
            click.echo(visible(f"    verify {trial.call} with {inputs}"))
        if step.stays and not step.accepted:
            click.echo(visible(f"    stops: {step.stays[0]}"))
    sys.exit(0)
