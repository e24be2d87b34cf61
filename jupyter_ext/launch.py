"""Starts JupyterLab with the side panel, on the examples where they are at hand.

`make lab` and `torchferry lab` come here; arguments are JupyterLab's own.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_CHECKOUT = Path(__file__).resolve().parent.parent
EXAMPLES = _CHECKOUT / "examples"
WORKPLACE = _CHECKOUT / "build" / "lab"  # a copy of the examples, to work in
ARRANGEMENT = _CHECKOUT / "build" / "lab-workspaces"  # JupyterLab's stored layout of open documents
TOUR = "tour.ipynb"
PANEL = "torchferry-panel"  # its id in the page


def main(arguments: Sequence[str] | None = None) -> int:
    """Run JupyterLab until it is stopped; the exit code."""
    missing = [name for name in ("jupyterlab", "netron", "ipywidgets") if find_spec(name) is None]
    if missing:
        print(
            f"JupyterLab cannot start, since packages are missing: {', '.join(missing)}. Next step:"
            " pip install 'torchferry[lab]'",
            file=sys.stderr,
        )
        return 2
    from jupyterlab.labapp import LabApp

    given = list(sys.argv[1:] if arguments is None else arguments)
    if _is_root() and "--allow-root" not in given:
        print(
            "JupyterLab does not run as root unless you allow it. "
            "Next step: make lab ARGS=--allow-root, or torchferry lab --allow-root",
            file=sys.stderr,
        )
        return 2
    LabApp.launch_instance(argv=[*defaults(given), *given])
    return 0


def _is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0


def defaults(given: Sequence[str]) -> list[str]:
    """Return options that open a checkout's examples, unless the caller names another folder."""
    named = any(not argument.startswith("-") for argument in given)
    rooted = any(argument.startswith("--ServerApp.root_dir") for argument in given)
    if named or rooted or not EXAMPLES.is_dir():
        return []
    lay_out(EXAMPLES, WORKPLACE)
    start = [f"--ServerApp.root_dir={WORKPLACE}"]
    if (WORKPLACE / TOUR).is_file():
        arrange(ARRANGEMENT)
        start.append(f"--LabApp.default_url=/lab/tree/{TOUR}")
        start.append(f"--LabApp.workspaces_dir={ARRANGEMENT}")
    return start


def lay_out(examples: Path, workplace: Path) -> None:
    """Copy the examples to a folder to work in; what is there already stays as it is."""
    for source in sorted(examples.rglob("*")):
        copy = workplace / source.relative_to(examples)
        if not source.is_file() or copy.exists() or "__pycache__" in source.parts:
            continue
        copy.parent.mkdir(parents=True, exist_ok=True)
        if source.suffix == ".ipynb":
            copy.write_text(_with_lab_metadata(source), encoding="utf-8")
        else:
            shutil.copy(source, copy)


def arrange(workspaces: Path) -> None:
    """Save a JupyterLab workspace with the side panel in front, unless one exists."""
    from jupyterlab_server.workspaces_handler import WorkspacesManager

    kept = WorkspacesManager(str(workspaces))
    if kept.list_workspaces():
        return
    panel = {"current": PANEL, "collapsed": False, "visible": True, "widgets": [PANEL]}
    layout = {"layout-restorer:data": {"right": panel}}
    kept.save("default", json.dumps({"data": layout, "metadata": {"id": "default"}}))


def _with_lab_metadata(notebook: Path) -> str:
    """Return a notebook with JupyterLab's own additions, so that opening it leaves it saved."""
    from ipykernel.ipkernel import IPythonKernel

    content = json.loads(notebook.read_text(encoding="utf-8"))
    content["metadata"]["language_info"] = IPythonKernel.language_info
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    raise SystemExit(main())
