"""The seed of random cases: each commit has others, and those of one run can be made again."""

from __future__ import annotations

import functools
import os
import subprocess
from pathlib import Path

NAME = "TORCHFERRY_SEED"


@functools.cache
def current() -> int:
    """Return the number in `TORCHFERRY_SEED`, else one made of the commit's hash, else 0."""
    given = os.environ.get(NAME)
    if given:
        return int(given)
    command = ["git", "rev-parse", "HEAD"]
    try:
        found = subprocess.run(
            command, cwd=Path(__file__).parent, capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):  # a copy without its history
        return 0
    return int(found.stdout[:8], 16)
