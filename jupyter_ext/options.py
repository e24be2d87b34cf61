"""The options of the magics: what may stand on their first line, and what it means."""

from __future__ import annotations

import argparse
import shlex
from dataclasses import dataclass
from typing import NoReturn

from jupyter_ext.errors import ConvertError

PARTS = ("code", "values", "findings")


@dataclass(frozen=True, slots=True)
class ConvertOptions:
    """The first line of a `%%convert` cell, understood."""

    target: str = "paddle"
    device: str = "cpu"
    target_device: str | None = None
    run: bool = True
    seed: int | None = None
    relative: float | None = None
    absolute: float | None = None
    show: tuple[str, ...] = PARTS


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise ConvertError(f"{self.prog}: {message}; {self.prog}? lists the options")


def convert_parser() -> argparse.ArgumentParser:
    """The parser of `%%convert`; its help is part of the magic's own."""
    parser = _Parser("%%convert", add_help=False, allow_abbrev=False)
    add = parser.add_argument
    add("--to", default="paddle", metavar="TARGET", help="framework to convert to (paddle)")
    add("--device", default="cpu", help="device of both sides, in torch's words (cpu)")
    add("--target-device", metavar="DEVICE", help="device of the converted side, if another")
    add("--no-run", action="store_true", help="only convert; run neither side")
    add("--seed", type=int, metavar="N", help="seed every random stream of both sides first")
    add("--rtol", type=float, metavar="X", help="relative tolerance of floating-point values")
    add("--atol", type=float, metavar="X", help="absolute tolerance of floating-point values")
    add(
        "--show",
        default="all",
        metavar="PARTS",
        help="parts to show, with commas between: code, values, findings; or all, or none",
    )
    return parser


def read_convert(line: str) -> ConvertOptions:
    """The options of a `%%convert` line.

    Raises:
        ConvertError: the line holds something that is no option.
    """
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise ConvertError(f"%%convert: {error}") from None
    found = convert_parser().parse_args(words)
    return ConvertOptions(
        found.to,
        found.device,
        found.target_device,
        not found.no_run,
        found.seed,
        found.rtol,
        found.atol,
        _parts(found.show),
    )


def _parts(text: str) -> tuple[str, ...]:
    if text in ("all", "none"):
        return PARTS if text == "all" else ()
    named = tuple(part.strip() for part in text.split(","))
    for part in named:
        if part not in PARTS:
            raise ConvertError(f"--show knows {', '.join(PARTS)}, all and none, not {part!r}")
    return named
