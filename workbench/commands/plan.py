"""`torchferry plan`: the plan of a port, as a file that a person edits."""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import Console

from workbench.commands import conversion_options as options
from workbench.commands.rules import TRUST_RULES, in_force
from workbench.convert.project.file_job import Order
from workbench.errors import TorchferryError
from workbench.ports.plan import PLAN, Plan, amount
from workbench.ports.planning import write_plan
from workbench.terminal import visible


@click.command(short_help="Plan the port of a project.")
@click.argument(
    "folder", type=click.Path(path_type=Path, file_okay=False, exists=True), default=Path()
)
@click.option("--force", is_flag=True, help="Overwrite a plan with uncommitted edits.")
@options.JOBS
@TRUST_RULES
@options.TARGET
@options.STYLE
@options.INIT
def plan(
    folder: Path,
    force: bool,
    jobs: int | None,
    trust_rules: bool,
    target: str | None,
    style: str | None,
    init: str | None,
) -> None:
    """Write torchferry-plan.md for the project in FOLDER: sizes, risks, and steps to edit.

    FOLDER is the current folder by default. A step is a file, with the models that verify it; the
    steps follow the order of the imports. torchferry port carries them out. An existing plan is
    updated, and keeps its decisions and notes. The project itself is neither changed nor run.

    Exit code 0: the plan is written; 2: bad input.
    """
    settings = options.settings_of(folder, target=target, style=style, init=init)
    own, understood = in_force(settings, trust_rules)
    if not understood:
        raise TorchferryError("the project's own rules are wrong; correct them first")
    order = Order(settings.target, settings, helpers=settings.helpers, rules=own)
    _show(folder, write_plan(folder, order, force=force, workers=jobs))


def _show(folder: Path, plan: Plan) -> None:
    console = Console(highlight=False, soft_wrap=True)
    found = plan.assessment
    console.print(
        visible(
            f"{amount(found.torch_files, 'file')} with torch, {amount(found.uses, 'use')},"
            f" {found.converted:,} of them convert"
        )
    )
    person = [step for step in plan.chosen if step.stays and not step.accepted]
    ran = sum(bool(step.trials) for step in plan.chosen)
    modules = sum(step.kind == "module" for step in plan.chosen)
    console.print(
        f"{amount(len(plan.chosen), 'step')}; {ran} of {modules} modules have models to run"
    )
    if person:
        more = f" and {len(person) - 3} more" if len(person) > 3 else ""
        paths = ", ".join(step.path for step in person[:3])
        console.print(
            visible(f"{amount(len(person), 'step')} with uses for a person: {paths}{more}")
        )
    for risk in found.risks[:5]:
        console.print(visible(f"risk: {risk.kind} in {risk.place}"))
    console.print(
        visible(
            f"Read and edit {folder / PLAN}, then run: torchferry port {_shown(folder)}"
        ).rstrip()
    )


def _shown(folder: Path) -> str:
    return "" if folder == Path() else str(folder)
