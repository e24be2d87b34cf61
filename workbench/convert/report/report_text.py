"""A conversion's report in the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.table import Table
from rich.text import Text

from workbench.convert.report.report import Report, Row
from workbench.findings import Severity
from workbench.terminal import visible

_STYLES = {
    Severity.HINT: "dim",
    Severity.INFORMATION: "cyan",
    Severity.WARNING: "yellow",
    Severity.ERROR: "red",
}
_WORST = 10
# With fewer lines, the speed of the conversion shows nothing.
_MANY = 1000


def print_row(console: Console, file: str, row: Row) -> None:
    """Print a finding with its location on one line."""
    severity = Severity(row.severity)
    console.print(f"{visible(file)}:{row.place}: ", end="", markup=False)
    console.print(f"{severity.value} {row.code} ", style=_STYLES[severity], end="")
    console.print(visible(row.message), markup=False)


def print_report(console: Console, report: Report, in_place: bool = False) -> None:
    """Print the remaining uses, the numbers in total, by code and by file, and the next steps.

    After a conversion in place, no later check has the differences: each is printed with its line.
    """
    for file, row in report.rows():
        if row.severity == Severity.ERROR or (in_place and row.asks):
            print_row(console, _shown(report, file.path), row)
    table = Table(title="Conversion", title_justify="left", show_header=False)
    for label, value in _summary(report):
        table.add_row(label, Text(visible(value)))
    console.print(table)
    codes = report.by_code()
    if codes:
        table = Table(title="Findings", title_justify="left", show_header=False)
        for code, count in codes:
            table.add_row(code, f"{count:,}", report.meaning_of(code))
        console.print(table)
    worst = sorted((f for f in report.files if f.remaining), key=lambda f: (-f.remaining, f.path))
    if worst and len(report.files) > 1:
        table = Table(title="Files in which uses of torch remain", title_justify="left")
        table.add_column("file", overflow="fold")
        table.add_column("remain", justify="right")
        table.add_column("uses", justify="right")
        for file in worst[:_WORST]:
            table.add_row(Text(visible(file.path)), f"{file.remaining:,}", f"{file.uses:,}")
        if len(worst) > _WORST:
            table.caption = f"and {len(worst) - _WORST:,} more"
        console.print(table)
    for line in _next_steps(report, in_place):
        console.print(line, markup=False)


def _next_steps(report: Report, in_place: bool) -> Iterator[str]:
    if report.by_code() and in_place:
        yield (
            "The lines are those before the conversion; torchferry explain CODE says more about a"
            " code."
        )
    elif report.by_code():
        yield (
            f"torchferry check {visible(report.root)} prints each finding with its line;"
            " torchferry explain CODE says more about a code."
        )
    if report.kept_helpers:
        yield (
            f"Kept, though this version writes them differently: {', '.join(report.kept_helpers)}."
            " Delete those that you have not changed, and convert again."
        )
    if report.total("converted_uses"):
        yield "torchferry verify compares a converted model with its original: see its --help."


def _shown(report: Report, path: str) -> str:
    return report.root if report.single else f"{report.root.rstrip('/')}/{path}"


def _summary(report: Report) -> Iterator[tuple[str, str]]:
    if report.count("python"):
        yield "Python files", f"{report.count('python'):,}"
    if report.count("notebook"):
        yield "notebooks", f"{report.count('notebook'):,}"
    if report.count("dependencies"):
        yield "dependency files", f"{report.count('dependencies'):,}"
    if copied := sum(file.kind == "other" and not file.failure for file in report.files):
        yield "other files, copied", f"{copied:,}"
    if excluded := sum(file.excluded for file in report.files):
        yield "excluded", f"{excluded:,}"
    if cleared := report.total("cleared"):
        cells = "1 converted cell" if cleared == 1 else f"{cleared} converted cells"
        yield "outputs", f"removed from {cells}, as torch computed them"
    if report.helper_modules:
        yield "helper functions in", ", ".join(report.helper_modules)
    uses, converted = report.total("uses"), report.total("converted_uses")
    yield "uses of torch", f"{uses:,}"
    share = f" ({report.shown_share})" if uses else ""
    yield "converted", f"{converted:,}{share}"
    caveats = sum(row.converts and row.severity == Severity.WARNING for _, row in report.rows())
    yield "with a caveat", f"{caveats:,}"
    ignored = report.total("ignored")
    yield "remain as they were", f"{uses - converted - ignored:,}"
    if ignored:
        yield "ignored by comments", f"{ignored:,}"
    if failures := len(report.failures()):
        yield "files not converted", f"{failures:,}"
    lines = report.total("lines")
    rate = f" ({lines / report.seconds:,.0f} lines a second)" if lines >= _MANY else ""
    yield "lines of code", f"{lines:,} in {report.seconds:.1f} s{rate}"
