"""Converting some uses of a text and leaving the others: by name, or within a stretch of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import workbench
from workbench.findings import Finding, Fix
from workbench.positions import Range


@dataclass(frozen=True)
class Selection:
    """The uses that are meant: those of a name, those in a range, or both."""

    name: str | None = None
    range: Range | None = None

    def picks(self, finding: Finding) -> bool:
        """Return whether a finding is among them, and can be mended."""
        return (
            finding.make_fix is not None
            and (self.name is None or finding.name == self.name)
            and (self.range is None or finding.range in self.range)
        )


def fix_some(found: Iterable[Finding], selection: Selection) -> Fix | None:
    """Return one fix of the selected findings and those nested in them, or None."""
    return workbench.fix_together(finding for finding in found if selection.picks(finding))
