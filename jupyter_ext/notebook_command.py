"""`%convert_notebook`: write a notebook's port and a report into its folder."""

from __future__ import annotations

import argparse
import os
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from jupyter_ext.errors import ConvertError
from jupyter_ext.installed import installed_only
from jupyter_ext.options import MagicParser
from workbench.convert.project.notebook_port import (
    EditedPortError,
    port_notebook,
    port_place,
)
from workbench.convert.project.runner import order_for
from workbench.convert.report.written_report import write_report
from workbench.errors import TorchferryError
from workbench.targets import INITS, STYLES


def notebook_parser() -> argparse.ArgumentParser:
    """Return the parser of `%convert_notebook`."""
    parser = MagicParser("%convert_notebook")
    add = parser.add_argument
    add("notebook", nargs="?", help="the notebook (this one)")
    add("-o", "--output", metavar="FILE", help="the port, in its folder (NAME_TARGET.ipynb)")
    parser.add_target()
    add("--style", choices=STYLES, help="how code is written (default: the project's setting)")
    add(
        "--init",
        choices=INITS,
        help="how new weights are initialized (default: the project's setting)",
    )
    add("--force", action="store_true", help="overwrite a port that was edited")
    add(
        "--verify",
        action="store_true",
        help="run the port, and compare what it shows with this notebook's saved outputs",
    )
    add(
        "--run",
        action="store_true",
        help="also run every cell on both sides, in a separate kernel, and list the outcomes",
    )
    return parser


def read_notebook_line(line: str) -> argparse.Namespace:
    """Return the options of a `%convert_notebook` line.

    Raises:
        ConvertError: the line holds an unknown option.
    """
    try:
        return notebook_parser().parse_args(shlex.split(line))
    except ValueError as error:
        raise ConvertError(f"%convert_notebook: {error}") from None


def run_line(given: argparse.Namespace, names: Mapping[str, Any]) -> Iterator[str]:
    """Do what a line asks for; what there is to say about each step.

    Raises:
        ConvertError: a file cannot be read or written; the message says what to do.
    """
    notebook = Path(given.notebook) if given.notebook else this_notebook(names)
    try:
        order = order_for(notebook, target=given.to, style=given.style, init=given.init)
        place = Path(given.output) if given.output else port_place(notebook, order.target)
        try:
            port = port_notebook(notebook, order, place, force=given.force)
        except EditedPortError as error:
            if not given.verify:
                raise
            yield f"{error}; the existing port is verified"
        else:
            page = place.with_suffix(".report.html")
            write_report(port.report, page)
            yield f"{port.summary()}\nreport:   {page}"
        if given.verify:
            with installed_only():
                from workbench.verify.notebook import verify_notebook

                yield str(verify_notebook(notebook, place))
    except TorchferryError as error:
        raise ConvertError(str(error)) from None
    if given.run:
        from jupyter_ext.notebook_run import as_lines, run_notebook

        yield as_lines(run_notebook(notebook, given.to, given.style, given.init))


def this_notebook(names: Mapping[str, Any]) -> Path:
    """Return the file of the notebook that this kernel runs for.

    Raises:
        ConvertError: the frontend does not tell; the message says to name it.
    """
    name = names.get("__vsc_ipynb_file__") or os.environ.get("JPY_SESSION_NAME", "")
    for place in (Path(name), Path(Path(name).name)):
        if name and place.suffix == ".ipynb" and place.is_file():
            return place
    raise ConvertError(
        "the name of this notebook is not known here: write %convert_notebook NAME.ipynb"
    )
