"""`%convert_notebook`: convert a whole notebook, and write the result and a report next to it."""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jupyter_ext.errors import ConvertError
from jupyter_ext.options import MagicParser
from workbench.convert.project.runner import convert_project
from workbench.convert.report.report import Report
from workbench.convert.report.written_report import write_report
from workbench.errors import TorchferryError
from workbench.source.packages import may_use_torch
from workbench.targets import DEFAULT, INITS, STYLES

_IMPORT = re.compile(r"^[ \t]*(?:import|from)[ \t]+(\w+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Written:
    """What was written, and what the report says."""

    notebook: Path
    page: Path
    report: Report
    beside: tuple[str, ...] = ()  # modules that the notebook imports, and that use torch

    def summary(self) -> str:
        """A few lines for the cell's output."""
        report = self.report
        lines = [
            f"{report.total('converted_uses')} of {report.total('uses')} uses of torch converted",
            f"notebook: {self.notebook}, with torch's outputs until its cells are run",
            f"report:   {self.page}",
        ]
        remaining = report.total("uses") - report.total("converted_uses")
        if remaining:
            stays = "stays, under" if remaining == 1 else "stay, each under"
            lines.insert(1, f"{remaining} {stays} a comment that says why")
        for name in self.beside:
            said = "which stays as it is: `torchferry convert` of the folder converts both"
            lines.insert(1, f"the notebook imports {name}.py, {said}")
        return "\n".join(lines)


def notebook_parser() -> argparse.ArgumentParser:
    """The parser of `%convert_notebook`."""
    parser = MagicParser("%convert_notebook")
    add = parser.add_argument
    add("notebook", nargs="?", help="the notebook; this one where none is named")
    add("-o", "--output", metavar="FILE", help="where to (NAME.TARGET.ipynb beside it)")
    parser.add_target()
    add("--style", choices=STYLES, help="how code is written (as the project's settings say)")
    add("--init", choices=INITS, help="whose distribution new weights follow (likewise)")
    add("--force", action="store_true", help="write over what is there")
    add(
        "--run",
        action="store_true",
        help="run every cell on both sides too, in a kernel of its own, and list the outcomes",
    )
    return parser


def read_notebook_line(line: str) -> argparse.Namespace:
    """The options of a `%convert_notebook` line.

    Raises:
        ConvertError: the line holds something that is no option.
    """
    try:
        return notebook_parser().parse_args(shlex.split(line))
    except ValueError as error:
        raise ConvertError(f"%convert_notebook: {error}") from None


def convert_notebook(
    notebook: Path,
    output: Path | None = None,
    *,
    target: str = DEFAULT,
    style: str | None = None,
    init: str | None = None,
    force: bool = False,
) -> Written:
    """Convert a notebook file; nothing that is there is written over unless forced.

    Raises:
        ConvertError: it cannot be read or written; the message says what to do.
    """
    name = target.partition("=")[0]
    output = output or notebook.with_suffix(f".{name}.ipynb")
    page = output.with_suffix(".report.html")
    try:
        if not force:
            _free(page)
        report = convert_project(
            notebook, output, target=target, style=style, init=init, force=force
        )
        failed = report.failures()
        if failed:
            raise ConvertError("; ".join(str(file.failure) for file in failed))
        write_report(report, page)
    except TorchferryError as error:
        raise ConvertError(str(error)) from None
    return Written(output, page, report, _modules_beside(notebook))


def _modules_beside(notebook: Path) -> tuple[str, ...]:
    """The modules in the notebook's folder that it imports and that use torch."""
    sources = json.loads(notebook.read_text(encoding="utf-8")).get("cells", [])
    text = "\n".join("".join(cell["source"]) for cell in sources if cell["cell_type"] == "code")
    names = dict.fromkeys(found[1] for found in _IMPORT.finditer(text))
    files = {name: notebook.with_name(f"{name}.py") for name in names}
    return tuple(
        name
        for name, file in files.items()
        if file.is_file() and may_use_torch(file.read_text(encoding="utf-8", errors="replace"))
    )


def _free(place: Path) -> None:
    if place.exists():
        raise ConvertError(f"{place} is there already; --force writes over it")


def this_notebook(names: Mapping[str, Any]) -> Path:
    """The file of the notebook that this kernel runs for.

    Raises:
        ConvertError: the frontend does not tell; the message says to name it.
    """
    told = names.get("__vsc_ipynb_file__") or os.environ.get("JPY_SESSION_NAME", "")
    for place in (Path(told), Path(Path(told).name)):
        if told and place.suffix == ".ipynb" and place.is_file():
            return place
    raise ConvertError("which notebook is not known here: write %convert_notebook NAME.ipynb")
