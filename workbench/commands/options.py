"""Options that commands share, and the output of their results."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import click
from rich.console import Console

from workbench.commands import shown
from workbench.commands.model_request import ModelRequest, Training
from workbench.commands.watched import watched
from workbench.targets import DEFAULT

Command = Callable[..., Any]
Fields = TypeVar("Fields")


@dataclass(frozen=True)
class Ending:
    """The destination of a result, and the longest time for one step towards it."""

    reports: tuple[Path, ...]
    style: str
    patience: float

    def check(self) -> None:
        """Refuse reports of an unknown kind before any work is done."""
        shown.check_places(self.reports)

    def of(self, work: Callable[..., shown.Sheet]) -> NoReturn:
        """Do the work in a separate process, show the result, and exit with 0 or 1."""
        sheet: shown.Sheet = watched(work, patience=self.patience)
        present(shown.terminal(), sheet, self.reports, self.style)
        sys.exit(0 if sheet.good else 1)


def subject(command: Command) -> Command:
    """Add FILE:NAME and its inputs; the command takes them as `asked`."""
    command = _gathered(command, "asked", ModelRequest)
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
                help="Dimensions that may vary: auto, or INPUT[AXIS]=NAME, optionally with a range:"
                " x[0]=batch:1-64.",
            ),
            click.option("--train", is_flag=True, help="Run the model in training mode."),
            click.option(
                "--target",
                "--to",
                "target",
                default=DEFAULT,
                show_default=True,
                help="The target framework.",
            ),
            click.option(
                "--device",
                default="cpu",
                show_default=True,
                help="Where both sides run, named as in torch: cuda, cuda:1.",
            ),
        )
    ):
        command = decorate(command)
    return command


STEPS = click.option(
    "--steps",
    type=click.IntRange(1),
    default=5,
    show_default=True,
    help="Number of training steps.",
)


def training(command: Command) -> Command:
    """Add the options of training; the command takes them as `training`."""
    command = _gathered(command, "training", Training)
    for name, text in (
        ("batch", "A function in FILE that returns inputs and targets, to train the model."),
        ("loss", "A function in FILE that takes outputs and targets."),
        ("optimizer", "A function in FILE that takes the model and returns an optimizer."),
    ):
        command = click.option(f"--{name}", default="", metavar="NAME", help=text)(command)
    return command


FORMAT = click.option(
    "--output-format",
    "style",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="How the result is printed.",
)


def output(command: Command) -> Command:
    """Add the options of the result and its time limit; the command takes them as `ending`."""
    command = _gathered(command, "ending", Ending)
    for decorate in reversed(
        (
            click.option(
                "--report",
                "reports",
                multiple=True,
                type=click.Path(path_type=Path, dir_okay=False),
                help=f"Also write a report; its name ends in one of {', '.join(shown.KINDS)}.",
            ),
            FORMAT,
            click.option(
                "--patience",
                type=click.FloatRange(min=0, min_open=True),
                default=600.0,
                show_default=True,
                help="Stop if nothing is reported for this many seconds.",
            ),
        )
    ):
        command = decorate(command)
    return command


def _gathered(command: Command, name: str, kind: type[Fields]) -> Command:
    """Return the command with the options that are fields of a class given as one value of it."""
    names = [field.name for field in fields(kind)]  # type: ignore[arg-type]

    @wraps(command)
    def call(**options: Any) -> Any:
        value = kind(**{field: options.pop(field) for field in names})
        return command(**options, **{name: value})

    return call


def present(console: Console, sheet: shown.Sheet, reports: tuple[Path, ...], style: str) -> None:
    """Show a result and write its reports."""
    if style == "json":
        click.echo(shown.as_json(sheet), nl=False)
    else:
        shown.show(console, sheet)
    for place in reports:
        shown.write(sheet, place)
