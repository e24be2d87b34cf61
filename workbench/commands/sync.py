"""`torchferry sync`: merge changes of the original into its port."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from workbench.commands import conversion_options as options
from workbench.commands.rules import TRUST_RULES, in_force
from workbench.convert.project.file_job import Order
from workbench.errors import TorchferryError
from workbench.terminal import visible


@click.command(short_help="Merge changes of the original into its port.")
@click.argument("original", required=False, metavar="[ORIGINAL]")
@click.option(
    "--folder",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    default=Path(),
    help="The project's folder. [default: the current folder]",
)
@click.option(
    "--continue",
    "resume",
    is_flag=True,
    help="Continue after you have resolved conflicts or edited the port.",
)
@click.option("--abort", is_flag=True, help="Restore the port as it was before the sync.")
@click.option(
    "--patience",
    type=click.FloatRange(min=0, min_open=True),
    default=600.0,
    show_default=True,
    help="Stop a model's run if it reports nothing for this many seconds.",
)
@options.JOBS
@TRUST_RULES
def sync(
    original: str | None,
    folder: Path,
    resume: bool,
    abort: bool,
    patience: float,
    jobs: int | None,
    trust_rules: bool,
) -> None:
    """Merge the changes of the original, up to ORIGINAL, into its port.

    ORIGINAL is a revision of git, such as upstream/main, or a folder with a newer release. Both
    versions of the original are converted, and the difference is merged into the port. Your edits
    of the port are kept: where both sides changed the same lines, a conflict shows both. Then the
    changed files, and those that import them, are verified, and everything is committed at once.

    Exit code 0: committed; 1: a conflict or a difference needs a person; 2: bad input.
    """
    from workbench.commands.port_runs import ProcessRuns
    from workbench.ports.folder import open_plan
    from workbench.ports.plan import amount
    from workbench.ports.repository import Repository
    from workbench.ports.steps import Porter
    from workbench.ports.syncing import Follower

    ways = [original is not None, resume, abort]
    if sum(ways) != 1:
        raise TorchferryError(
            "give one of these: a revision or folder of the original, --continue, --abort"
        )
    plan = open_plan(folder)[0]
    settings = options.settings_of(folder, target=plan.target, style=plan.style, init=plan.init)
    own, understood = in_force(settings, trust_rules)
    if not understood:
        raise TorchferryError("the project's own rules are wrong; correct them first")
    order = Order(settings.target, settings, helpers=settings.helpers, rules=own)

    def say(line: str) -> None:
        click.echo(visible(line))

    runs = ProcessRuns(order.target.partition("=")[0], patience)
    follower = Follower(Porter(folder, Repository(folder), order, runs, say), say)
    if abort:
        for path in follower.abort():
            say(f"{path}: restored")
        sys.exit(0)
    found = follower.resume() if original is None else follower.begin(original, jobs)
    for path, one in found.verified:
        summary = f", {one.summary}" if one.summary else ""
        say(f"{path}: {one.call or 'import'}: {one.outcome}{summary}")
    if found.commit:
        say(f"{amount(len(found.sync.changed), 'file')} merged, in {found.commit[:9]}")
        if any(path.endswith((".py", ".ipynb")) for path in found.sync.fresh):
            say("The original has new files: torchferry plan adds them to the plan")
        sys.exit(0)
    for reason in found.reasons:
        say(reason)
    say("Edit these files, then: torchferry sync --continue; or: torchferry sync --abort")
    sys.exit(1)
