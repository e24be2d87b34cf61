"""One file checked, with its findings converted on request."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from workbench import files
from workbench.convert.checking import check_analysis
from workbench.convert.examples.examples import Examples
from workbench.convert.fixing import fix_together
from workbench.convert.notebook.notebook_files import (
    Notebook,
    check_notebook,
    fix_notebook,
    read_notebook,
)
from workbench.convert.project.file_job import (
    Done,
    Job,
    Order,
    analysed,
    encoded,
    guarded,
    text_of,
)
from workbench.convert.report.report import FileResult, Row, rows_of
from workbench.convert.report.unified_diff import difference
from workbench.findings import Edit, Finding, apply_edits
from workbench.positions import Lines, Position
from workbench.source.analysis import Analysis


def check_job(job: Job, order: Order) -> Done:
    """Check a file; a failure is in its result, and nothing is raised.

    If the findings are to be converted, the result has the remaining ones, those of converted uses
    that differ, and the number of conversions; it includes the new content, which is not written.
    """
    return guarded(job, order, _check)


def _check(job: Job, order: Order, done: Done) -> None:
    data = files.read(job.source)
    text, encoding = text_of(job.source, data)
    checked = _kind(job)
    file = checked(job, order, text)
    done.result.rows = file.rows()
    if not order.fix:
        return
    code = file.fixed(done)
    if code != text:
        done.code = encoded(job.source, code, encoding)
        done.result.changed = True
        done.result.diff = difference(text, code, job.path.lstrip("/"))
        before, after = done.result.rows, checked(job, order, code).rows()
        done.result.rows = [*after, *_differing(before, after, file.edits)]
        done.result.converted_uses = _converting(before) - _converting(after)


def check_bytes(data: bytes, name: Path, order: Order) -> FileResult:
    """Check content that may not be a file, such as standard input; failures are in the result."""

    def work(job: Job, order: Order, done: Done) -> None:
        text, _ = text_of(name, data)
        done.result.rows = _kind(job)(job, order, text).rows()

    return guarded(Job(name, name, str(name)), order, work).result


def _kind(job: Job) -> type[_Python | _Notebook | _Markdown]:
    if job.source.suffix in files.MARKDOWN:
        return _Markdown
    return _Notebook if job.source.suffix == files.NOTEBOOK else _Python


def _differing(before: Iterable[Row], after: Iterable[Row], edits: Sequence[Edit]) -> Iterator[Row]:
    """Yield the findings of converted uses that are not exact, at their lines after the edits."""
    left = Counter((row.code, row.message) for row in after)
    for row in before:
        if row.converts and row.asks and not left[row.code, row.message]:
            start = Position(row.line - 1, row.column - 1)
            by = sum(_added_lines(edit) for edit in edits if edit.range.end <= start)
            yield replace(row, line=row.line + by, end_line=row.end_line + by)


def _added_lines(edit: Edit) -> int:
    return len(Lines(edit.text)) - 1 - (edit.range.end.line - edit.range.start.line)


def _converting(rows: Iterable[Row]) -> int:
    return sum(row.converts for row in rows)


class _Python:
    """A file of Python."""

    edits: Sequence[Edit] = ()  # of the fix

    def __init__(self, job: Job, order: Order, text: str) -> None:
        self._job, self._text = job, text
        self._analysis: Analysis = analysed(job.source, text, order.aim, order.project)
        found = check_analysis(self._analysis, target=order.aim, beside=job.helper_import)
        self._found = _judged(job, order, found)
        self._examples: Examples | None = None
        if order.examples and self._analysis.parsed.error is None:
            self._examples = Examples.of_docstrings(text, self._analysis.tree)
            self._examples.check(order.aim, lambda found: _judged(job, order, found))

    def rows(self) -> list[Row]:
        """Return the findings of the file; none of them converts if it has a syntax error."""
        examples = self._examples.found if self._examples else []
        rows = _rows([*self._found, *examples], self._text)
        if self._analysis.parsed.error is None:
            return rows
        return [replace(row, converts=False) for row in rows]

    def fixed(self, done: Done) -> str:
        """Return its text with the findings converted."""
        if self._analysis.parsed.error:
            return self._text
        fix = fix_together(self._found)
        self.edits = list(fix.edits) if fix else []
        done.result.helpers = fix.helpers if fix else ()
        code = apply_edits(self._text, self.edits)
        if self._examples is not None and self._examples.fits(code):
            self.edits = [*self.edits, *self._examples.edits()]
            code = apply_edits(self._text, self.edits)
        return code


class _Markdown:
    """A document with code in it."""

    edits: Sequence[Edit] = ()  # of the fix

    def __init__(self, job: Job, order: Order, text: str) -> None:
        self._text = text
        self._examples = Examples.of_markdown(text)
        self._examples.check(order.aim, lambda found: _judged(job, order, found))

    def rows(self) -> list[Row]:
        """Return the findings of its code."""
        return _rows(self._examples.found, self._text)

    def fixed(self, done: Done) -> str:
        """Return its text with the findings converted."""
        self.edits = list(self._examples.edits())
        return apply_edits(self._text, self.edits)


class _Notebook:
    """A notebook."""

    edits: Sequence[Edit] = ()  # cells are edited each for itself, and seldom change their lines

    def __init__(self, job: Job, order: Order, text: str) -> None:
        self._job, self._order = job, order
        self._notebook: Notebook = read_notebook(text, str(job.source))

    def rows(self) -> list[Row]:
        """Return the findings of its cells."""
        if not self._notebook.is_python:
            return []
        return [
            row
            for cell, found in check_notebook(
                self._notebook, self._order.aim, self._job.helper_import
            )
            for row in _rows(self._judged(found), cell.source, cell.number)
        ]

    def fixed(self, done: Done) -> str:
        """Return its text with the findings converted."""
        if not self._notebook.is_python:
            return self._notebook.text
        code, done.result.helpers = fix_notebook(
            self._notebook, self._order.aim, self._judged, self._job.helper_import
        )
        return code

    def _judged(self, found: Iterable[Finding]) -> list[Finding]:
        return _judged(self._job, self._order, found)


def _judged(job: Job, order: Order, found: Iterable[Finding]) -> list[Finding]:
    return list(order.settings.judged(found, job.source))


def _rows(found: Iterable[Finding], text: str, cell: int | None = None) -> list[Row]:
    lines = list(range(text.count("\n") + text.count("\r") + 1))
    return rows_of(found, text, text, lines, cell)
