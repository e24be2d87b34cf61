"""Runs the zoo as source: whole packages converted, their models built and run on both sides.

`python tests/models/ported_bench.py` converts timm, torchvision and transformers into
`build/ported` in both styles, runs every model of the zoo in torch from the packages and in Paddle
from what was converted, and writes `tests/models/PORTED.md`. Names on the command line
(`timm/resnet18`) run some and print them, `--style exact` takes one style, and `--kept` leaves out
the conversion.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parents[1])]

from model_zoo import entries  # noqa: E402
from ported_table import HEAD  # noqa: E402

from bench.sources import fetch  # noqa: E402
from workbench.convert.configuration.settings import settings_for  # noqa: E402
from workbench.convert.project.file_job import Order  # noqa: E402
from workbench.convert.project.runner import convert_path  # noqa: E402
from workbench.targets import STYLES  # noqa: E402

PACKAGES = ("timm==1.0.31", "torchvision==0.29.2", "transformers==5.23.0")
CONVERTED = Path("build/ported")  # a folder for each style
KEPT = Path("build/ported/kept")
TABLE = HERE / "PORTED.md"
_CLOSE = 1e-5  # of the largest value
_GAPS = 20  # so many times what torch's own float32 is from its float64


@dataclass(frozen=True)
class Row:
    """One model: differences as parts of the largest value, or what went wrong.

    `gaps` are those of torch's own, between float32 and float64.
    """

    model: str
    output: float = float("nan")
    gradient: float = float("nan")
    gaps: tuple[float, float] = (0.0, 0.0)
    problem: str = ""

    @property
    def same(self) -> bool:
        """Return whether both sides give the same outputs and the same gradients of all weights."""
        found = zip((self.output, self.gradient), self.gaps, strict=True)
        return not self.problem and all(one <= max(_CLOSE, _GAPS * gap) for one, gap in found)

    @property
    def verdict(self) -> str:
        """The text of its cell in the table."""
        return "equal" if self.same else "fails" if self.problem else "differs"


def convert(style: str) -> dict[str, tuple[int, int]]:
    """Convert the packages; how many of how many uses of torch each of them converts."""
    source = fetch(*PACKAGES)
    shares = {}
    for package in PACKAGES:
        name = package.partition("==")[0]
        settings = settings_for(source / name).but(style=style)
        order = Order(settings.target, settings, force=True)
        report = convert_path(source / name, CONVERTED / style / name, order)
        shares[package] = report.total("converted_uses"), report.total("uses")
    return shares


def run_torch(models: list[str]) -> None:
    """Run models in torch, and keep what the other side is held against."""
    KEPT.mkdir(parents=True, exist_ok=True)
    for one in _side("torch", fetch(*PACKAGES), models):
        if "problem" in one:
            print(f"{one['model']}, in torch: {one['problem']}", file=sys.stderr)


def run_paddle(style: str, models: list[str]) -> Iterator[Row]:
    """Run converted models; a process that a model ends is restarted."""
    for one in _side("paddle", CONVERTED / style, models):
        problem = one.get("problem", "")
        if one.get("unlike"):
            problem = f"not on both sides: {', '.join(one['unlike'][:3])}"
        fields = {name: one[name] for name in ("output", "gradient") if name in one}
        yield Row(one["model"], **fields, gaps=tuple(one.get("gaps", (0.0, 0.0))), problem=problem)


def _side(side: str, packages: Path, models: list[str]) -> Iterator[dict[str, Any]]:
    left = list(models)
    while left:
        command = [sys.executable, str(HERE / "ported_side.py"), side, str(KEPT), str(packages)]
        # One thread: models are small, and every core has a process.
        environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(HERE.parents[1])}
        process = subprocess.Popen(
            [*command, *left],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=environment,
        )
        assert process.stdout is not None
        last = None
        for line in process.stdout:
            if line.startswith('{"model"'):
                last = json.loads(line)
                if last.get("done"):
                    left.remove(last["model"])
                    yield last
        process.wait()
        if last is None:
            raise RuntimeError(f"{side}: {' '.join(command)} says nothing")
        if not last.get("done"):
            left.remove(last["model"])
            yield {**last, "problem": f"it ended the process ({process.returncode})"}


def table(rows: dict[str, list[Row]], shares: dict[str, dict[str, tuple[int, int]]]) -> str:
    """Return the committed table, of the rows of each style."""
    conversions = "; ".join(
        f"in the {style} style "
        + ", ".join(
            f"{package.replace('==', ' ')} ({converted:,} of {uses:,})"
            for package, (converted, uses) in found.items()
        )
        for style, found in shares.items()
    )
    lines = [
        "# Public models, converted as source",
        "",
        "Whole packages were converted by `torchferry convert`, with so many of their uses of"
        f" torch: {conversions}. Nothing was edited after. The models were built in torch from the"
        " packages and in Paddle from what was converted, with the same weights under torch's"
        " names. Compared are all outputs, and the gradients of all weights, as parts of the"
        " largest value; the gaps are torch's own between float32 and float64. Written by"
        " `tests/models/ported_bench.py`. The column `verify` is what `torchferry verify` says of"
        " the same two models, in double precision up to 20 million parameters;"
        " `tests/models/ported_verified.py --write` fills it in.",
    ]
    for style, found in rows.items():
        lines += [
            "",
            f"## The {style} style",
            "",
            f"**{sum(row.same for row in found)} of {len(found)} are equal.**",
            "",
            *HEAD,
            *map(_line, found),
        ]
    return "\n".join(lines) + "\n"


def _line(row: Row) -> str:
    note = row.problem.replace("|", "/").replace("\n", " ")
    figures = zip((row.output, row.gradient), row.gaps, strict=True)
    numbers = " | ".join(f"{found:.1e} | {gap:.1e}" for found, gap in figures)
    return f"| {row.model} | {row.verdict} | | {numbers} | {note} |"


def main() -> None:
    """Run some or all of the zoo."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--style", choices=STYLES, help="one style alone, printed")
    parser.add_argument("--kept", action="store_true", help="run what was converted before")
    options = parser.parse_args()
    styles = (options.style,) if options.style else STYLES
    shares = {} if options.kept else {style: convert(style) for style in styles}
    models = options.names or [entry.id for entry in entries()]
    cores = os.cpu_count() or 1
    parts = [models[core::cores] for core in range(cores) if models[core::cores]]
    found: dict[str, list[Row]] = {}
    with ThreadPoolExecutor(len(parts)) as pool:
        list(pool.map(run_torch, parts))
        for style in styles:
            done = {
                row.model: row
                for rows in pool.map(lambda part, style=style: list(run_paddle(style, part)), parts)
                for row in rows
            }
            found[style] = [done[model] for model in models]
    for style, rows in found.items():
        for row in rows:
            if options.names or not row.same:
                print(style, row)
        print(f"{style}: {sum(row.same for row in rows)} of {len(rows)} equal")
    if shares and not options.names and not options.style:
        TABLE.write_text(table(found, shares), encoding="utf-8")


if __name__ == "__main__":
    main()
