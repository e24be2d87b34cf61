"""Findings of open programs, computed when first asked for and kept while the text stands."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import workbench

if TYPE_CHECKING:
    from collections.abc import Callable

    from lsp_server.documents import Program
    from workbench.convert.settings import Settings
    from workbench.findings import Finding
    from workbench.source.modules import Neighbours
    from workbench.targets import Target

logger = logging.getLogger(__name__)


@dataclass
class Checked:
    """What is known of one revision of a program; no analysis where the engine failed."""

    revision: int
    settings: Settings
    neighbours: Neighbours | None
    analysis: workbench.Analysis | None
    findings: list[Finding]


class Checker:
    """Asks the engine about programs, once per revision and settings."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._kept: WeakKeyDictionary[Program, Checked] = WeakKeyDictionary()

    def check(
        self,
        program: Program,
        settings: Settings,
        aim: Callable[[str], Target],
        neighbours: Neighbours | None = None,
    ) -> Checked:
        """What there is to know of a program; nothing, and a log entry, if the engine fails.

        Args:
            program: the program.
            settings: those of its project.
            aim: gives the target for the address of a program.
            neighbours: the other modules of its project.
        """
        kept = self._kept.get(program)
        if (
            kept
            and kept.revision == program.revision
            and kept.settings is settings
            and kept.neighbours is neighbours
        ):
            return kept
        analysis, findings = kept.analysis if kept else None, []
        try:
            target = aim(program.uri)
            analysis = workbench.analyse(
                program.text, analysis, neighbours=neighbours, facts=target.facts
            )
            findings = workbench.check_analysis(analysis, target=target)
            findings = list(settings.judged(findings))
        except workbench.TorchferryError as error:
            self._tell(f"Torchferry checks nothing: {error}")
        except Exception:
            logger.exception("The engine failed on revision %s of a text", program.revision)
            analysis = None
        if not (analysis and analysis.imports):
            # A syntax error matters here for what it hides of torch; others report it anyway.
            findings = [finding for finding in findings if finding.name]
        self._kept[program] = checked = Checked(
            program.revision, settings, neighbours, analysis, findings
        )
        return checked
