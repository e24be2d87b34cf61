"""A notebook's port: a second notebook in its folder, with the modules that it imports."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from workbench import files
from workbench.convert.configuration.keys import INLINE
from workbench.convert.imports.helper_modules import existing_module, extended
from workbench.convert.imports.renamed_modules import with_renamed_imports
from workbench.convert.notebook.notebook_files import Notebook, open_notebook, read_notebook
from workbench.convert.notebook.own_lines import own_names, without_own_lines
from workbench.convert.notebook.port_record import (
    content_hash,
    facts_of,
    is_edited,
    text_of,
    write_record,
)
from workbench.convert.project.file_job import Job, Order, convert_job, with_deep_stack
from workbench.convert.report.report import Report
from workbench.errors import TorchferryError
from workbench.source.packages import may_use_torch
from workbench.targets.helpers import MODULE

_SCRIPT = re.compile(r"^[ \t]*(?:%run|!python3?)[ \t]+(?P<name>[\w./-]+\.py)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Port:
    """Files written for a notebook.

    Attributes:
        notebook: the port.
        modules: the converted modules and the helper module.
        report: the report of the conversion.
        notes: remarks that a person should read.
    """

    notebook: Path
    modules: tuple[Path, ...]
    report: Report
    notes: tuple[str, ...]

    def summary(self) -> str:
        """Return the port in a few lines."""
        uses, done = self.report.total("uses"), self.report.total("converted_uses")
        lines = [f"{done} of {uses} uses of torch converted", f"notebook: {self.notebook}"]
        lines += [f"module:   {file}" for file in self.modules]
        if uses > done:
            verb = "remains, under" if uses - done == 1 else "remain, each under"
            lines.insert(1, f"{uses - done} {verb} a comment with the reason")
        return "\n".join([*lines, *self.notes])


class EditedPortError(TorchferryError):
    """A port that a person has edited, which a new one would overwrite."""


def port_place(notebook: Path, target: str) -> Path:
    """Return the file of a notebook's port."""
    return notebook.with_name(f"{notebook.stem}_{target.partition('=')[0]}{files.NOTEBOOK}")


def port_notebook(
    notebook: Path, order: Order, output: Path | None = None, *, force: bool = False
) -> Port:
    """Write a notebook's port, with the modules of its folder that use torch, and their helpers.

    Args:
        notebook: it is not changed, and neither are the modules.
        order: what is wanted of every file.
        output: the port, in the notebook's folder; `NAME_TARGET.ipynb` if None.
        force: overwrite a port that a person has edited.

    Raises:
        EditedPortError: what it would overwrite was edited since it was written.
        TorchferryError: a file cannot be read, converted or written.
    """
    place = output or port_place(notebook, order.target)
    if place.parent.resolve() != notebook.parent.resolve() or place.resolve() == notebook.resolve():
        raise TorchferryError(f"{place}: a port is another file in the folder of {notebook.name}")
    original = open_notebook(notebook)
    if not original.is_python:
        raise TorchferryError(f"{notebook}: its cells are not Python")
    order = replace(
        order,
        write=False,
        keep=True,
        root=notebook.parent,
        notebook=notebook,
        run=time.monotonic_ns(),
    )
    report = Report(str(notebook), order.target, single=True)
    texts = _texts(notebook, place, order, report)
    old = open_notebook(place) if place.exists() else None
    if not force:
        _refuse_edited(place, old, texts)
    port = read_notebook(texts.pop(place), str(notebook))
    modules = {
        file.relative_to(place.parent).as_posix(): content_hash(text)
        for file, text in texts.items()
        if file.stem != MODULE
    }
    facts = {"notebook": notebook.name, "target": order.target, "modules": modules}
    write_record(port, [text_of(cell.data) for cell in original.cells], facts)
    for file, text in texts.items():
        file.parent.mkdir(exist_ok=True)
        files.write(file, text.encode())
    files.write(place, port.dumped().encode())
    return Port(place, tuple(texts), report, tuple(_notes(notebook, original, order)))


def _texts(notebook: Path, place: Path, order: Order, report: Report) -> dict[Path, str]:
    """Return the text of each file of the port, by its place: modules, helpers and the notebook."""
    suffix = order.target.partition("=")[0]
    tops = with_deep_stack(lambda: _modules_near(notebook, order))
    names = {top: f"{top}_{suffix}" for top in tops}
    modules = {
        file: notebook.parent.joinpath(*_renamed(file.relative_to(notebook.parent), names))
        for top in tops
        for file in _files_of(notebook.parent, top)
    }
    shared = bool(modules)
    texts = {}
    for source, to in modules.items():
        code = _converted(source, to, order, report, shared)
        texts[to] = with_renamed_imports(code, names, is_cell=False)
    whole = read_notebook(_converted(notebook, place, order, report, shared), str(notebook))
    _clean(whole, names)
    helpers = {name for file in report.files for name in file.helpers}
    if helpers:
        module = notebook.with_name(f"{MODULE}.py")
        texts[module] = extended(_helpers_there(module), sorted(helpers), order.aim)
    return {**texts, place: whole.dumped()}


def _modules_near(notebook: Path, order: Order) -> list[str]:
    """Return the modules next to the notebook that it imports and that reach torch."""
    project = order.project
    if project is None:
        return []
    found = (file for file in project.imported(notebook) if project.reaches_torch(file))
    parts = (file.relative_to(notebook.parent).parts for file in found)
    return sorted({part[0].removesuffix(".py") for part in parts} - {MODULE})


def _files_of(folder: Path, top: str) -> list[Path]:
    """Return the Python files of a module or a package."""
    if not (folder / top).is_dir():
        return [folder / f"{top}.py"]
    every = files.walk(folder / top, lambda file, message: None)
    return [file for file in every if file.suffix in files.PYTHON]


def _renamed(path: Path, names: Mapping[str, str]) -> tuple[str, ...]:
    first, *rest = path.parts
    stem, dot, ending = first.partition(".")
    return f"{names[stem]}{dot}{ending}", *rest


def _converted(source: Path, place: Path, order: Order, report: Report, shared: bool) -> str:
    """Return the converted text of one file."""
    helpers = None if order.helpers == INLINE else MODULE
    done = convert_job(
        Job(source, place, source.name, helpers_from=helpers, single=True, shared=shared), order
    )
    if done.result.failure:
        raise TorchferryError(done.result.failure)
    report.files.append(done.result)
    return files.decode(source, files.read(source) if done.code is None else done.code)[0]


def _clean(notebook: Notebook, names: Mapping[str, str]) -> None:
    """Remove torch's outputs and Torchferry's own lines, and import the ported modules."""
    own = own_names([cell.source for cell in notebook.cells])
    for cell in notebook.cells:
        code = without_own_lines(with_renamed_imports(cell.source, names, is_cell=True), own)
        if code != cell.source:
            cell.write(code)
        cell.data.update(outputs=[], execution_count=None)
        cell.data.get("metadata", {}).pop("execution", None)  # when torch's side ran


def _helpers_there(module: Path) -> str:
    """Return the helper module that an earlier conversion wrote; empty for none."""
    text, problem = existing_module(module)
    if problem:
        raise TorchferryError(f"{module}: {problem}; rename it")
    return text


def _refuse_edited(place: Path, old: Notebook | None, texts: Mapping[Path, str]) -> None:
    """Refuse to overwrite a file that a person has edited or no port has written.

    Raises:
        EditedPortError: there is such a file; the message names it.
    """
    facts = (facts_of(old) if old else None) or {}
    if old is not None and is_edited(old):
        raise EditedPortError(f"{place} was edited; --force overwrites it")
    for file, text in texts.items():
        if file in (place, place.with_name(f"{MODULE}.py")) or not file.exists():
            continue
        there = files.decode(file, files.read(file))[0]
        known = facts.get("modules", {}).get(file.relative_to(place.parent).as_posix())
        if text != there and known != content_hash(there):
            raise EditedPortError(f"{file} was edited; --force overwrites it")


def _notes(notebook: Path, original: Notebook, order: Order) -> Iterator[str]:
    """Yield notes on unchanged cells: those that do not parse, and those that run scripts."""
    for cell in original.cells:
        if cell.readable != cell.source:
            yield f"cell {cell.number} does not parse, and stays unchanged"
        for found in _SCRIPT.finditer(cell.source):
            file = notebook.parent / found["name"]
            text = file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""
            if may_use_torch(text, order.aim.facts.own_packages):
                yield f"cell {cell.number} runs {found['name']}, which uses torch: convert it too"
