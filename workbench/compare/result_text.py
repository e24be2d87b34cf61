"""A comparison as plain text, for terminals and for notebooks that show no HTML."""

from __future__ import annotations

from workbench.compare.result import EXCEPTION, Comparison, Origin, Outcome, Row, Run

_MOST_ROWS = 40


def as_text(comparison: Comparison) -> str:
    """Return the verdict, times, a table of the values, then transfers, notes and findings."""
    lines = [headline(comparison)]
    if comparison.ran and not comparison.lost:
        lines.append(" · ".join(effort(run) for run in (comparison.torch, comparison.target)))
    if comparison.valued:
        lines += table(comparison.valued)
    lines += [
        f"carried: {item.name} ({item.what})" for item in comparison.carried if not item.failed
    ]
    lines += [
        f"not carried: {item.name} ({item.what}): {item.reason}"
        for item in comparison.carried
        if item.failed
    ]
    lines += [f"note: {note}" for note in comparison.notes]
    lines += [
        f"line {comparison.first_line + finding.range.start.line}: "
        f"{finding.severity.value}: {finding.message}"
        for finding in comparison.findings
        if finding.severity.value in ("warning", "error")
    ]
    return "\n".join(lines)


def headline(comparison: Comparison) -> str:
    """Return the outcome in one sentence."""
    if not comparison.ran:
        return f"Not checked: converted to {comparison.target_name}, and not run."
    if comparison.lost:
        return f"Not checked: {comparison.lost}."
    outcome = comparison.outcome
    rows = comparison.valued
    carried = sum(row.origin is Origin.CARRIED for row in rows)
    tail = f"; {carried} fresh random value{_plural(carried)} copied from torch" if carried else ""
    word = outcome.word.capitalize()
    if outcome in (Outcome.DIFFERENT, Outcome.RAISED_ALONE):
        return f"{word}: {_apart(comparison, rows)}{tail}."
    if outcome is Outcome.RAISED:
        until = f"; until there {_agreement(comparison)}" if rows else ""
        return f"{word}: {_raised(comparison)}{until}{tail}."
    if outcome is Outcome.UNCHECKED:
        why = [row.reason.removeprefix("not checked: ") for row in comparison.rows]
        return f"{word}: {next(iter([*why, *comparison.notes]))}."
    if outcome is Outcome.UNCONVERTED:
        alone = sum(row.outcome is outcome for row in rows)
        rest = [row for row in rows if row.outcome is not outcome]
        agreed = f"; {_agreement(comparison)}" if rest else ""
        return f"{word}: {alone} statement{_plural(alone)} ran in torch alone{agreed}{tail}."
    if not rows:
        return f"{word}: there is no value to compare."
    few = len(comparison.drifted)
    closer = f"{few} of them only within torch's own drift" if few else ""
    return f"{word}: {_agreement(comparison, closer)}{tail}."


def _agreement(comparison: Comparison, closer: str = "") -> str:
    values = [row for row in comparison.computed if row.name != EXCEPTION]
    count = sum(row.same is True for row in values)
    unchecked = sum(row.outcome is Outcome.UNCHECKED for row in values)
    of = f" of {count + unchecked}" if unchecked else ""
    agree = f"{count}{of} value{_plural(count + unchecked)} agree{'s' if count == 1 else ''}"
    if unchecked:
        closer = ", ".join(filter(None, (closer, f"{unchecked} not checked")))
    largest = f"largest relative difference {comparison.max_rel:.1e}" if count else ""
    return ", ".join(filter(None, (agree, closer, largest, _beyond(comparison))))


def _beyond(comparison: Comparison) -> str:
    """Return the values above the largest stated difference that count as the same, or ""."""
    beyond = [
        row
        for row in comparison.computed
        if row.same and row.reason and (row.max_rel or 0.0) > comparison.max_rel
    ]
    if not beyond:
        return ""
    furthest = max(row.max_rel or 0.0 for row in beyond)
    return f"{len(beyond)} up to {furthest:.1e} for the reason in its row"


def _apart(comparison: Comparison, rows: list[Row]) -> str:
    """Return what differs; an exception on one side comes first."""
    parts = [row.reason for row in comparison.different if row.name == EXCEPTION]
    wrong = sum(row.same is False for row in rows)
    unjudged = sum(row.same is None for row in rows)
    if wrong:
        parts.append(f"{wrong} of {len(rows)} differ{'s' if wrong == 1 else ''}")
    if unjudged:
        parts.append(f"{unjudged} not checked")
    return ", ".join(parts)


def _raised(comparison: Comparison) -> str:
    error = comparison.torch.error
    assert error is not None
    return f"{_at(error.line, comparison).strip() or 'torch'}: {error}"


def table(rows: list[Row]) -> list[str]:
    """Return the rows as aligned columns, different ones first."""
    ordered = sorted(rows, key=worst_first)
    cells = [
        (
            row.name,
            "" if row.shape is None else "×".join(map(str, row.shape)) or "scalar",
            row.dtype or "",
            number(row.max_abs),
            number(row.max_rel),
            verdict(row) + (f": {reason(row)}" if reason(row) else ""),
        )
        for row in ordered[:_MOST_ROWS]
    ]
    head = ("name", "shape", "dtype", "max abs", "max rel", "")
    widths = [max(len(line[i]) for line in [head, *cells]) for i in range(len(head))]
    text = [
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in [head, *cells]
    ]
    if len(ordered) > _MOST_ROWS:
        text.append(f"… and {len(ordered) - _MOST_ROWS} more")
    return text


def worst_first(row: Row) -> int:
    """Return a sort key: different rows, then drifting ones, then the rest."""
    return 0 if row.same is not True else 1 if row.drift is not None else 2


def verdict(row: Row) -> str:
    """Return a row's outcome in one word."""
    if row.outcome is Outcome.SAME and row.origin is Origin.CARRIED:
        return "carried"
    return row.outcome.word


def reason(row: Row) -> str:
    """Return the reason for a row's outcome, and since which line."""
    since = "" if row.since is None else f"since line {row.since}"
    text = row.reason.removeprefix("not checked: ")
    return "; ".join(filter(None, (text, since)))


def number(value: float | None) -> str:
    """Return a difference in short form."""
    if value is None:
        return ""
    return "0" if value == 0 else f"{value:.1e}"


def effort(run: Run) -> str:
    """Return time and memory of one side."""
    return f"{run.side} {seconds(run.seconds)}{repeated(run)}{memory(run)}"


def repeated(run: Run) -> str:
    """Return a note that the time is a median of several runs, or of the first run."""
    if run.cold:
        return " (first run)"
    return f" (median of {run.repeats})" if run.repeats > 1 else ""


def memory(run: Run) -> str:
    """Return the rise of memory if it is at least 1 MB, or ""."""
    if not run.peak_memory or run.peak_memory < 1 << 20:
        return ""
    return f", +{run.peak_memory / (1 << 20):.0f} MB"


def seconds(value: float) -> str:
    """Return a duration in short form."""
    if value < 0.001:
        return f"{value * 1e6:.0f} µs"
    if value < 1:
        return f"{value * 1e3:.1f} ms"
    return f"{value:.2f} s"


def _plural(count: int) -> str:
    return "" if count == 1 else "s"


def _at(line: int | None, comparison: Comparison) -> str:
    return "" if line is None else f" at line {comparison.first_line + line}"
