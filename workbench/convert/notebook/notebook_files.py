"""Notebook files: their cells converted as one program, in order.

Nothing but code cells changes, so that a diff of two notebooks shows what was converted. A cell
whose source changes loses its outputs, which torch computed. A notebook that nothing changes in
stays byte for byte.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

from workbench import files
from workbench.convert.checking import check_analysis
from workbench.convert.conversion import Conversion, convert_analysis
from workbench.convert.dependencies.installs import installs
from workbench.convert.fix_request import Ask, no_module
from workbench.convert.fixing import Fixer, fix_together
from workbench.convert.imports.helper_modules import HelperImport
from workbench.convert.notebook.cell import shifted
from workbench.convert.notebook.placing import Joined, header
from workbench.convert.rewrite.line_map import mapped_lines
from workbench.errors import SourceError, TorchferryError
from workbench.findings import Edit, Finding, apply_edits
from workbench.source.analysis import Analysis, analyse
from workbench.source.parsing.notebook import cell_text, join_cells
from workbench.source.parsing.parse import parse
from workbench.targets import Target, load

_NEWLINE = "\n"
_INDENT = re.compile(r"\{\r?\n(?P<indent>[ \t]+)\"")


@dataclass(slots=True)
class Cell:
    """A code cell: its number among all cells (from 1), its source, and its form in the file.

    `cleared` says whether outputs were removed from it.
    """

    number: int
    source: str
    data: dict[str, Any]
    cleared: bool = False

    @property
    def readable(self) -> str:
        """The source if it parses, else as many lines that are not Python."""
        if parse(cell_text(self.source)).error is None:
            return self.source
        return f"%%html{_NEWLINE * self.source.count(_NEWLINE)}"

    def write(self, source: str) -> None:
        """Replace its source by converted code, and remove the outputs of the old source."""
        self.cleared = bool(self.data.get("outputs"))
        if "outputs" in self.data:
            self.data.update(outputs=[], execution_count=None)
        as_list = isinstance(self.data.get("source"), list)
        self.data["source"] = source.splitlines(keepends=True) if as_list else source


@dataclass(slots=True)
class Notebook:
    """A notebook read from a file."""

    text: str
    data: dict[str, Any]
    cells: list[Cell]
    is_python: bool

    @property
    def program(self) -> str:
        """The Python of all cells that parse, as one text."""
        return join_cells([cell.readable for cell in self.cells])[0]

    def dumped(self) -> str:
        """Return the notebook as JSON, indented as the file was."""
        found = _INDENT.match(self.text.lstrip("\ufeff"))
        compact = (
            None if found else (",", ":") if '":' in self.text and '": ' not in self.text else None
        )
        ascii_only = self.text.isascii() and "\\u" in self.text
        result = json.dumps(
            self.data,
            indent=found["indent"] if found else None,
            ensure_ascii=ascii_only,
            separators=compact,
        )
        newline = "\r\n" if "\r\n" in self.text else "\n"
        end = newline if self.text.endswith("\n") else ""
        return result.replace("\n", newline) + end


@dataclass(slots=True)
class NotebookConversion:
    """A converted notebook: its text, each cell's own conversion, and that of the program."""

    text: str
    cells: list[tuple[Cell, Conversion]]
    whole: Conversion


def read_notebook(text: str, name: str) -> Notebook:
    """Read a notebook's text.

    Raises:
        TorchferryError: it is not a notebook, or has a format before 4.
    """

    def wrong(what: str, then: str) -> TorchferryError:
        return TorchferryError(f"{name}: {what}; {then}")

    try:
        data = json.loads(text.removeprefix("\ufeff"))
    except json.JSONDecodeError as error:
        raise wrong(
            f"not a notebook: invalid JSON at line {error.lineno}, column {error.colno}"
            f" ({error.msg})",
            "fix it there, or save it again from Jupyter",
        ) from error
    except RecursionError as error:
        raise wrong(
            "not a notebook: its JSON is nested too deeply", "save it again from Jupyter"
        ) from error
    except ValueError as error:
        # Python limits the digits of integers that it parses.
        raise wrong(
            "a number in its JSON has more digits than Python reads", "shorten it or quote it"
        ) from error
    if not isinstance(data, dict):
        raise wrong("not a notebook: its JSON is not an object", "save it again from Jupyter")
    if "worksheets" in data:
        raise wrong(
            "a notebook in a format before 4", "open it in Jupyter and save it, then convert again"
        )
    found = data.get("cells")
    if not isinstance(found, list) or not all(isinstance(cell, dict) for cell in found):
        raise wrong("not a notebook: it has no list of cells", "save it again from Jupyter")
    cells = []
    for number, cell in enumerate(found, start=1):
        if cell.get("cell_type") != "code":
            continue
        source = cell.get("source", "")
        if isinstance(source, list) and all(isinstance(line, str) for line in source):
            source = "".join(source)
        if not isinstance(source, str):
            raise wrong(f"cell {number} has no text as its source", "save it again from Jupyter")
        cells.append(Cell(number, source, cell))
    return Notebook(text, data, cells, _is_python(data))


def open_notebook(file: Path) -> Notebook:
    """Read a notebook's file.

    Raises:
        TorchferryError: it cannot be read, or `read_notebook` refuses its text.
    """
    return read_notebook(files.decode(file, files.read(file))[0], str(file))


def python_in(file: Path) -> str:
    """Return the Python in a file: the text of a module, the cells of a notebook.

    Raises:
        TorchferryError: it cannot be read.
    """
    if file.suffix != files.NOTEBOOK:
        return files.decode(file, files.read(file))[0]
    notebook = open_notebook(file)
    return notebook.program if notebook.is_python else ""


def programs_in(found: Iterable[Path], root: Path) -> dict[PurePosixPath, str]:
    """Return the Python of each file of code by its path in a folder.

    Files that cannot be read are left out: their own conversion or check reports them.
    """
    programs = {}
    for file in found:
        if files.is_code(file):
            with suppress(TorchferryError):
                programs[PurePosixPath(file.relative_to(root))] = python_in(file)
    return programs


def _is_python(data: dict[str, Any]) -> bool:
    metadata = data.get("metadata")
    if not isinstance(metadata, dict):
        return True
    words = [
        part.get(key)
        for part, key in (
            (metadata.get("kernelspec"), "language"),
            (metadata.get("language_info"), "name"),
        )
        if isinstance(part, dict)
    ]
    named = [word for word in words if isinstance(word, str)]
    return not named or any(word.lower() in {"python", "ipython"} for word in named)


def check_notebook(
    notebook: Notebook, target: str | Target, ask: Ask = no_module
) -> list[tuple[Cell, list[Finding]]]:
    """Return each cell's findings with positions in it; `ask` returns the module of helpers."""
    program = _Program(notebook)
    aim = load(target)
    found = check_analysis(analyse(program.text, facts=aim.facts), target=aim, beside=ask)
    return program.divided(found, aim)


def fix_notebook(
    notebook: Notebook,
    target: Target,
    wanted: Callable[[list[Finding]], list[Finding]],
    ask: Ask = no_module,
) -> tuple[str, tuple[str, ...]]:
    """Convert some findings of a notebook, in all cells together.

    Args:
        notebook: the notebook, which is changed.
        target: the target.
        wanted: selects the findings.
        ask: returns the module to import helpers from.

    Returns:
        The notebook's text, and the helpers that it imports.
    """
    program = _Program(notebook)
    analysis = analyse(program.text, facts=target.facts)
    found = wanted(check_analysis(analysis, target=target, beside=ask))
    fix = None if analysis.parsed.error else fix_together(found)
    if fix is None:
        return notebook.text, ()
    for cell, edits in zip(notebook.cells, program.edits(fix.edits), strict=True):
        if edits:
            cell.write(apply_edits(cell.source, edits))
    return notebook.dumped(), fix.helpers


def convert_notebook(
    notebook: Notebook,
    target: Target,
    name: str,
    *,
    helper_import: HelperImport | None = None,
    analysed: Callable[[str], Analysis] | None = None,
    keep_broken: bool = False,
) -> NotebookConversion:
    """Convert a notebook's cells as one program.

    Args:
        notebook: the notebook, which is changed.
        target: the target.
        name: the notebook's name in messages.
        helper_import: the module to import helpers from; None to define them in a cell.
        analysed: analyses the program, with the modules that it imports if they are known.
        keep_broken: leave cells that do not parse unchanged, and convert the others.

    Raises:
        TorchferryError: a cell does not parse, or its conversion would not; the message names all
            cells that do not parse.
    """
    program = _Program(notebook, keep_broken)
    analysis = analysed(program.text) if analysed else analyse(program.text, facts=target.facts)
    if analysis.parsed.error is not None:
        raise TorchferryError(_broken(notebook, name) or f"{name}: its cells do not parse together")
    try:
        whole = convert_analysis(analysis, target, helper_import=helper_import, moves=False)
    except SourceError as error:
        index = program.joined.at(error.position.line)
        line = error.position.line - program.firsts[index] + 1
        raise TorchferryError(
            f"{name}: cell {notebook.cells[index].number}, line {line}: {error.reason};"
            f" {error.step}, then convert again"
        ) from error
    edits = program.edits(whole.edits)
    done = []
    for index, (cell, found) in enumerate(program.divided(whole.findings, target)):
        code = apply_edits(cell.source, edits[index])
        mine = Conversion(
            code=code,
            findings=found,
            edits=edits[index],
            line_map=mapped_lines(cell.source, edits[index]),
        )
        if code != cell.source:
            cell.write(code)
        done.append((cell, mine))
    changed = any(conversion.edits for _, conversion in done)
    text = notebook.dumped() if changed else notebook.text
    return NotebookConversion(text, done, whole)


def _broken(notebook: Notebook, name: str) -> str:
    """Return one message for all the cells that do not parse."""
    places = []
    for cell in notebook.cells:
        error = parse(cell_text(cell.source)).error
        if error is not None:
            places.append(f"cell {cell.number}, line {error.position.line + 1}: {error.message}")
    if not places:
        return ""
    return f"{name}: {'; '.join(places)}; fix the syntax there, then convert again"


class _Program:
    """The cells of a notebook as one text, and the way back from its places to the cells."""

    def __init__(self, notebook: Notebook, without_broken: bool = False) -> None:
        self.cells = notebook.cells
        sources = [cell.readable if without_broken else cell.source for cell in self.cells]
        self.text, self.firsts = join_cells(sources)
        self.joined = Joined(sources, self.firsts)

    def divided(self, found: Sequence[Finding], target: Target) -> list[tuple[Cell, list[Finding]]]:
        """Return the findings by cell, with positions in the cell, and those about its magics."""
        result: list[tuple[Cell, list[Finding]]] = [(cell, []) for cell in self.cells]
        for finding in found:
            index = self.joined.at(finding.range.start.line)
            finding.range = shifted(finding.range, -self.firsts[index])
            if isinstance(finding.make_fix, Fixer):
                body = self.firsts[index] + header(self.cells[index].source)
                finding.make_fix = finding.make_fix.within(body, partial(self._moved, index))
            result[index][1].append(finding)
        for cell, mine in result:
            mine += installs(cell.source, target)
        return result

    def _moved(self, index: int, edit: Edit) -> Edit:
        return replace(edit, range=shifted(edit.range, -self.firsts[index]))

    def edits(self, edits: Sequence[Edit]) -> list[list[Edit]]:
        """Return the edits by cell, with positions in the cell.

        Raises:
            TorchferryError: one of them is of several cells.
        """
        result: list[list[Edit]] = [[] for _ in self.cells]
        for edit in edits:
            placed = self.joined.place(edit)
            if placed is None:
                raise TorchferryError(
                    "a statement extends over several cells; put it into one of them"
                )
            result[placed[0]].append(placed[1])
        return result
