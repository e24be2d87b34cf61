"""Converting some uses of a text and leaving the others: by name, or within a stretch of it."""

from __future__ import annotations

from dataclasses import dataclass

import workbench
from workbench.findings import Edit, Finding
from workbench.positions import Range
from workbench.targets import Target


@dataclass(frozen=True)
class Selection:
    """The uses that are meant: those of a name, those in a range, or both."""

    name: str | None = None
    range: Range | None = None

    def picks(self, finding: Finding) -> bool:
        """Whether a finding is among them, and can be mended."""
        return (
            finding.make_fix is not None
            and (self.name is None or finding.name == self.name)
            and (self.range is None or finding.range in self.range)
        )


def convert_some(text: str, selection: Selection, target: Target) -> list[Edit]:
    """The edits that convert the selected uses, and those nested in them."""
    found = workbench.check(text, target=target)
    fix = workbench.fix_together(finding for finding in found if selection.picks(finding))
    return list(fix.edits) if fix else []
