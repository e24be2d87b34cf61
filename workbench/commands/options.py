"""Options that commands share, and how they tell what they found."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
from rich.console import Console

from workbench.commands import shown
from workbench.targets import NAMES

Command = TypeVar("Command", bound=Callable[..., Any])


def subject(command: Command) -> Command:
    """FILE:NAME, and what it is called with."""
    for decorate in reversed(
        (
            click.argument("place", metavar="FILE:NAME"),
            click.option(
                "--inputs",
                "-i",
                multiple=True,
                metavar="INPUT",
                help="One input, or NAME=INPUT for a keyword: a shape to draw (1x3x224x224,"
                " 2x16:int64, 2x16:int64:5000), a file of tensors (.pt, .npy, .safetensors), a"
                " name in FILE, or a plain value. [default: example_inputs in FILE]",
            ),
            click.option(
                "--dynamic",
                "-d",
                multiple=True,
                metavar="DIM",
                help="Dimensions that may vary: auto, or INPUT[AXIS]=NAME, with a range where it"
                " has one: x[0]=batch:1-64.",
            ),
            click.option("--train", is_flag=True, help="In training mode, not evaluation."),
            click.option("--target", default=NAMES[0], show_default=True),
        )
    ):
        command = decorate(command)
    return command


def output(command: Command) -> Command:
    """Where the result goes, and how long to wait for it."""
    for decorate in reversed(
        (
            click.option(
                "--report",
                "reports",
                multiple=True,
                type=click.Path(path_type=Path, dir_okay=False),
                help=f"Also write a report; its name ends in one of {', '.join(shown.KINDS)}.",
            ),
            click.option("--format", "style", type=click.Choice(["text", "json"]), default="text"),
            click.option(
                "--patience",
                type=click.FloatRange(min=0, min_open=True),
                default=600.0,
                show_default=True,
                help="Seconds that one step may take before it is ended.",
            ),
        )
    ):
        command = decorate(command)
    return command


def tell(console: Console, sheet: shown.Sheet, reports: tuple[Path, ...], style: str) -> None:
    """Show a result and write its reports."""
    if style == "json":
        click.echo(shown.as_json(sheet), nl=False)
    else:
        shown.show(console, sheet)
    for place in reports:
        shown.write(sheet, place)
