"""Programs with training loops of other packages, written as programs of plain torch."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from workbench.unwrap import accelerated, lightning_loops, transformer_loops
from workbench.unwrap.lightning_modules import PACKAGES, Module, modules_of
from workbench.unwrap.names import Imported
from workbench.unwrap.program import Program, Remark


@dataclass(frozen=True, slots=True)
class Unwrapped:
    """A program in plain torch, with what a reader should know.

    Attributes:
        text: the new program, or the old one if something in it cannot be rewritten.
        changed: whether it used a package that was rewritten.
        notes: differences that remain.
        refusals: the parts that cannot be rewritten.
    """

    text: str
    changed: bool
    notes: tuple[Remark, ...]
    refusals: tuple[Remark, ...]


def unwrap(texts: Mapping[str, str]) -> dict[str, Unwrapped]:
    """Rewrite the programs of a project as plain torch.

    Args:
        texts: the source of each file, by its name.

    Raises:
        SourceError: a text is not Python.
    """
    programs = {name: Program(text, name) for name, text in texts.items()}
    modules = _modules(programs)
    forwards = _forwards(programs)
    found = {}
    for name, program in programs.items():
        accelerated.rewrite(program)
        lightning_loops.rewrite(program, modules)
        transformer_loops.rewrite(program, forwards)
        refusals = tuple(sorted(set(program.refusals)))
        text = program.text if refusals else program.result()
        notes = tuple(_first_of_each(program.notes))
        found[name] = Unwrapped(text, text != program.text, notes, refusals)
    return found


def _modules(programs: Mapping[str, Program]) -> dict[str, Module]:
    """Return the classes of Lightning of a project, without names that several files define."""
    found: dict[str, Module] = {}
    names = {name: Imported(program, PACKAGES) for name, program in programs.items()}
    while True:  # a class may extend one of a file that comes later
        again: dict[str, Module] = {}
        counts: Counter[str] = Counter()
        for name, program in programs.items():
            own = modules_of(program, names[name], found)
            counts.update(list(own))
            again |= own
        again = {name: one for name, one in again.items() if counts[name] == 1}
        if again.keys() == found.keys():
            return found
        found = again


def _forwards(programs: Mapping[str, Program]) -> dict[str, ast.FunctionDef]:
    """Return the method `forward` of each class, without names that several files define."""
    found = [
        (node.name, one)
        for program in programs.values()
        for node in ast.walk(program.tree)
        if isinstance(node, ast.ClassDef)
        for one in node.body
        if isinstance(one, ast.FunctionDef) and one.name == "forward"
    ]
    counts = Counter(name for name, _ in found)
    return {name: one for name, one in found if counts[name] == 1}


def _first_of_each(notes: list[Remark]) -> Iterator[Remark]:
    """Yield the first note of each message."""
    seen: set[str] = set()
    for note in sorted(notes):
        if note.message not in seen:
            seen.add(note.message)
            yield note
