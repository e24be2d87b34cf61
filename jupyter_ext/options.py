"""The options of the magics: what may stand on their first line, and what it means."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import NoReturn

from jupyter_ext.errors import ConvertError
from workbench.errors import UnknownTargetError
from workbench.targets import DEFAULT, INITS, NAMES, STYLES, split_spec

PARTS = ("code", "values", "findings")
LAUNCHERS = ("torch", "target")
RESULTS = ("mirror", "insert", "replace")


@dataclass(frozen=True, slots=True)
class ConvertOptions:
    """The first line of a `%%convert` cell, understood."""

    target: str = DEFAULT
    style: str | None = None
    init: str | None = None
    device: str = "cpu"
    target_device: str | None = None
    run: bool = True
    seed: int | None = None
    relative: float | None = None
    absolute: float | None = None
    show: tuple[str, ...] = PARTS
    repeats: int = 1
    result: str = "mirror"
    isolated: bool = False
    timeout: float = 300.0
    memory: float | None = None
    processes: int = 1
    launcher: str = "torch"
    first_line: int = 2  # the reader's number of the line below


class MagicParser(argparse.ArgumentParser):
    """A parser of a magic's line; its help is part of the magic's own."""

    def __init__(self, magic: str) -> None:
        super().__init__(magic, add_help=False, allow_abbrev=False)

    def add_target(self) -> None:
        """Add the option that names the target."""
        self.add_argument(
            "--to",
            "--target",
            default=DEFAULT,
            type=_target_of_code,
            metavar="TARGET",
            help=f"framework to convert to ({DEFAULT})",
        )

    def error(self, message: str) -> NoReturn:
        raise ConvertError(
            f"{self.prog}: {message}{self._meant(message)}; {self.prog}? lists the options"
        )

    def _meant(self, message: str) -> str:
        """Return a question about options that look like unknown ones."""
        _, unknown, words = message.partition("unrecognized arguments: ")
        known = list(self._option_string_actions)
        close = [
            found
            for word in words.split()
            if unknown and word.startswith("-")
            for found in get_close_matches(word.partition("=")[0], known, n=1)
        ]
        return f"; did you mean {' and '.join(close)}?" if close else ""


def _target_of_code(spec: str) -> str:
    """Return a target's name, unless it is unknown."""
    try:
        split_spec(spec)
    except UnknownTargetError as error:
        raise ConvertError(str(error)) from None
    return spec


def convert_parser() -> argparse.ArgumentParser:
    """Return the parser of `%%convert`."""
    parser = MagicParser("%%convert")
    parser.add_target()
    add = parser.add_argument
    add(
        "--style",
        choices=STYLES,
        help="how code is written: as an expert of the target writes it (plain), or with helper"
        " functions that follow torch in every edge case (exact); default: the project's"
        " setting, or plain",
    )
    add(
        "--init",
        choices=INITS,
        help="how new weights are initialized: as torch does it, or as the target does it (native)",
    )
    add("--device", default="cpu", help="device of both sides, named as in torch (cpu)")
    add("--target-device", metavar="DEVICE", help="device of the converted side, if it differs")
    add(
        "--result",
        choices=RESULTS,
        default="mirror",
        help="what to do with the converted code: keep only its names, in the mirror namespace"
        " (mirror), also write it into a new cell below (insert), or replace this cell with it"
        " if both sides agree (replace)",
    )
    add(
        "--repeats",
        type=int,
        default=1,
        metavar="N",
        help="time N runs from the same start, after one warm-up run, and show the medians",
    )
    add(
        "--isolated",
        action="store_true",
        help="run both sides in a guarded worker, in which a crash, a hang or a lack of memory"
        " only gives a message",
    )
    add("--timeout", type=float, default=300.0, metavar="S", help="seconds for workers (300)")
    add("--memory", type=float, metavar="GB", help="memory for the worker (most of what is free)")
    add(
        "--processes",
        type=int,
        default=1,
        metavar="N",
        help="run the cell on N processes, connected through gloo, and compare rank by rank",
    )
    add(
        "--launcher",
        choices=LAUNCHERS,
        default="torch",
        help="the launcher that starts these processes: torchrun, or the target's (torch)",
    )
    add("--no-run", action="store_true", help="only convert, and run nothing")
    add("--seed", type=int, metavar="N", help="seed every random stream of both sides first")
    add("--rtol", type=float, metavar="X", help="relative tolerance of floating-point values")
    add("--atol", type=float, metavar="X", help="absolute tolerance of floating-point values")
    add(
        "--show",
        default="all",
        metavar="PARTS",
        help="parts to show, separated by commas: code, values, findings; or all, or none",
    )
    # For callers that put the magic in front of a cell without it.
    add("--added", action="store_true", help=argparse.SUPPRESS)
    return parser


def read_convert(line: str, settings: Sequence[str] = ()) -> ConvertOptions:
    """Return the options of a `%%convert` line, which override the session's settings.

    Raises:
        ConvertError: the line contains an unknown option.
    """
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise ConvertError(f"%%convert: {error}") from None
    found = convert_parser().parse_args([*settings, *words])
    for name in ("repeats", "processes"):
        if getattr(found, name) < 1:
            raise ConvertError(f"%%convert: --{name} needs a number of at least 1")
    return ConvertOptions(
        target=found.to,
        style=found.style,
        init=found.init,
        device=found.device,
        target_device=found.target_device,
        run=not found.no_run,
        seed=found.seed,
        relative=found.rtol,
        absolute=found.atol,
        show=_parts(found.show),
        repeats=found.repeats,
        result=found.result,
        isolated=found.isolated,
        timeout=found.timeout,
        memory=found.memory,
        processes=found.processes,
        launcher=found.launcher,
        first_line=1 if found.added else 2,
    )


def option_words() -> list[str]:
    """Return every option of `%%convert`, as it is written."""
    actions = (one for one in convert_parser()._actions if one.help != argparse.SUPPRESS)
    return sorted(word for action in actions for word in action.option_strings)


def values_of(option: str) -> list[str]:
    """Return the possible values of an option, or an empty list if they are unknown."""
    found = next((a for a in convert_parser()._actions if option in a.option_strings), None)
    if found is None:
        return []
    if option == "--show":
        return [*PARTS, "all", "none"]
    if option in ("--to", "--target"):
        return list(NAMES)
    if option in ("--device", "--target-device"):
        return ["cpu", "cuda", "xpu"]
    return [str(choice) for choice in found.choices or ()]


def _parts(text: str) -> tuple[str, ...]:
    if text in ("all", "none"):
        return PARTS if text == "all" else ()
    named = tuple(part.strip() for part in text.split(","))
    for part in named:
        if part not in PARTS:
            raise ConvertError(
                f"--show: {part!r} is not a part; give some of {', '.join(PARTS)}, or only all or"
                " none"
            )
    return named
