"""Results of a command in three forms: a terminal table, JSON, one page of HTML."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from workbench import files
from workbench.errors import TorchferryError
from workbench.terminal import visible
from workbench.version import __version__

if TYPE_CHECKING:
    from workbench.compare import Curve

KINDS = (".json", ".html")
# A terminal shows this many rows of a table; the reports contain all.
_ROWS = 40
_WIDE = 160
_NUMBER = ("ms", "FLOP", "bytes", "nodes", "difference", "limit", "line", "torch", "target")


@dataclass(frozen=True)
class Rows:
    """A table: its title, its columns, and rows of text.

    `marked` rows need attention; a table of `detail` is for reports, not for the terminal.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    marked: frozenset[int] = frozenset()
    detail: bool = False


@dataclass(frozen=True)
class Sheet:
    """A command's result: a heading, facts, sentences, tables, and the same as plain data.

    `curves` are drawn in the page, torch's under those of the `other` side.
    """

    title: str
    verdict: str
    facts: tuple[tuple[str, str], ...] = ()
    remarks: tuple[str, ...] = ()
    tables: tuple[Rows, ...] = ()
    data: dict[str, Any] = field(default_factory=dict)
    good: bool = True
    curves: tuple[Curve, ...] = ()
    other: str = ""


def check_places(places: Sequence[Path]) -> None:
    """Refuse a report whose name does not show its kind.

    Raises:
        TorchferryError: another ending.
    """
    for place in places:
        if place.suffix not in KINDS:
            raise TorchferryError(f"{place}: a report's name ends in one of {', '.join(KINDS)}")


def write(sheet: Sheet, place: Path) -> None:
    """Write the result as JSON or HTML, depending on the name's suffix."""
    text = as_json(sheet) if place.suffix == ".json" else page(sheet)
    files.write(place, text.encode("utf-8", "backslashreplace"))


def as_json(sheet: Sheet) -> str:
    """Return the result as JSON."""
    data = {"torchferry": __version__, "verdict": sheet.verdict, **sheet.data}
    return json.dumps(data, indent=2, default=str) + "\n"


def terminal() -> Console:
    """Return a console as wide as the terminal, or wide enough for paths in a pipe."""
    width = None if sys.stdout.isatty() or "COLUMNS" in os.environ else _WIDE
    return Console(highlight=False, width=width)


def show(console: Console, sheet: Sheet) -> None:
    """Show the result in the terminal."""
    facts = Table(show_header=False)
    for label, value in sheet.facts:
        facts.add_row(label, Text(_plain(value)))
    console.print(Text(_plain(sheet.title), style="italic"))
    if sheet.facts:
        console.print(facts)
    whole = not console.is_terminal  # a pipe is searched line by line
    for remark in sheet.remarks:
        console.print(_plain(remark), style="yellow", markup=False, soft_wrap=whole)
    for rows in sheet.tables:
        if not rows.detail:
            _show_rows(console, rows)
    if any(rows.detail for rows in sheet.tables):
        console.print("For all details: --report FILE.html, or --output-format json", style="dim")
    verdict_style = "green" if sheet.good else "red"
    console.print(_plain(sheet.verdict), style=verdict_style, markup=False, soft_wrap=whole)


def _plain(text: str, keep: str = "") -> str:
    """Return the text for a terminal, with files below the working folder named from it."""
    return visible(text.replace(f"{Path.cwd()}/", ""), keep)


def _show_rows(console: Console, rows: Rows) -> None:
    if not rows.rows:
        return
    table = Table(title=Text(_plain(rows.title)), title_justify="left")
    for column in rows.columns:
        table.add_column(column, justify="right" if _is_number(column) else "left", overflow="fold")
    # Marked rows are shown wherever they are in the table.
    chosen = sorted({*range(min(_ROWS, len(rows.rows))), *sorted(rows.marked)[:_ROWS]})
    for index in chosen:
        style = "red" if index in rows.marked else None
        table.add_row(*(Text(_plain(cell, "\n")) for cell in rows.rows[index]), style=style)
    if len(chosen) < len(rows.rows):
        table.caption = f"and {len(rows.rows) - len(chosen):,} more, which a report lists"
    console.print(table)


def _is_number(column: str) -> bool:
    return column.split(" ")[0] in _NUMBER or column.split(" ")[-1] in _NUMBER


_STYLE = """
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { max-width: 76rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .2rem .7rem; text-align: left; border-bottom: 1px solid #8884; }
th { position: sticky; top: 0; background: Canvas; }
td.number { text-align: right; white-space: nowrap; } td { overflow-wrap: break-word; }
tr.marked td { background: #e5484d22; }
:root { --tf-torch: #d9480f; --tf-target: #3050d8; }
@media (prefers-color-scheme: dark) { :root { --tf-torch: #ff9d5c; --tf-target: #8ba7ff; } }
.tf-torch { color: var(--tf-torch); } .tf-target { color: var(--tf-target); }
.tf-charts { display: flex; flex-wrap: wrap; gap: 2rem; } .tf-charts figure { margin: 1rem 0; }
.tf-charts text { fill: currentColor; font-size: 10px; }
.tf-charts path { fill: none; stroke: #8888; }
.tf-charts .tf-a { stroke: var(--tf-torch); stroke-width: 4; opacity: .4; }
.tf-charts .tf-b { stroke: var(--tf-target); stroke-width: 1.4; }
.good { color: #2b9a66; } .bad { color: #e5484d; } .remark { border-left: 3px solid #f5a524;
padding-left: .8rem; }
"""


def page(sheet: Sheet) -> str:
    """Return the result as one page of HTML that asks nothing of any other place."""
    facts = "".join(
        f"<tr><th scope='row'>{escape(label)}</th><td>{escape(value)}</td></tr>"
        for label, value in sheet.facts
    )
    remarks = "".join(f"<p class='remark'>{escape(remark)}</p>" for remark in sheet.remarks)
    drawn = ""
    if sheet.curves:
        from workbench.compare.charts import charts

        drawn = charts(sheet.curves, sheet.other)
    tables = drawn + "".join(_table(rows) for rows in sheet.tables if rows.rows)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy"
  content="default-src 'none'; style-src 'unsafe-inline'">
<title>{escape(sheet.title)} · Torchferry</title>
<style>{_STYLE}</style>
</head>
<body>
<h1>{escape(sheet.title)}</h1>
<p class="{"good" if sheet.good else "bad"}">{escape(sheet.verdict)}</p>
<table>{facts}</table>
{remarks}
{tables}
</body>
</html>
"""


def _breakable(cell: str) -> str:
    """Return a cell as HTML, in which a long path may be broken after a slash."""
    return escape(cell).replace("/", "/<wbr>")


def _table(rows: Rows) -> str:
    head = "".join(f"<th scope='col'>{escape(column)}</th>" for column in rows.columns)
    numbers = [_is_number(column) for column in rows.columns]
    body = "".join(
        f"<tr{' class=marked' if index in rows.marked else ''}>"
        + "".join(
            f"<td{' class=number' if number else ''}>{_breakable(cell)}</td>"
            for cell, number in zip(row, numbers, strict=True)
        )
        + "</tr>"
        for index, row in enumerate(rows.rows)
    )
    return (
        f"<h2>{escape(rows.title)}</h2><div class='wide'><table>"
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def near(place: object) -> str:
    """Return a place with its path shortened, where it lies below the current folder."""
    text = str(place or "")
    return text.removeprefix(f"{Path.cwd()}/")


def amount(number: float, unit: str = "") -> str:
    """Return a number for people: `1.2 M`, `34 kB`."""
    for limit, letter in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= limit:
            return f"{number / limit:.3g} {letter}{unit}"
    return f"{number:,.0f} {unit}".strip()
