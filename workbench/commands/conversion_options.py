"""Options of the commands that convert: the target, the style, and how many processes work."""

from __future__ import annotations

from pathlib import Path

import click

from workbench.convert.configuration.settings import Settings, settings_for
from workbench.targets import DEFAULT, INITS, STYLES, load

TARGET = click.option(
    "--target",
    "--to",
    "target",
    help="The framework to convert to, with a version where it matters: paddle==3.3. "
    f"[default: {DEFAULT}, or what [tool.torchferry] in pyproject.toml says]",
)
STYLE = click.option(
    "--style",
    type=click.Choice(STYLES),
    help="How code is written: as an expert of the target would for this program (plain), or as"
    " torch is in every corner, with helper functions (exact). [default: plain, or what"
    " [tool.torchferry] says]",
)
INIT = click.option(
    "--init",
    type=click.Choice(INITS),
    help="Whose distribution new weights follow: torch's, or the target's own (native), which reads"
    " shorter. [default: torch, or what [tool.torchferry] says]",
)
JOBS = click.option(
    "--jobs", type=click.IntRange(1), help="Work in as many processes. [default: cores]"
)
NO_CACHE = click.option(
    "--no-cache", is_flag=True, help="Neither read nor keep results of earlier runs."
)


def settings_of(path: Path, **chosen: str | None) -> Settings:
    """The project's settings, but for what the command line says.

    Raises:
        TorchferryError: the settings cannot be read, or there is no such target.
    """
    settings = settings_for(path).but(**chosen)
    load(settings.target, settings.style, settings.init)
    return settings
