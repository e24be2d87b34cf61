"""Command `python -m workbench.proof`: prove every rule; write the record and `docs/coverage`."""

from __future__ import annotations

import sys
from pathlib import Path

from workbench.proof.command import prove
from workbench.targets import DEFAULT

if __name__ == "__main__":
    sys.exit(prove(tuple(sys.argv[1:]), DEFAULT, write=Path("docs/coverage")))
