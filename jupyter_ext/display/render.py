"""A comparison as one HTML output that needs nothing but a browser, in light and dark."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Sequence
from functools import cache
from html import escape
from importlib.resources import files

from jupyter_ext.display.code_view import side_by_side
from jupyter_ext.display.pictures import picture
from jupyter_ext.options import PARTS
from workbench.compare import Comparison, Origin, Row, Run
from workbench.compare.charts import charts
from workbench.compare.result import (
    headline,
    memory,
    number,
    reason,
    repeated,
    seconds,
    verdict,
    worst_first,
)
from workbench.findings import Severity

_POWER = re.compile(r"\d+(\.\d+)?e[-+]\d+")
_FINE = ("same", "carried")
_FEW = 4  # at most this many agreeing values are shown
_MOST_ROWS = 1000
_MOST_SAVED = 40  # rows of differing values, and names of agreeing ones, that a notebook stores
_MOST_PICTURES = 3

# Sorts the table by the clicked header; numbers as numbers, empty cells last.
_SORT = (
    "<script>(()=>{const s=document.currentScript,c=s.closest('.tf-card');"
    "c.querySelectorAll('.tf-rows th').forEach((h,i)=>h.addEventListener('click',()=>{"
    "const b=h.closest('table').tBodies[0],d=h.dataset.up=h.dataset.up==='1'?'':'1';"
    "const k=r=>r.cells[i].dataset.n??r.cells[i].textContent;"
    "[...b.rows].sort((x,y)=>{let p=k(x),q=k(y);if(p==='')return 1;if(q==='')return -1;"
    "const n=p-q;return (isNaN(n)?p.localeCompare(q):n)*(d?1:-1)}).forEach(r=>b.append(r))}))"
    "})()</script>"
)


@cache
def _rules() -> list[tuple[set[str], str]]:
    """Return the rules of the style sheet, each with the classes that it is about."""
    text = files("jupyter_ext.display").joinpath("comparison.css").read_text()
    text = re.sub(r"\s+", " ", re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL))
    each = [f"{rule.strip()}}}" for rule in text.split("}") if rule.strip()]
    return [(set(re.findall(r"\.(tf-[\w-]+)", rule.partition("{")[0])), rule) for rule in each]


def style() -> str:
    """Return the whole style sheet, for what is shown and not kept."""
    return "".join(rule for _, rule in _rules())


def _style(body: str) -> str:
    """Return the style rules that an output needs, since a notebook stores them with each."""
    return "".join(rule for classes, rule in _rules() if all(one in body for one in classes))


def as_html(comparison: Comparison, line_map: Sequence[int], show: Collection[str] = PARTS) -> str:
    """Return the comparison: verdict, both codes, curves, values, and other findings.

    A notebook keeps it, so that of many values that agree it has the names; the widget has their
    figures, and the panel, for as long as the kernel lives, the values themselves.
    """
    values = _values(comparison) if "values" in show else ""
    body = _first(comparison, line_map, show) + values + _last(comparison, show)
    return _card(comparison, f"{body}{_SORT}")


def opening(comparison: Comparison, line_map: Sequence[int], show: Collection[str]) -> str:
    """Return the HTML above the table of values."""
    return _card(comparison, _first(comparison, line_map, show))


def closing(comparison: Comparison, show: Collection[str]) -> str:
    """Return the HTML below the table of values, or an empty text."""
    last = _last(comparison, show)
    return _card(comparison, last) if last else ""


def table(rows: Sequence[Row]) -> str:
    """Return the table of values in the given order; many agreeing ones are folded."""
    fine, rest = _apart(rows)
    if len(fine) <= _FEW:
        return _table(rows)
    return (_table(rest) if rest else "") + _folded(fine, _table(fine))


def _saved(rows: Sequence[Row]) -> str:
    """Return the values that differ, and the names of the others if there are many."""
    fine, rest = _apart(rows)
    if len(rows) <= _FEW:
        return _table(rows)
    names = ", ".join(escape(row.name) for row in fine[:_MOST_SAVED])
    more = len(fine) - _MOST_SAVED
    names += f" and {more} more" if more > 0 else ""
    found = _table(rest, _MOST_SAVED) if rest else ""
    return found + (_folded(fine, f'<p class="tf-name">{names}</p>') if fine else "")


def _apart(rows: Sequence[Row]) -> tuple[list[Row], list[Row]]:
    """Return the values that agree, and the others."""
    fine = [row for row in rows if verdict(row) in _FINE]
    return fine, [row for row in rows if verdict(row) not in _FINE]


def _folded(fine: Sequence[Row], inside: str) -> str:
    largest = max((row.max_rel for row in fine if row.max_rel is not None), default=None)
    to = "" if largest is None else " exactly"
    if largest:
        to = f", largest relative difference {number(largest)}"
    return f"<details><summary>{len(fine)} values agree{to}</summary>{inside}</details>"


def _table(rows: Sequence[Row], most: int = _MOST_ROWS) -> str:
    head = "".join(
        f"<th>{name}</th>"
        # In a narrow table, the last columns are out of sight.
        for name in ("outcome", "name", "relative", "largest difference", "shape", "dtype", "")
    )
    body = "".join(_row(row) for row in rows[:most])
    more = f"<p>… and {len(rows) - most} more</p>" if len(rows) > most else ""
    return (
        f'<div class="tf-rows"><table><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table>{more}</div>"
    )


def _card(comparison: Comparison, body: str) -> str:
    card = f'<div class="tf-card tf-{comparison.outcome.colour}">{body}</div>'
    return f"<style>{_style(card)}</style>{card}"


def _first(comparison: Comparison, line_map: Sequence[int], show: Collection[str]) -> str:
    parts = [_head(comparison)]
    if "code" in show:
        stays = {
            finding.range.start.line
            for finding in comparison.findings
            if finding.severity is Severity.ERROR
        }
        titles = ("torch", escape(comparison.target_name))
        parts.append(side_by_side(comparison.source, comparison.code, line_map, titles, stays))
    # Torch's output is the cell's own, which is displayed as usual.
    parts.append(_error(comparison.target))
    if "values" in show:
        parts.append(charts(comparison.curves, comparison.target_name))
    return "".join(parts)


def _last(comparison: Comparison, show: Collection[str]) -> str:
    transfers = _transfers(comparison) if "values" in show or "findings" in show else ""
    return transfers + (_findings(comparison) if "findings" in show else "")


def _head(comparison: Comparison) -> str:
    word, _, rest = headline(comparison).partition(": ")
    mark = comparison.outcome.sign
    times = ""
    if comparison.ran and not comparison.lost:
        times = "".join(
            f'<span><b class="{css}">{escape(run.side)}</b> {seconds(run.seconds)}'
            f"{repeated(run)}{memory(run)}</span>"
            for run, css in ((comparison.torch, "tf-torch"), (comparison.target, "tf-target"))
        )
    return (
        f'<div class="tf-head"><span class="tf-badge">{mark} {escape(word)}</span>'
        f'<span class="tf-said">{_unbroken(rest)}</span><span class="tf-times">{times}</span></div>'
    )


def _unbroken(text: str) -> str:
    """Return a text in HTML whose numbers such as 1.5e-05 stay on one line."""
    return _POWER.sub(r'<span class="tf-number">\g<0></span>', escape(text))


def _error(run: Run) -> str:
    if run.error is None:
        return ""
    trace = escape(run.error.trace or str(run.error))
    return (
        f'<details class="tf-part"><summary>what {escape(run.side)} raises</summary>'
        f'<div class="tf-error">{trace}</div></details>'
    )


def _values(comparison: Comparison) -> str:
    rows = sorted(comparison.valued, key=worst_first)
    if not rows:
        return ""
    drawn = "".join(
        f"<details><summary>{escape(row.name)}</summary>{picture(row.picture)}</details>"
        for row in rows[:_MOST_PICTURES]
        if row.picture is not None and row.same is not True
    )
    drawn = f'<div class="tf-drawn">where they differ: {drawn}</div>' if drawn else ""
    return f'<div class="tf-part">{_saved(rows)}{drawn}</div>'


def _row(row: Row) -> str:
    word = verdict(row)
    colours = {"good": "same", "bad": "different", "warn": "open"}
    css = "carried" if word == "carried" else colours[row.outcome.colour]
    shape = "" if row.shape is None else ("×".join(map(str, row.shape)) or "scalar")
    return (
        f'<tr><td class="tf-is-{css}">{word}</td><td class="tf-name">{escape(row.name)}</td>'
        f"{_number(row.max_rel, _bar(row, css))}{_number(row.max_abs)}"
        f"<td>{shape}</td><td>{escape(row.dtype or '')}</td>"
        f"<td>{escape(reason(row))}</td></tr>"
    )


def _number(value: float | None, extra: str = "") -> str:
    order = "" if value is None else repr(value)
    return f'<td data-n="{order}">{number(value)}{extra}</td>'


def _bar(row: Row, css: str) -> str:
    """Return a bar of the relative difference on a logarithmic scale: empty at 1e-9, full at 1."""
    if row.max_rel is None or row.origin is Origin.CARRIED:
        return ""
    if not math.isfinite(row.max_rel):
        share = 1.0
    else:
        share = min(1.0, max(0.0, (math.log10(row.max_rel) + 9) / 9)) if row.max_rel > 0 else 0.0
    return f'<span class="tf-bar tf-is-{css}"><i style="width:{share:.0%}"></i></span>'


def _transfers(comparison: Comparison) -> str:
    failed = [item for item in comparison.carried if item.failed]
    copied = [item for item in comparison.carried if not item.failed]
    notes = [f"{item.name} could not be transferred: {item.reason}" for item in failed]
    notes += comparison.notes
    result = _list("notes", notes, is_open=True)
    return result + _list(
        "copied from torch, not computed",
        [f"{item.name} ({item.what})" for item in copied],
        is_open=False,
    )


def _findings(comparison: Comparison) -> str:
    lines = [
        f"line {comparison.first_line + finding.range.start.line}: {finding.message}"
        for finding in comparison.findings
        if finding.severity is not Severity.HINT
    ]
    worst = any(finding.severity is Severity.ERROR for finding in comparison.findings)
    return _list("findings", list(dict.fromkeys(lines)), is_open=worst)


def _list(title: str, items: Iterable[str], *, is_open: bool) -> str:
    found = "".join(f"<li>{escape(item)}</li>" for item in items)
    if not found:
        return ""
    count = found.count("<li>")
    if count == 1:
        title = {"notes": "note", "findings": "finding"}.get(title, title)
    return (
        f'<details class="tf-part"{" open" if is_open else ""}>'
        f"<summary>{count} {escape(title)}</summary><ul>{found}</ul></details>"
    )
