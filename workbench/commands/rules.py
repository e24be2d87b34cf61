"""`torchferry rules`: whether a project's own rules, which are code, may run; and their running."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from workbench.convert.configuration import trust
from workbench.convert.configuration.settings import Settings, settings_for
from workbench.errors import TorchferryError
from workbench.targets.own import read
from workbench.terminal import print_message, visible

TRUST_RULES = click.option(
    "--trust-rules",
    is_flag=True,
    help="Run the project's own rules, Python code named in [tool.torchferry] of pyproject.toml."
    " [default: only after `torchferry rules trust`]",
)

_FOLDER = click.argument("folder", type=click.Path(path_type=Path, file_okay=False), default=Path())


def in_force(settings: Settings, trust_rules: bool) -> tuple[Path | None, bool]:
    """Run the project's own rules where the user lets them, and say how many there are, or why not.

    Args:
        settings: those of the project.
        trust_rules: the user lets them run this time.

    Returns:
        The module to convert by, and False where something in it is wrong.
    """
    if settings.rules is None or settings.file is None:
        return None, True
    folder = settings.file.parent
    if not trust_rules and not trust.trusted(folder):
        for_good = f"torchferry rules trust {_shell(folder)}"
        print_message(
            f"the project's own rules are not used: {settings.rules} is code that would run."
            " Allow it"
            f" with --trust-rules, or permanently: {for_good}"
        )
        return None, True
    own = read(settings.target, settings.rules)
    for problem in own.problems:
        print_message(problem)
    print_message(f"{len(own.rules)} own rules from {settings.rules}")
    return settings.rules, not own.problems


def _shell(folder: Path) -> str:
    return shlex.quote(str(folder))


@click.group()
def rules() -> None:
    """Choose which projects' own rules may run.

    Rules that [tool.torchferry] in a pyproject.toml names are Python code of that project. They run
    only with --trust-rules, or after `torchferry rules trust FOLDER`.
    """


@rules.command("trust")
@_FOLDER
def trust_(folder: Path) -> None:
    """Trust the rules of the project in FOLDER, so that they run. [default: this folder]"""
    settings = settings_for(folder)
    if settings.rules is None or settings.file is None:
        raise TorchferryError(
            f"{folder}: no pyproject.toml there names rules; give the folder of one that does"
        )
    trust.trust(settings.file.parent)
    again = f"torchferry rules revoke {_shell(folder)}"
    click.echo(visible(f"{settings.rules} may run; to revoke this: {again}"))


@rules.command()
@_FOLDER
def revoke(folder: Path) -> None:
    """Stop trusting the rules of the project in FOLDER. [default: this folder]"""
    known = trust.trusted_folders()
    place = folder.resolve()
    found = next((one for one in (place, *place.parents) if one in known), None)
    if found is None:
        raise TorchferryError(f"{folder}: its rules may not run; see: torchferry rules list")
    trust.revoke(found)
    click.echo(visible(f"the rules of {found} no longer run"))


@rules.command("list")
def list_() -> None:
    """Print the folders whose rules may run."""
    folders = trust.trusted_folders()
    for folder in folders:
        click.echo(visible(str(folder)))
    if not folders:
        click.echo("No project's rules may run.", err=True)
