"""Starts JupyterLab with the side panel, on the examples where they are at hand.

`make lab` and `torchferry lab` come here; arguments are JupyterLab's own.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
TOUR = "tour.ipynb"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run JupyterLab until it is stopped; the exit code."""
    missing = [name for name in ("jupyterlab", "netron", "ipywidgets") if find_spec(name) is None]
    if missing:
        print(
            f"JupyterLab cannot start: not installed here: {', '.join(missing)}. "
            "Next step: pip install 'torchferry[lab]'",
            file=sys.stderr,
        )
        return 2
    from jupyterlab.labapp import LabApp

    given = list(sys.argv[1:] if arguments is None else arguments)
    LabApp.launch_instance(argv=[*defaults(given), *given])
    return 0


def defaults(given: Sequence[str]) -> list[str]:
    """Where to start: the examples of a checkout, unless the caller names another place."""
    named = any(not argument.startswith("-") for argument in given)
    rooted = any(argument.startswith("--ServerApp.root_dir") for argument in given)
    if named or rooted or not EXAMPLES.is_dir():
        return []
    start = [f"--ServerApp.root_dir={EXAMPLES}"]
    if (EXAMPLES / TOUR).is_file():
        start.append(f"--LabApp.default_url=/lab/tree/{TOUR}")
    return start


if __name__ == "__main__":
    raise SystemExit(main())
