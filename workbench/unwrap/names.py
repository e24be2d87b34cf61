"""The names that a program imports from packages, and the uses that are not rewritten."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from workbench.unwrap.program import Program


class Imported:
    """The names that a program has from some packages.

    Args:
        program: the program.
        roots: the packages.
    """

    def __init__(self, program: Program, roots: Iterable[str]) -> None:
        self.program, self._roots = program, frozenset(roots)
        self._names: dict[str, str] = {}
        self.statements: list[ast.Import | ast.ImportFrom] = []
        for node in ast.walk(program.tree):
            if isinstance(node, ast.Import):
                self._import(node)
            elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
                self._import_from(node, node.module)
        for name in self._names:
            for other in program.bound(name):
                if not isinstance(other, ast.alias):
                    program.refuse(
                        other, f"{name} is also the name of an import: rename one of them"
                    )

    def __bool__(self) -> bool:
        return bool(self.statements)

    def _import(self, node: ast.Import) -> None:
        mine = [one for one in node.names if one.name.partition(".")[0] in self._roots]
        if not mine:
            return
        self.statements.append(node)
        for alias in mine:
            name = alias.name if alias.asname else alias.name.partition(".")[0]
            self._names[alias.asname or name] = name

    def _import_from(self, node: ast.ImportFrom, module: str) -> None:
        if module.partition(".")[0] not in self._roots:
            return
        self.statements.append(node)
        for alias in node.names:
            if alias.name == "*":
                self.program.refuse(node, f"from {module} import *: import the names that are used")
            else:
                self._names[alias.asname or alias.name] = f"{module}.{alias.name}"

    def dotted(self, node: ast.AST) -> str:
        """Return the full name that an expression has in the packages, or an empty text."""
        if isinstance(node, ast.Name):
            return self._names.get(node.id, "")
        if isinstance(node, ast.Attribute):
            inner = self.dotted(node.value)
            return f"{inner}.{node.attr}" if inner else ""
        return ""

    def calls(self, *names: str) -> Iterator[ast.Call]:
        """Yield the calls of names, which are given by their last part."""
        for node in ast.walk(self.program.tree):
            if isinstance(node, ast.Call) and self.is_one(node.func, *names):
                yield node

    def is_one(self, node: ast.AST, *names: str) -> bool:
        """Return whether an expression is one of these names of the packages."""
        return self.dotted(node).rpartition(".")[2] in names

    def finish(self, only: Iterable[str] = ()) -> None:
        """Remove the imports; refuse the uses that nobody has rewritten.

        Args:
            only: the names to remove, by their last part; all if none is given.
        """
        program, chosen = self.program, frozenset(only)
        for node in ast.walk(program.tree):
            if not isinstance(node, ast.Name | ast.Attribute) or node in program.handled:
                continue
            outer = program.parents.get(node)
            if isinstance(outer, ast.Attribute) and self.dotted(outer):
                continue
            dotted = self.dotted(node)
            if dotted and (not chosen or dotted.rpartition(".")[2] in chosen):
                program.refuse(node, f"{dotted} has no form in plain torch here: write it by hand")
        for statement in self.statements:
            self._remove(statement, chosen)

    def _remove(self, node: ast.Import | ast.ImportFrom, chosen: frozenset[str]) -> None:
        if isinstance(node, ast.Import):
            kept = [
                one for one in node.names if one.name.partition(".")[0] not in self._roots or chosen
            ]
            head = "import"
        else:
            kept = [one for one in node.names if chosen and one.name not in chosen]
            head = f"from {node.module} import"
        if len(kept) == len(node.names):
            return
        if kept:
            parts = [f"{one.name} as {one.asname}" if one.asname else one.name for one in kept]
            self.program.replace(node, f"{head} {', '.join(parts)}")
        else:
            self.program.remove(node)


def bound_call(program: Program, call: ast.Call) -> str | None:
    """Return the name to which a statement binds a call's result, if its scope binds it once."""
    outer = program.parents[call]
    if isinstance(outer, ast.Assign) and len(outer.targets) == 1:
        target = outer.targets[0]
        if isinstance(target, ast.Name) and not _is_shared(program, target.id):
            scope = program.scope(target)
            if sum(program.scope(one) is scope for one in program.bound(target.id)) == 1:
                return target.id
    return None


def _is_shared(program: Program, name: str) -> bool:
    """Return whether a function binds a name of another scope."""
    return any(
        isinstance(node, ast.Global | ast.Nonlocal) and name in node.names
        for node in ast.walk(program.tree)
    )


def uses_of(program: Program, name: str, binding: ast.AST) -> Iterator[ast.Name]:
    """Yield the nodes that read a name.

    Args:
        program: the program.
        name: the name.
        binding: a node of the scope that binds it. Other scopes may have the same name.
    """
    wanted = program.scope(binding)
    scopes = {program.scope(one) for one in program.bound(name)}
    for node in ast.walk(program.tree):
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load):
            scope = program.scope(node)
            while scope not in scopes and not isinstance(scope, ast.Module):
                scope = program.scope(scope)
            if scope is wanted:
                yield node


def arguments_of(call: ast.Call, names: Iterable[str] = ()) -> dict[str, ast.expr] | None:
    """Return a call's arguments by name, or None if some are hidden by stars.

    Args:
        call: the call.
        names: the names of the arguments by position.
    """
    order = list(names)
    if any(isinstance(one, ast.Starred) for one in call.args) or len(call.args) > len(order):
        return None
    found = dict(zip(order, call.args, strict=False))
    for keyword in call.keywords:
        if keyword.arg is None:
            return None
        found[keyword.arg] = keyword.value
    return found


def is_plain(node: ast.expr) -> bool:
    """Return whether an expression may be written in several places: a name or a constant."""
    if isinstance(node, ast.UnaryOp):
        node = node.operand
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name | ast.Constant)


def is_value(node: ast.expr | None, value: object) -> bool:
    """Return whether an expression is a constant of this value and type."""
    return (
        isinstance(node, ast.Constant) and node.value == value and type(node.value) is type(value)
    )


def loops_around(program: Program, node: ast.AST) -> list[ast.AST]:
    """Return the loops and functions around a node."""
    found: list[ast.AST] = []
    while not isinstance(node, ast.Module):
        node = program.parents[node]
        if isinstance(node, ast.For | ast.While | ast.FunctionDef | ast.Lambda | ast.comprehension):
            found.append(node)
    return found
