"""`torchferry verify`: a port, whoever wrote it, compared with its original."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from workbench import files
from workbench.commands import options
from workbench.commands.model_request import check_place
from workbench.commands.shown import Rows, Sheet, near
from workbench.commands.watched import watched
from workbench.errors import TorchferryError
from workbench.targets.installed import check_installed
from workbench.terminal import visible
from workbench.watching import Report

if TYPE_CHECKING:
    from workbench.verify.bisecting import Tried


@click.command(short_help="Compare a port with its original.")
@click.argument("original", required=False, metavar="ORIGINAL")
@click.argument("port", required=False, metavar="PORT")
@click.option(
    "--inputs", "-i", multiple=True, metavar="INPUT", help="An input, written as for `compare`."
)
@click.option("--batch", default="", help="A function in ORIGINAL that returns inputs and targets.")
@click.option("--loss", default="", help="A function in both files, or A=B if it has two names.")
@click.option("--optimizer", default="", help="A function in both files that returns an optimizer.")
@options.STEPS
@click.option(
    "--map",
    "maps",
    multiple=True,
    metavar="A=B",
    help="A pair of tensors, such as fc.weight=out.w:T, or a file of such lines.",
)
@click.option(
    "--save-map",
    "saved_map",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write all pairs to a file that --map takes.",
)
@click.option(
    "--json",
    "certificate",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the certificate here.",
)
@click.option(
    "--sarif",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the lines that differ as SARIF, for code-scanning pages.",
)
@click.option(
    "--check",
    "earlier",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Repeat the checks of a certificate, and report what changed.",
)
@click.option(
    "--history",
    "followed",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Print the git commits that changed a certificate's outcome, and run nothing.",
)
@click.option(
    "--bisect",
    "bisected",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Find the commit of git that broke the port of a certificate, by running its checks in"
    " copies of some commits.",
)
@click.option(
    "--channels-last", is_flag=True, help="PORT takes and returns images with channels last."
)
@click.option(
    "--target",
    "--to",
    "target",
    default="",
    help="PORT's framework. [default: inferred from its imports]",
)
@options.output
def verify(
    original: str | None,
    port: str | None,
    inputs: tuple[str, ...],
    batch: str,
    loss: str,
    optimizer: str,
    steps: int,
    maps: tuple[str, ...],
    saved_map: Path | None,
    certificate: Path | None,
    sarif: Path | None,
    earlier: Path | None,
    followed: Path | None,
    bisected: Path | None,
    channels_last: bool,
    target: str,
    ending: options.Ending,
) -> None:
    """Compare a port with its original: weights, outputs, gradients, training and state.

    ORIGINAL and PORT are FILE:NAME; NAME is a class, a call such as `Net(10, width=4)`, an instance
    or a function that returns one. Both files are run. Two training scripts, train.py and port.py,
    can be given as they are: they are compared step by step. Two loss curves, a.csv and b.csv, are
    compared number by number.

    A port to torch is verified too. ORIGINAL is then the file of the other framework, and PORT the
    torch file. --batch still names a function of the torch file, and --loss and --map still give
    the name in torch first.

    Exit code 0: certified; 1: something differs; 2: it could not be run.
    """
    ending.check()
    for name, held in (("--check", earlier), ("--history", followed), ("--bisect", bisected)):
        given = (followed, bisected, earlier, original, certificate, saved_map, sarif)
        if held is not None and any(one is not None for one in given if one is not held):
            raise TorchferryError(
                f"{name} takes a certificate alone, and writes no file; give nothing else"
            )
    if followed is not None:
        _show_history(followed)
    if bisected is not None:
        _show_broken(bisected, ending.patience)
    if earlier is not None:
        ending.of(partial(_again, read_certificate(earlier)))
    if original is None or port is None:
        raise TorchferryError(
            "give the original and the port: torchferry verify model.py:Net port.py:Net"
        )
    for place in (original, port):
        check_place(place)
    if target:
        check_installed(target)
    asked = {"inputs": list(inputs), "batch": batch, "loss": loss, "optimizer": optimizer}
    asked |= {"steps": steps, "maps": list(maps)}  # type: ignore[dict-item]
    asked |= {"channels_last": channels_last}  # type: ignore[dict-item]
    ending.of(partial(work, original, port, asked, target, Written(certificate, saved_map, sarif)))


def _show_history(place: Path) -> NoReturn:
    """Print the commits that changed a certificate's outcome, and exit with 0 or 1."""
    from workbench.verify.history import turns, versions

    found = versions(place)
    shown = list(turns(found))
    for turn in shown:
        one = turn.version
        head = f"{one.commit[:9]} {one.date} {one.subject}".strip()
        click.echo(visible(f"{head}: {one.outcome}"))
        for line in turn.details:
            click.echo(visible(f"    {line}"))
    same = len(found) - len(shown)
    if same:
        noun = "version" if same == 1 else "versions"
        click.echo(f"{same} other {noun} with the outcome of the version before")
    sys.exit(0 if found[-1].outcome == "certified" else 1)


def _show_broken(place: Path, patience: float) -> NoReturn:
    """Print the commit that broke a port, and exit with 0 or 1."""
    from workbench.verify.bisecting import CERTIFIED, broken_by

    def check(certificate: Mapping[str, Any], folder: Path) -> Tried:
        return checked(certificate, folder, patience)

    found = broken_by(place, check, lambda line: click.echo(visible(line)))
    good = f"{found.good.commit[:9]} {found.good.date} {found.good.subject}"
    if found.found.outcome == CERTIFIED:
        click.echo("The port is certified in the last commit: nothing broke it.")
        sys.exit(0)
    if not found.commits:
        click.echo(visible(f"No commit broke it: it differs now in {good} as well."))
    elif len(found.commits) == 1:
        click.echo(visible(f"Broken by {found.commits[0]}"))
    else:
        click.echo("Broken by one of these commits, since the others cannot be run:")
        for commit in found.commits:
            click.echo(visible(f"    {commit}"))
    for line in (found.found.verdict, *found.found.details):
        click.echo(visible(f"    {line}"))
    sys.exit(1)


def checked(certificate: Mapping[str, Any], folder: Path, patience: float) -> Tried:
    """Repeat the checks of a certificate from a folder, in a process of its own."""
    from workbench.verify.bisecting import CERTIFIED, DIFFERS, NOT_RUN, Tried

    try:
        sheet = watched(partial(_again_in, folder, certificate), patience=patience)
    except TorchferryError as error:
        return Tried(NOT_RUN, error.line)
    return Tried(CERTIFIED if sheet.good else DIFFERS, sheet.verdict, sheet.remarks)


def _again_in(folder: Path, certificate: Mapping[str, Any], report: Report) -> Sheet:
    os.chdir(folder)
    return _again(dict(certificate), report)


@dataclass(frozen=True)
class Written:
    """The files that results are written to, if any: the certificate, the pairs, the SARIF log."""

    certificate: Path | None = None
    pairs: Path | None = None
    sarif: Path | None = None


def _text(data: dict[str, Any]) -> bytes:
    return (json.dumps(data, indent=2, default=str) + "\n").encode()


def read_certificate(place: Path) -> dict[str, Any]:
    """Return a certificate.

    Raises:
        TorchferryError: the file is not one.
    """
    try:
        held = json.loads(files.read(place))
    except ValueError as error:
        raise TorchferryError(f"{place}: not JSON ({error}); give a certificate") from error
    if not isinstance(held, dict) or not {"asked", "sides", "target", "checks"} <= held.keys():
        raise TorchferryError(
            f"{place}: not a certificate; write one with torchferry verify --json"
        )
    return held


def work(
    original: str,
    port: str,
    asked: dict[str, Any],
    target: str,
    places: Written,
    report: Report,
) -> Sheet:
    """Do the command's work, in this process.

    Args:
        original, port: the files to compare.
        asked: the values of the command's options.
        target: the port's framework; empty to infer it from its imports.
        places: the files that results are written to.
        report: receives the current step.
    """
    from workbench.verify.certificate import certificate_of
    from workbench.verify.exchanged import exchanged
    from workbench.verify.pairing.maps import pair_texts, written
    from workbench.verify.result import Outcome
    from workbench.verify.sarif import sarif
    from workbench.verify.scripts.curves import KINDS, verify_curves
    from workbench.verify.scripts.verification import verify_scripts
    from workbench.verify.sides.loading import is_port_to_torch, target_of
    from workbench.verify.sides.task import Asked
    from workbench.verify.verification import verify_files

    to_torch = is_port_to_torch(original, port)
    ours, theirs = (port, original) if to_torch else (original, port)
    target = target or target_of(theirs)
    asked = {**asked, "maps": list(pair_texts(asked["maps"]))}
    lists = {name: tuple(asked[name]) for name in ("inputs", "maps")}
    wanted = Asked(**{**asked, **lists})
    if Path(original).suffix in KINDS and Path(port).suffix in KINDS:
        found = verify_curves(Path(original), Path(port))
    elif original.endswith(".py") and port.endswith(".py"):
        found = verify_scripts(Path(ours), Path(theirs), wanted, target, report)
    else:
        found = verify_files(ours, theirs, wanted, target, report)
    found = exchanged(found) if to_torch else found
    if places.pairs is not None:
        files.write(places.pairs, written(found.pairs, found.instead).encode())
    data = certificate_of(found, original, port, asked, target)
    if places.certificate is not None:
        files.write(places.certificate, _text(data))
    if places.sarif is not None:
        files.write(places.sarif, _text(sarif(found, port)))
    place_rows = tuple(
        (near(w.port), near(w.original), w.cause or w.what, "yes" if w.tested else "")
        for w in found.places
    )
    checks = tuple((c.name, str(c.outcome), c.summary) for c in found.checks)
    off = frozenset(i for i, c in enumerate(found.checks) if c.outcome is Outcome.DIFFERS)
    if found.certified:
        reported = [c.name for c in found.checks if c.outcome is Outcome.REPORTED]
        verdict = "certified: nothing differs beyond torch's own rounding"
        verdict += (
            f"; see the differences reported for {' and '.join(reported)}" if reported else ""
        )
    else:
        bad = [c for c in found.checks if c.outcome not in (Outcome.AGREES, Outcome.REPORTED)]
        first = next((c for c in bad if c.outcome is Outcome.DIFFERS), bad[0])
        where = f"{near(found.places[0])}; " if found.places else ""
        assumed = "; some pairs are assumed: see the check of the pairing" if found.instead else ""
        verdict = f"{where}{first.name}: {first.summary}{assumed}"
    return Sheet(
        title=f"{near(original)} and its port {near(port)}",
        verdict=verdict,
        facts=(("pairs", str(len(found.pairs))),),
        tables=(
            Rows("Where they diverge", ("port", "original", "what", "tested"), place_rows),
            Rows("Checks", ("check", "outcome", "what"), checks, off),
            Rows("Pairs", ("pair",), tuple((pair,) for pair in found.pairs), detail=True),
        ),
        curves=tuple(curve for check in found.checks for curve in check.curves),
        other="the port",
        data=data,
        good=found.certified,
    )


def _again(earlier: dict[str, Any], report: Report) -> Sheet:
    from dataclasses import replace

    from workbench.verify.certificate import changes

    sides = earlier["sides"]
    sheet = work(
        sides["original"]["place"],
        sides["port"]["place"],
        earlier["asked"],
        earlier["target"],
        Written(),
        report,
    )
    return replace(sheet, remarks=tuple(changes(earlier, sheet.data)))
