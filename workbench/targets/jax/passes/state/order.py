"""The order in which a program makes optimizers, sets flags of parameters, and updates."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from enum import StrEnum
from itertools import groupby

from workbench.convert.decide.planner import Plan
from workbench.source.tree import inside, whole
from workbench.targets.jax.passes.program.places import Function
from workbench.targets.jax.passes.program.structure import Structure
from workbench.targets.jax.passes.state.cells import last_name

_STEP = re.compile(r"torch\.optim\.\w+\.step")
_MADE = re.compile(r"torch\.optim\.[A-Z]\w+")


class Event(StrEnum):
    """What a program does that decides which parameters an optimizer has."""

    MADE = "made"
    UPDATES = "updates"


def changes_late(changes: list[Plan], plans: list[Plan], structure: Structure) -> list[Plan]:
    """Return the uses that set flags between the making of an optimizer and an update by it."""
    order = _Order(changes, plans, structure)
    late: dict[int, Plan] = {}
    for body in [structure.analysis.tree.body, *(one.body for one in order.uncalled())]:
        has_optimizer, waiting = False, list[Plan]()
        for one in order.events(body):
            if one is Event.MADE:
                has_optimizer, waiting = True, []
            elif one is Event.UPDATES:
                late |= {id(plan): plan for plan in waiting}
            elif has_optimizer and isinstance(one, Plan):
                waiting.append(one)
        if not order.updates:  # they are in another file
            late |= {id(plan): plan for plan in waiting}
    return list(late.values())


class _Order:
    """The events of a program in the order of their execution."""

    def __init__(self, changes: list[Plan], plans: list[Plan], structure: Structure) -> None:
        self.structure = structure
        self.updates = any(_STEP.fullmatch(one.use.name) for one in plans)
        self.known: dict[int, Plan | Event] = {id(one.use.node): one for one in changes}
        for one in plans:
            if one.use.call is not None and _STEP.fullmatch(one.use.name):
                self.known[id(one.use.node)] = Event.UPDATES
            elif one.use.call is not None and _MADE.fullmatch(one.use.name):
                self.known[id(one.use.node)] = Event.MADE
        places = structure.places
        self.kept: dict[int, list[Plan | Event]] = {}
        self.functions: dict[str, list[Function]] = {}
        for function in places.of(ast.FunctionDef, ast.AsyncFunctionDef):
            self.functions.setdefault(function.name, []).append(function)
        for cls in places.of(ast.ClassDef):
            made = [one for one in cls.body if isinstance(one, Function) and one.name == "__init__"]
            self.functions.setdefault(cls.name, []).extend(made)

    def uncalled(self) -> list[Function]:
        """Return the functions that hold events and that the program itself does not call."""
        called = {last_name(one.func) for one in self.structure.calls}
        return [
            function
            for name, every in self.functions.items()
            if name not in called
            for function in every
            if not self.known.keys().isdisjoint(map(id, whole(function)))
        ]

    def events(self, body: list[ast.stmt]) -> Iterator[Plan | Event]:
        """Yield the events of statements; those of a loop's body occur twice."""
        for statement in body:
            if isinstance(statement, ast.For | ast.AsyncFor | ast.While):
                head = statement.test if isinstance(statement, ast.While) else statement.iter
                yield from self._of_expression(head)
                once = list(self.events(statement.body))
                yield from (*once, *once)
                yield from self.events(statement.orelse)
            elif not isinstance(statement, Function | ast.ClassDef):
                yield from self._of_statement(statement)

    def _of_statement(self, statement: ast.stmt) -> Iterator[Plan | Event]:
        """Yield the events of a statement's expressions and of the blocks in it."""
        for child in ast.iter_child_nodes(statement):
            if isinstance(child, ast.ExceptHandler | ast.match_case):
                yield from self.events(child.body)
            elif isinstance(child, ast.stmt):
                yield from self.events([child])
            else:
                yield from self._of_expression(child)

    def _of_expression(self, node: ast.AST) -> Iterator[Plan | Event]:
        for one in inside(node):
            if id(one) in self.known:
                yield self.known[id(one)]
            elif isinstance(one, ast.Call):
                for function in self.functions.get(last_name(one.func), []):
                    yield from self._of_function(function)

    def _of_function(self, function: Function) -> list[Plan | Event]:
        """Return the events of a function, each run of equal ones as one."""
        if id(function) not in self.kept:
            self.kept[id(function)] = []  # a function that calls itself
            self.kept[id(function)] = [
                next(run) for _, run in groupby(self.events(function.body), key=id)
            ]
        return self.kept[id(function)]
