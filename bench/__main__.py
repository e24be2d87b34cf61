"""`python -m bench [PART ...]`: print the measurements, all or those of the parts named."""

from __future__ import annotations

import importlib
import sys

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from bench.table import Row

PARTS = (
    "conversion",
    "plainness",
    "exactness",
    "training",
    "fixes",
    "latency",
    "notebook",
    "graphs",
    "models",
    "verification",
)


def main(wanted: list[str]) -> int:
    """Run the parts one after another and print one table."""
    unknown = set(wanted) - set(PARTS)
    if unknown:
        print(f"unknown part {', '.join(unknown)}; choose from {', '.join(PARTS)}")
        return 2
    console = Console()
    rows: list[Row] = []
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        for part in wanted or PARTS:
            task = progress.add_task(f"Measuring {part}")
            rows += importlib.import_module(f"bench.{part}").rows()
            progress.remove_task(task)
    table = Table("measurement", "value", "ratio to the peer", "budget")
    for row in rows:
        table.add_row(row.name, row.value, f"{row.ratio:.2g} ×" if row.ratio else "", row.budget)
    console.print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
