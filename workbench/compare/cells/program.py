"""Definitions and objects of a target whose cells are converted with those above them.

Functions, classes and helpers in the mirror are those of the program up to the cell. Values are
torch's. A module, an optimizer or a loader is made by the cell's own converted statement, and then
gets torch's weights and state.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, MutableMapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Protocol

import torch

from workbench.compare.carry.inside import is_a
from workbench.compare.cells import steps as cut
from workbench.targets.bridge import CarryError

if TYPE_CHECKING:
    from workbench.compare.carry.pairing import Twins
    from workbench.compare.result import Carried
    from workbench.convert.notebook.whole import ConvertedCell, ConvertedProgram

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_IMPORTS = (ast.Import, ast.ImportFrom)
# Methods that return the module that they are called on.
_CHAINED = frozenset(
    {"bfloat16", "cpu", "cuda", "double", "eval", "float", "half", "requires_grad_", "to", "train"}
)
_MADE = (torch.nn.Module, torch.optim.Optimizer, torch.optim.lr_scheduler.LRScheduler)
_FILE = "<converted cells above>"


class Mirror(Protocol):
    """What a program needs of `workbench.compare.cells.mirror.Mirror`."""

    names: dict[str, Any]
    helpers: set[str]
    partial: dict[str, str]
    twins: Twins

    def need(self, names: Collection[str]) -> None:
        """Transfer what these names need and the mirror lacks."""

    def execute(self, statements: list[ast.stmt], filename: str, *, result: bool = False) -> object:
        """Run statements."""

    def sync(self, names: Collection[str], uses: Collection[str] = ()) -> None:
        """Record that these names hold corresponding values."""

    def separate_own(self, names: Collection[str]) -> list[Carried]:
        """Remove torch's objects that an import bound."""

    def drop(self, names: Collection[str]) -> None:
        """Remove names."""

    def clear(self) -> None:
        """Remove all values and pairs."""


class Program:
    """What the mirror has of a notebook's converted cells."""

    def __init__(self, mirror: Mirror, namespace: MutableMapping[str, Any]) -> None:
        self._mirror = mirror
        self._theirs = namespace
        self._cells: list[ConvertedCell] = []
        self._done: dict[str, str] = {}  # the code of each definition, by its name
        self._made_by: dict[str, str] = {}  # the statement that made each object of torch

    def forget(self) -> None:
        """Forget what was defined, after the mirror was cleared."""
        self._done.clear()
        self._made_by.clear()

    def follow(self, program: ConvertedProgram) -> None:
        """Define what the cells above define, as they are converted now.

        If a definition of the user's has another form than before, all values are made again.
        """
        self._cells = program.earlier
        found = [each for cell in program.earlier for each in _definitions(cell)]
        latest = {
            name: ast.unparse(statement)
            for statement, own in found
            for name in cut.bound_names([statement])
            if own and isinstance(statement, _DEFINITIONS)
        }
        if any(self._done.get(name, text) != text for name, text in latest.items()):
            self._mirror.clear()
            self.forget()
        for statement, own in found:
            self._define(statement, own=own)
        self._drop_changed()
        self._mirror.partial.update(_unconverted(program.earlier))

    def note(self, cell: ConvertedCell) -> None:
        """Record the definitions of a cell that has run."""
        for statement, _ in _definitions(cell):
            for name in cut.bound_names([statement]):
                if name in self._mirror.names:
                    self._done[name] = ast.unparse(statement)
        self._cells = [*self._cells, cell]
        self._made_by |= self._statements()

    def _drop_changed(self) -> None:
        """Drop the objects whose statement is converted otherwise than when they were made."""
        changed = []
        for name, text in self._statements().items():
            if self._made_by.get(name, text) != text:
                self._mirror.twins.discard(self._theirs.get(name))
                changed.append(name)
            self._made_by[name] = text
        self._mirror.drop(changed)

    def _statements(self) -> dict[str, str]:
        """Return the converted statement that makes each object of torch, by its name."""
        found: dict[str, str] = {}
        for cell in self._cells:
            for step in _steps(cell):
                text = "\n".join(map(ast.unparse, step.target))
                found |= {name: text for name in step.binds if is_a(self._theirs.get(name), _MADE)}
        return found

    def _define(self, statement: ast.stmt, *, own: bool) -> None:
        """Run a definition that the mirror does not have; `own` is one of the user's."""
        names = cut.bound_names([statement])
        text = ast.unparse(statement)
        mirror = self._mirror
        if names and all(self._done.get(name) == text and name in mirror.names for name in names):
            return
        if not own and isinstance(statement, ast.Assign) and self._done.keys() >= names:
            return  # a constant or the program's keys, which go on
        with suppress(Exception):  # a cell that needs it says what it lacks
            if own:
                mirror.need(cut.free_names([statement]) - names - self._done.keys())
            mirror.execute([statement], _FILE)
            self._done.update(dict.fromkeys(names, text))
        if not own:
            mirror.helpers |= names
            return
        for name in names & mirror.names.keys():
            value = self._theirs.get(name)
            if is_a(value, type) or callable(value):
                mirror.twins.add(value, mirror.names[name])
        mirror.separate_own(names)
        mirror.sync(names)

    def made(self, value: Any) -> Any:
        """Return what the converted statement makes that made a torch object.

        Raises:
            CarryError: no cell has such a statement.
        """
        kind = type(value).__name__
        for name in [name for name, held in self._theirs.items() if held is value]:
            for step in self._steps_binding(name):
                if not self._makes(step.torch, value):
                    break  # of a statement that does more, a second run would repeat it
                before = dict(self._mirror.names)
                needed = step.needs - {name}
                self._mirror.need(needed)
                missing = [one for one in sorted(needed) if one in self._theirs]
                missing = [one for one in missing if one not in self._mirror.names]
                if missing:
                    raise CarryError(f"{missing[0]}, which it is made with, has no counterpart")
                try:
                    self._mirror.execute(step.target, _FILE)
                except Exception as error:
                    self._mirror.names.clear()
                    self._mirror.names.update(before)
                    raise CarryError(f"its converted statement raises {error!r}") from error
                return self._mirror.names[name]
        raise CarryError(f"no statement of a cell makes this {kind} and nothing else")

    def _steps_binding(self, name: str) -> Iterator[cut.Step]:
        """Yield the steps of the cells that bind a name, the latest first."""
        for cell in reversed(self._cells):
            yield from (step for step in reversed(_steps(cell)) if name in step.binds)

    def _makes(self, statements: list[ast.stmt], value: Any) -> bool:
        """Return whether a statement only calls the class of a value."""
        if len(statements) != 1 or not isinstance(statements[0], ast.Assign):
            return False
        call = statements[0].value
        while (
            isinstance(call, ast.Call)
            and isinstance(call.func, ast.Attribute)
            and call.func.attr in _CHAINED
            and isinstance(call.func.value, ast.Call)
        ):
            call = call.func.value
        return isinstance(call, ast.Call) and self._named(call.func) is type(value)

    def _named(self, node: ast.expr) -> Any:
        """Return the value of a dotted name in the user's namespace, or None."""
        if isinstance(node, ast.Name):
            return self._theirs.get(node.id)
        if isinstance(node, ast.Attribute):
            return getattr(self._named(node.value), node.attr, None)
        return None


def _steps(cell: ConvertedCell) -> list[cut.Step]:
    return cut.pair(cell.source, cell.conversion.code, cell.conversion.line_map)


def _definitions(cell: ConvertedCell) -> list[tuple[ast.stmt, bool]]:
    """Return a cell's imports, definitions and added constants, and whether they are the user's."""
    steps = _steps(cell)
    found: list[tuple[ast.stmt, bool]] = []
    for step in steps:
        for statement in step.target:
            own = any(
                step.first <= line <= step.last
                for line in cell.conversion.line_map[
                    statement.lineno - 1 : statement.end_lineno or statement.lineno
                ]
            )
            if isinstance(statement, (*_IMPORTS, *_DEFINITIONS)) or (
                isinstance(statement, ast.Assign) and _is_constant(statement, step, own=own)
            ):
                found.append((statement, own))
    if not steps:
        added = ast.parse(cell.conversion.code).body
        found += [(each, False) for each in added if isinstance(each, (*_IMPORTS, ast.Assign))]
    return found


def _is_constant(statement: ast.Assign, step: cut.Step, *, own: bool) -> bool:
    """Return whether an assignment is added, a lambda, or keys in the place of a seed."""
    if not own or isinstance(statement.value, ast.Lambda):
        return True
    alone = isinstance(step.torch[0], ast.Expr) and not step.binds
    return alone and isinstance(statement.value, ast.Call) and not _reads_values(statement)


def _reads_values(statement: ast.Assign) -> bool:
    """Return whether a call is given anything but literals."""
    assert isinstance(statement.value, ast.Call)
    given = [*statement.value.args, *(one.value for one in statement.value.keywords)]
    return not all(isinstance(one, ast.Constant) for one in given)


def _unconverted(cells: list[ConvertedCell]) -> dict[str, str]:
    """Return the definitions that still use torch, with the first reason."""
    found: dict[str, str] = {}
    for cell in cells:
        for statement in ast.parse(cell.source).body:
            if not isinstance(statement, _DEFINITIONS):
                continue
            last = statement.end_lineno or statement.lineno
            lines = range(statement.lineno - 1, last)
            inside = (f for f in cell.conversion.unconverted if f.range.start.line in lines)
            if (first := next(inside, None)) is not None:
                found[statement.name] = first.message
    return found
