"""Hazards that keep a model of an open program from being captured, found while nobody types.

The search costs as much as all the rest. It waits for a pause, and its results move with their
lines while the text changes.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from lsp_server.workspace.addresses import path_of
from workbench.capture.hazards.detection import Hazard, hazards_by_function, in_order
from workbench.capture.hazards.rewrites import as_findings, hazard_findings
from workbench.convert.findings.suppressions import suppressions
from workbench.findings import Finding, Fix
from workbench.positions import Position, Range

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lsp_server.checking import Checked
    from lsp_server.workspace.documents import Program
    from workbench.source.analysis import Analysis

logger = logging.getLogger(__name__)


@dataclass
class _LastSearch:
    revision: int
    texts: list[str]
    findings: list[Finding]


class Hazards:
    """The hazards in open programs, as they were when last looked for."""

    def __init__(self) -> None:
        self._kept: WeakKeyDictionary[Program, _LastSearch] = WeakKeyDictionary()

    def known(self, program: Program) -> list[Finding]:
        """Those that are known of a program, on the lines where they are now."""
        kept = self._kept.get(program)
        if kept is None or not kept.findings:
            return []
        revision = program.revision  # before the text, which may change while a thread reads it
        if kept.revision != revision:
            texts = program.text.split("\n")
            kept.findings = _moved(kept.findings, kept.texts, texts)
            kept.revision, kept.texts = revision, texts
        return kept.findings

    def look(self, program: Program, checked: Checked) -> Iterator[None]:
        """Look for hazards in the current text, function by function.

        The results are known after the last step; a caller may stop before that.
        """
        analysis = checked.analysis
        if analysis is None or analysis.parsed.error is not None:
            return  # half-typed: the known hazards stay
        revision = program.revision
        hazards: list[Hazard] = []
        found: list[Finding] = []
        if analysis.imports and "forward" in program.text:
            try:
                for part in hazards_by_function(analysis.tree):
                    hazards += part
                    yield
                found = list(
                    checked.settings.judged(_findings(analysis, hazards), path_of(program.uri))
                )
            except Exception:
                logger.exception("Looking for hazards failed on a text")
        texts = program.text.split("\n") if found else []
        self._kept[program] = _LastSearch(revision, texts, found)


def _findings(analysis: Analysis, hazards: list[Hazard]) -> list[Finding]:
    if not hazards:
        return []
    quiet = suppressions(analysis)
    every = as_findings(analysis.text, analysis.tree, in_order(hazards))
    return [
        # The fix of the finding would keep the program's whole tree alive.
        replace(finding, make_fix=partial(_fix, analysis.text, number))
        for number, finding in enumerate(every)
        if not quiet.covers(finding.range.start.line, finding.code)
    ]


def _fix(text: str, number: int) -> Fix | None:
    return hazard_findings(text)[number].fix


def _moved(findings: list[Finding], before: Sequence[str], after: Sequence[str]) -> list[Finding]:
    """Return the findings on lines that are unchanged: those above and below one change."""
    top = 0
    while top < min(len(before), len(after)) and before[top] == after[top]:
        top += 1
    bottom, shift = len(before), len(after) - len(before)
    while bottom > top and bottom + shift > top and before[bottom - 1] == after[bottom + shift - 1]:
        bottom -= 1
    found = []
    for each in findings:
        first, last = each.range.start, each.range.end
        if last.line < top:
            where = each.range
        elif first.line >= bottom:
            where = Range(
                Position(first.line + shift, first.column), Position(last.line + shift, last.column)
            )
        else:
            continue
        # A fix was made for the earlier text; the next search adds it again.
        found.append(replace(each, range=where, make_fix=None))
    return found
