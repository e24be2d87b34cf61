"""`torchferry weights`: a checkpoint of torch as one of the target."""

from __future__ import annotations

import sys
import warnings
from functools import partial
from pathlib import Path
from typing import NoReturn

import click
from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)

from workbench.commands import options, shown
from workbench.commands.shown import Rows, Sheet, amount
from workbench.errors import TorchferryError
from workbench.targets import DEFAULT


@click.command(short_help="Convert a checkpoint of torch for the target, or back.")
@click.argument("source", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help="The file to write: model.pdparams, model.safetensors, or model.pt for torch.",
)
@click.option(
    "--for",
    "program",
    default="",
    metavar="FILE[:NAME]",
    help="The converted program that will load the weights, or a layer, class or function in it.",
)
@click.option(
    "--map",
    "certificate",
    type=click.Path(path_type=Path, dir_okay=False),
    help="A certificate of torchferry verify, whose pairs say where each weight goes, in both"
    " directions.",
)
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
@click.option(
    "--target",
    "--to",
    "target",
    default=DEFAULT,
    show_default=True,
    help="The framework to convert to or from.",
)
@click.option(
    "--report",
    "reports",
    multiple=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help=f"Also write a report; its name ends in one of {', '.join(shown.KINDS)}.",
)
@options.FORMAT
def weights(
    source: Path,
    output: Path,
    program: str,
    certificate: Path | None,
    force: bool,
    target: str,
    reports: tuple[Path, ...],
    style: str,
) -> None:
    """Convert a checkpoint of torch to the target's format, or back.

    SOURCE is a .pt, .pth, .bin or .safetensors file, the index of a sharded checkpoint, or a folder
    that has one. To write a .pt file, SOURCE is a file of the target. It is read as data: no code
    in it runs. Epochs, losses and settings in it are kept. From .safetensors to .safetensors, one
    tensor at a time is in memory; with --map, the tensors of one pair.

    By default names and layouts stay torch's, as generated modules and code in the exact style
    expect. The target's own layers store some weights in another layout. To write that layout, give
    the converted program with --for. A FILE is only read, to find the layer of each weight; a
    FILE:NAME is run. A handwritten port may name, fuse, split or stack weights differently: verify
    it with --json, and give the certificate with --map.

    Exit code 0: all was converted; 1: some of SOURCE was left out, with the reason; 2: bad input.
    """
    shown.check_places(reports)
    if output.exists() and not force:
        raise TorchferryError(f"{output}: this file exists; give another name, or --force")
    if not output.parent.is_dir():
        raise TorchferryError(f"{output.parent}: no such folder; create it first")
    # Paddle warns about compilers when it is imported.
    warnings.filterwarnings("ignore", message="No ccache found")
    if certificate is not None:
        if program:
            raise TorchferryError("--for and --map exclude each other; use only one of them")
        _write_mapped(source, output, certificate, reports, style)
    from workbench.weights.whole_files import write

    errors = Console(stderr=True, highlight=False)
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TimeRemainingColumn(),
        console=errors,
        transient=True,
        disable=not errors.is_terminal,
    ) as progress:
        task = progress.add_task("Carrying", total=_size(source))
        carried = write(
            source, output, target, program=program, progress=partial(_tick, progress, task)
        )
    left, notes = tuple(carried.left.items()), tuple(carried.notes.items())
    sheet = Sheet(
        title=f"Weights of {source}",
        verdict=f"{len(carried.carried):,} tensors, {amount(carried.nbytes, 'B')}, written to"
        f" {output}" + (f"; {len(left):,} entries left out" if left else ""),
        tables=(
            Rows("Left out", ("name", "why"), left, frozenset(range(len(left)))),
            Rows("Notes", ("name", "what"), notes, frozenset()),
        ),
        data={
            "source": str(source),
            "output": str(output),
            "target": target,
            "carried": list(carried.carried),
            "bytes": carried.nbytes,
            "left_out": dict(left),
            "notes": dict(notes),
        },
        good=not left,
    )
    options.present(shown.terminal(), sheet, reports, style)
    sys.exit(1 if left else 0)


def _write_mapped(
    source: Path, output: Path, certificate: Path, reports: tuple[Path, ...], style: str
) -> NoReturn:
    """Convert a checkpoint by the pairs of a certificate, and show what went where."""
    from workbench.commands.verify import read_certificate
    from workbench.verify.mapped_weights import write_mapped

    found = write_mapped(source, output, read_certificate(certificate))
    left, notes = tuple(found.left.items()), tuple(found.notes.items())
    way = "to the port" if found.to_port else "to the original"
    sheet = Sheet(
        title=f"Weights of {source}, {way}",
        verdict=f"{len(found.rows):,} pairs, {amount(found.nbytes, 'B')}, written to {output}"
        + (f"; {len(left):,} entries left out" if left else ""),
        tables=(
            Rows("Left out", ("name", "why"), left, frozenset(range(len(left)))),
            Rows("Notes", ("name", "what"), notes),
            Rows(
                "What went where",
                ("original", "port", "layout", "shape", "dtype"),
                tuple(found.rows),
                detail=True,
            ),
        ),
        data={
            "source": str(source),
            "output": str(output),
            "pairs": [list(row) for row in found.rows],
            "bytes": found.nbytes,
            "left_out": found.left,
            "notes": found.notes,
        },
        good=not left,
    )
    options.present(shown.terminal(), sheet, reports, style)
    sys.exit(1 if left else 0)


def _size(source: Path) -> int | None:
    """Return the approximate size of the weights: of the file, or of the shards next to it."""
    if source.is_file() and source.suffix != ".json":
        return source.stat().st_size
    folder = source if source.is_dir() else source.parent
    kinds = (".safetensors", ".bin", ".pt", ".pth")
    return sum(f.stat().st_size for f in folder.glob("*") if f.suffix in kinds) or None


def _tick(progress: Progress, task: TaskID, done: int) -> None:
    progress.update(task, completed=done)
