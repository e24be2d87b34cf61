"""Conversion of a single file, with the helper module next to it."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from workbench import files
from workbench.convert.configuration.beginning import project_of
from workbench.convert.configuration.keys import INLINE, MODULE
from workbench.convert.dependencies.file_formats import is_dependency_file
from workbench.convert.imports import helper_placement
from workbench.convert.imports.helper_modules import existing_module, extended, kept
from workbench.convert.notebook.notebook_files import python_in
from workbench.convert.project.file_job import (
    Job,
    Order,
    convert_job,
)
from workbench.convert.report.report import FileResult, Report
from workbench.convert.report.unified_diff import difference
from workbench.errors import TorchferryError
from workbench.targets.helpers import MODULE as HELPERS


def convert_file(source: Path, output: Path | None, order: Order, report: Report) -> None:
    """Convert a file, read with its project, to a file or into a folder; add it to the report.

    Raises:
        TorchferryError: the output is the source or has another kind's name, or the file cannot be
            converted alone.
    """
    if output is not None and output.is_dir():
        output = output / source.name
    if output is not None and output.exists() and output.samefile(source):
        raise TorchferryError(
            f"{output} is the source itself; give another path with -o, or use --in-place"
        )
    if output is not None:
        files.check_ending(output, source)
    if is_dependency_file(source.name) and source.suffix not in files.PYTHON:
        raise TorchferryError(
            f"{source}: its dependencies follow from the project's code; convert the folder"
        )
    place = output or source
    spelled, there = helper_module_of(source, place, order)
    job = Job(source, place, source.name, helpers_from=spelled, single=True)
    result = convert_job(job, order.within(project_of(source))).result
    report.files.append(result)
    if spelled is not None and result.helpers:
        put_module(
            helper_placement.module_file(place, spelled), there, result.helpers, order, report
        )


def helper_module_of(source: Path, place: Path, order: Order) -> tuple[str | None, str]:
    """Return the name under which a single file imports the helper module next to it, and its text.

    Unless the order asks for a module, the name is None for a text that is only shown, if the
    module's name is taken, or if the module may not be found.
    """
    asked = order.helpers == MODULE
    if not files.is_code(source) or order.helpers == INLINE:
        return None, ""
    if not asked and not order.write:
        return None, ""
    try:
        text = python_in(source)
    except TorchferryError:
        return None, ""  # the conversion itself reports it
    spelled = helper_placement.imported_as(source, text, place)
    if spelled is None and asked:
        spelled = f"{'.' * (source.parent / '__init__.py').exists()}{HELPERS}"
    if spelled is None:
        return None, ""
    file = helper_placement.module_file(place, spelled)
    there, problem = existing_module(file)
    if problem is None:
        return spelled, there
    if not asked:
        return None, ""
    raise TorchferryError(f"{file}: {problem}; rename it, or use --helpers inline")


def put_module(
    file: Path, there: str, names: Collection[str], order: Order, report: Report
) -> None:
    """Write the helper module next to a single file, with the helpers that it had before."""
    text = extended(there, names, order.aim)
    report.note_kept(file.name, kept(there, names, order.aim))
    result = FileResult(file.name, kind="helpers", changed=text != there)
    if order.diff:
        result.diff = difference(there, text, file.name)
    if order.write:
        files.write(file, text.encode())
    report.helper_modules.append(file.name)
    report.files.append(result)
