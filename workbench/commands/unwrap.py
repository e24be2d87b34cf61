"""`torchferry unwrap`: training loops of other packages as plain torch."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from workbench import files
from workbench.convert.project.vcs import clean_files
from workbench.convert.report.unified_diff import difference
from workbench.errors import TorchferryError
from workbench.positions import split
from workbench.source.packages import UNWRAPPED
from workbench.source.parsing.read import parses
from workbench.terminal import visible
from workbench.unwrap.unwrapping import Unwrapped
from workbench.unwrap.unwrapping import unwrap as unwrapped


@click.command(short_help="Rewrite training loops of Lightning and others as plain torch.")
@click.argument("source", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="The file or folder to write; SOURCE is not changed.",
)
@click.option("--in-place", is_flag=True, help="Overwrite SOURCE if it has no uncommitted changes.")
@click.option("--diff", is_flag=True, help="Print a unified diff, and write nothing.")
@click.option(
    "--force", is_flag=True, help="Overwrite files that exist or have uncommitted changes."
)
def unwrap(source: Path, output: Path | None, in_place: bool, diff: bool, force: bool) -> None:
    """Rewrite training loops of other packages as plain torch.

    A LightningModule becomes a module of torch, and Trainer.fit a loop; so do the calls of
    accelerate.Accelerator and of the Trainer of transformers. The loop computes the same values.
    Convert the result with torchferry convert.

    SOURCE is a file, or a folder whose files are rewritten together. If a part cannot be rewritten,
    it is reported with its line, and nothing is written.

    Exit code 0: everything is rewritten; 1: a part is refused; 2: bad input.
    """
    ways = {"-o": output is not None, "--in-place": in_place, "--diff": diff}
    asked = [name for name, is_asked in ways.items() if is_asked]
    if len(asked) != 1:
        raise TorchferryError(
            "choose one of -o PATH, which writes a new file or folder, --in-place, which overwrites"
            f" {source}, and --diff, which writes nothing"
        )
    if not source.exists():
        raise TorchferryError(f"{source}: no such file or folder; check the path")
    paths = _programs(source)
    found = unwrapped({str(path): _text(path) for path in paths})
    refused = sum(len(one.refusals) for one in found.values())
    for name, one in found.items():
        _show(name, one, is_whole=not refused, err=diff)
    if refused:
        click.echo(f"Nothing is written: rewrite {_amount(refused)} by hand first.")
        sys.exit(1)
    if not any(one.changed for one in found.values()):
        known = ", ".join(sorted({*UNWRAPPED, "transformers"}))
        click.echo(visible(f"{source}: nothing to rewrite: no training loop of {known} is in it"))
    if diff:
        for name, one in found.items():
            click.echo(visible(difference(_text(Path(name)), one.text, name), "\n\t"), nl=False)
    elif in_place:
        _write_in_place(source, found, force)
    elif output is not None:
        _write(source, output, found, force)
    sys.exit(0)


def _programs(source: Path) -> list[Path]:
    if source.is_file():
        if source.suffix not in files.PYTHON:
            raise TorchferryError(f"{source}: not a file of Python; unwrap reads only these")
        return [source]
    found = [path for path in files.walk(source, _complain) if path.suffix in files.PYTHON]
    wrong = [path for path in found if not parses(split(_text(path)))]
    for path in wrong:
        _complain(path, f"{path}: not valid Python, so it stays as it is")
    return [path for path in found if path not in wrong]


def _complain(_: Path, message: str) -> None:
    click.echo(visible(message), err=True)


def _text(path: Path) -> str:
    return files.decode(path, files.read(path))[0]


def _show(name: str, one: Unwrapped, *, is_whole: bool, err: bool) -> None:
    """Print the parts that are refused, or the differences that remain."""
    for remark in one.refusals:
        click.echo(visible(f"{name}:{remark.line}: refused: {remark.message}"), err=err)
    if is_whole and one.changed:
        for remark in one.notes:
            click.echo(visible(f"{name}:{remark.line}: note: {remark.message}"), err=err)


def _amount(count: int) -> str:
    return "this part" if count == 1 else f"these {count} parts"


def _write_in_place(source: Path, found: dict[str, Unwrapped], force: bool) -> None:
    if not force:
        clean_files(source)
    for name, one in found.items():
        if one.changed:
            path = Path(name)
            _save(path, path, one.text)
            click.echo(visible(f"{path}: rewritten"))


def _write(source: Path, output: Path, found: dict[str, Unwrapped], force: bool) -> None:
    """Write a file, or a folder with its other files."""
    if output.exists() and not force:
        raise TorchferryError(f"{output}: it exists already; give another path, or use --force")
    if source.is_file():
        _save(source, output, found[str(source)].text)
    else:
        if output.resolve().is_relative_to(source.resolve()):
            raise TorchferryError(f"{output} is inside {source}; give a folder outside of it")
        for path in files.walk(source, _complain):
            place = output / path.relative_to(source)
            place.parent.mkdir(parents=True, exist_ok=True)
            one = found.get(str(path))
            if one is not None and one.changed:
                _save(path, place, one.text)
            else:
                files.copy(path, place)
    click.echo(visible(f"{output}: written. Next: torchferry convert {output}"))


def _save(original: Path, place: Path, text: str) -> None:
    encoding = files.decode(original, files.read(original))[1]
    files.write(place, text.encode(encoding), like=original)
