"""`python -m bench.packages [PACKAGE ...]`: convert public packages, run their models, compare.

Without names it runs all of them and writes `docs/programs.md`. One package and one process at a
time; what neither the recipes nor the converted code of a package changed is not run again.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

from bench.packages.outcomes import JUDGED, Outcome, Reports, Row, rows
from bench.packages.project import PEER, by_peer, converted, peer, source
from bench.packages.recipes import FILE, Package, read
from bench.packages.running import run
from bench.packages.table import written

TABLE = Path("docs/programs.md")


def ours(package: Package, original: Path) -> list[Row]:
    """Return the outcome of each recipe of a package, as converted by Torchferry."""
    code, report = converted(package, original)
    reports = Reports(code, report, JUDGED.read_text(encoding="utf-8"))
    return _compared(package, original, code, reports)


def theirs(package: Package, original: Path) -> list[Row]:
    """Return the same outcomes, as converted by PaConvert."""
    code = by_peer(package, original)
    return [] if code is None else _compared(package, original, code, Reports(code))


def _compared(package: Package, original: Path, code: Path, reports: Reports) -> list[Row]:
    in_torch = run(package, "torch", original)
    return rows(package, in_torch, run(package, "paddle", code), reports)


def main() -> int:
    """Run packages, print what is not the same, and write the table where all were run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("packages", nargs="*", help="such as linformer; all where none is named")
    parser.add_argument("--alone", action="store_true", help="leave PaConvert out")
    options = parser.parse_args()
    packages = read(FILE.read_text(encoding="utf-8"))
    chosen = [one for one in packages if not options.packages or one.name in options.packages]
    found: list[Row] = []
    of_peer: dict[str, list[Row]] = {}
    words = ""
    if not options.alone:
        try:
            peer()
            words = (
                f"For comparison, {PEER.replace('==', ' ')} ran on the same code. Its marks in"
                " front of unconverted code were removed."
            )
        except Exception as error:
            words = f"PaConvert was not installed here: {error}."
            options.alone = True
    for package in chosen:
        original = source(package)
        mine = ours(package, original)
        found += mine
        if not options.alone:
            of_peer[package.name] = theirs(package, original)
        for row in mine:
            if row.outcome is not Outcome.SAME:
                print(f"{package.name}, {row.recipe.name}: {row.outcome}: {row.words}", flush=True)
        print(f"{package.name}: {_sums(mine)}", flush=True)
        if package.name in of_peer:
            print(f"{package.name} by PaConvert: {_sums(of_peer[package.name])}", flush=True)
    print(f"all: {_sums(found)}")
    if not options.packages and not options.alone:
        TABLE.write_text(written(packages, found, of_peer, words), encoding="utf-8")
    return int(any(row.outcome in (Outcome.WRONG, Outcome.RAISES) for row in found))


def _sums(rows: list[Row]) -> str:
    counts = Counter(row.outcome for row in rows)
    return ", ".join(f"{count} {outcome}" for outcome, count in counts.most_common())


if __name__ == "__main__":
    sys.exit(main())
