"""`python -m bench.wild [PACKAGE ...]`: convert whole packages and check what comes out.

Without names it runs over all of them and writes `bench/wild/RESULTS.md`.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from bench.sources import fetch
from bench.wild.examining import Examined, examine
from workbench import TorchferryError, check, files

WITH_TORCH = ("timm==1.0.31", "torchvision==0.29.2", "transformers==5.23.0")
WITHOUT = (
    "django==5.2.19",
    "flask==3.1.3",
    "requests==2.34.2",
    "sympy==1.14.0",
    "pandas==3.1.1",
    "rich==15.0.0",
)
RESULTS = Path(__file__).with_name("RESULTS.md")
Outcome = tuple[str, Examined]


@dataclass
class Total:
    """The sums over a package, and the files with problems."""

    package: str
    files: int = 0
    sums: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    wrong: list[tuple[str, str]] = field(default_factory=list)
    unseen: list[tuple[str, str]] = field(default_factory=list)

    def add(self, path: str, one: Examined) -> None:
        """Add one file's figures."""
        self.files += 1
        self.seconds += one.seconds
        for name in (
            "lines",
            "uses",
            "converted",
            "names",
            "seen_names",
            "members",
            "seen_members",
            "hinted",
        ):
            self.sums[name] += getattr(one, name)
        self.wrong += [(path, text) for text in one.wrong]
        self.unseen += [(path, text) for text in one.unseen]


def _code(package: str) -> Iterator[Path]:
    root = fetch(package)
    yield from sorted((root / package.partition("==")[0]).rglob("*.py"))


def _text(file: Path) -> str | None:
    """Return a file's text, or None if Python itself cannot read it."""
    try:
        text = files.decode(file, file.read_bytes())[0]
        compile(text.removeprefix("\ufeff"), str(file), "exec", dont_inherit=True)
    except (TorchferryError, SyntaxError, ValueError):
        return None
    return text


def _examined(file: Path) -> Outcome:
    text = _text(file)
    return str(file), Examined() if text is None else examine(text)


def _remarks(file: Path) -> tuple[str, list[str]]:
    text = _text(file)
    return str(file), [] if text is None else [finding.message for finding in check(text)]


def _share(part: int, whole: int) -> str:
    """Round down, since 100 % is reserved for all."""
    return f"{1000 * part // whole / 10:.1f} %" if whole else ""


def _table(totals: Iterable[Total], quiet: dict[str, tuple[int, int]]) -> str:
    lines = [
        "# Whole packages, converted",
        "",
        "Every Python file of these packages is converted. Nothing may be raised; what comes out"
        " must parse, hold every comment, agree with the edits and the map of lines, and stay as it"
        " is when it is converted again. Written by `make wild`.",
        "",
        "| package | files | lines | something wrong | uses | converted | lines/s of one core |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    totals = list(totals)
    for t in totals:
        s = t.sums
        lines.append(
            f"| {t.package} | {t.files:,} | {s['lines']:,} | {len(t.wrong)} | {s['uses']:,} |"
            f" {_share(s['converted'], s['uses'])} | {s['lines'] / max(t.seconds, 1e-9):,.0f} |"
        )
    lines += [
        "",
        "The uses found, held against a count that knows import statements and names alone"
        " (`bench/wild/counting.py`): names of torch, and calls of members that only tensors"
        " have. A member is hinted at where nothing tells that its receiver is a tensor; it is left"
        " alone.",
        "",
        "| package | torch names | found | tensor members | found | hinted at |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for t in totals:
        s = t.sums
        lines.append(
            f"| {t.package} | {s['names']:,} | {_share(s['seen_names'], s['names'])} |"
            f" {s['members']:,} | {_share(s['seen_members'], s['members'])} |"
            f" {_share(s['hinted'], s['members'])} |"
        )
    lines += [
        "",
        "Packages that do not use torch, where every finding is one too many.",
        "",
        "| package | files | findings |",
        "|---|--:|--:|",
    ]
    lines += [f"| {name} | {count:,} | {found} |" for name, (count, found) in quiet.items()]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Run, print the problems, and write the table if all packages were run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("packages", nargs="*", help="such as timm; all where none is named")
    parser.add_argument("--unseen", action="store_true", help="print the uses that were not found")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()

    def wanted(packages: tuple[str, ...]) -> list[str]:
        return [p for p in packages if not options.packages or p.split("==")[0] in options.packages]

    totals: list[Total] = []
    quiet: dict[str, tuple[int, int]] = {}
    noise = 0
    with ProcessPoolExecutor(options.jobs) as executor:
        for package in wanted(WITH_TORCH):
            total = Total(package.replace("==", " "))
            for path, one in executor.map(_examined, _code(package), chunksize=4):
                total.add(path, one)
            totals.append(total)
            for path, text in total.wrong + (total.unseen if options.unseen else []):
                print(f"{path}: {text}", flush=True)
        for package in wanted(WITHOUT):
            rows = list(executor.map(_remarks, _code(package), chunksize=16))
            for path, messages in rows:
                for message in messages:
                    print(f"{path}: {message}", flush=True)
            noise += sum(len(messages) for _, messages in rows)
            quiet[package.replace("==", " ")] = len(rows), sum(len(m) for _, m in rows)
    text = _table(totals, quiet)
    print(text)
    if not options.packages:
        RESULTS.write_text(text, encoding="utf-8")
    return int(noise > 0 or any(total.wrong for total in totals))


if __name__ == "__main__":
    sys.exit(main())
