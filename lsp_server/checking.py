"""Findings of open programs, computed when first asked for and kept while the text stands."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import workbench
from lsp_server.workspace.addresses import path_of
from workbench.codes import UNCHECKED
from workbench.convert.checking import Kept
from workbench.convert.findings.messages import TOO_DEEP
from workbench.convert.fix_request import Ask, no_module
from workbench.findings import Finding, Severity
from workbench.positions import Position, Range
from workbench.source.packages import may_use_torch

if TYPE_CHECKING:
    from collections.abc import Callable

    from lsp_server.workspace.documents import Program
    from workbench.convert.configuration.settings import Settings
    from workbench.source.inference.modules import Neighbours
    from workbench.targets import Target

logger = logging.getLogger(__name__)

# A check of this many characters takes about a second, and a conversion ten.
MOST_CHARACTERS = 500_000
_TOP = Range(Position(0, 0), Position(0, 0))


@dataclass
class Checked:
    """Results of checking one revision of a program.

    `analysis` is None if the program is too large to be analysed, or if the engine failed.
    """

    revision: int
    settings: Settings
    neighbours: Neighbours | None
    analysis: workbench.Analysis | None
    findings: list[Finding]


class Checker:
    """Checks programs, and keeps the results for one revision and settings of each."""

    def __init__(self, show_message: Callable[[str], None]) -> None:
        self._show_message = show_message
        self._kept: WeakKeyDictionary[Program, Checked] = WeakKeyDictionary()
        self._known: WeakKeyDictionary[Program, Kept] = WeakKeyDictionary()

    def check(
        self,
        program: Program,
        settings: Settings,
        aim: Callable[[str], Target],
        neighbours: Neighbours | None = None,
        beside: Ask = no_module,
    ) -> Checked:
        """Check a program; the reason why one cannot be checked is its only finding.

        Args:
            program: the program.
            settings: the settings of its project.
            aim: returns the target for the address of a program.
            neighbours: the other modules of its project.
            beside: returns the module that fixes may import helpers from.
        """
        revision = program.revision  # before the text, which may change while a thread reads it
        kept = self._kept.get(program)
        if (
            kept
            and kept.revision == revision
            and kept.settings is settings
            and kept.neighbours is neighbours
        ):
            return kept
        analysis, findings = None, list[Finding]()
        try:
            target = aim(program.uri)
            if program.size > MOST_CHARACTERS:
                findings = _too_large(program, target)
            else:
                before = kept.analysis if kept else None
                analysis = workbench.analyse(
                    program.text, before, neighbours=neighbours, facts=target.facts
                )
                findings = workbench.check_analysis(
                    analysis,
                    target=target,
                    beside=beside,
                    kept=self._known.setdefault(program, Kept()),
                )
                if not analysis.imports:
                    # A syntax error matters only because it may hide torch; other servers report
                    # it.
                    findings = [finding for finding in findings if finding.name]
        except workbench.TorchferryError as error:
            self._show_message(f"Torchferry cannot check anything: {error}")
        except Exception as error:
            logger.exception("The engine failed on revision %s of a text", revision)
            analysis, findings = None, [failure(error)]
        self._kept[program] = checked = Checked(
            revision,
            settings,
            neighbours,
            analysis,
            list(settings.judged(findings, path_of(program.uri))),
        )
        return checked


def failure(error: Exception) -> Finding:
    """Return the finding at the top of a file that could not be checked."""
    message = (
        f"Torchferry could not check this file ({type(error).__name__}: {error}); please report"
        " this, and exclude the file until then. Other files are still checked."
    )
    if isinstance(error, RecursionError | MemoryError):
        message = f"Torchferry could not check this file: {TOO_DEEP}"
    return Finding(code=UNCHECKED, severity=Severity.ERROR, message=message, range=_TOP)


def _too_large(program: Program, target: Target) -> list[Finding]:
    """Return the finding at the top of an unchecked file, or none if it cannot use torch."""
    own = target.facts.own_packages
    if not any(may_use_torch(document.text, own) for document in program.documents):
        return []
    message = f"Torchferry does not check this file: {too_large(program)}"
    return [Finding(code=UNCHECKED, severity=Severity.INFORMATION, message=message, range=_TOP)]


def too_large(program: Program) -> str:
    """Return why a program is not checked and what to do, or an empty text if it is."""
    if program.size <= MOST_CHARACTERS:
        return ""
    return (
        f"it has {program.size:,} characters, and the limit in an editor is"
        f" {MOST_CHARACTERS:,}; use"
        " `torchferry check` and `torchferry convert` on the command line, or split the file"
    )
