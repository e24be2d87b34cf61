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
    help="The framework to convert to, optionally with a version: paddle==3.3. "
    f"[default: {DEFAULT}, or what [tool.torchferry] in pyproject.toml says]",
)
STYLE = click.option(
    "--style",
    type=click.Choice(STYLES),
    help="How code is written: as an expert of the target writes it (plain), or with helper"
    " functions that follow torch in every edge case (exact). [default: plain, or what"
    " [tool.torchferry] says]",
)
INIT = click.option(
    "--init",
    type=click.Choice(INITS),
    help="How new weights are initialized: as torch does it, or as the target does it (native),"
    " which needs less code. [default: torch, or what [tool.torchferry] says]",
)
JOBS = click.option(
    "--jobs",
    type=click.IntRange(1),
    help="Number of worker processes. [default: the number of cores]",
)
NO_CACHE = click.option("--no-cache", is_flag=True, help="Do not use or store cached results.")


def settings_of(path: Path, **chosen: str | None) -> Settings:
    """Return the project's settings, overridden by the command line.

    Raises:
        TorchferryError: the settings cannot be read, or the target is unknown.
    """
    settings = settings_for(path).but(**chosen)
    load(settings.target, settings.style, settings.init)
    return settings
