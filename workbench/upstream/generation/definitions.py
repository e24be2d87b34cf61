"""Functions and classes in Python sources and stubs, found without running them."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import ModuleType

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass
class Scope:
    """The definitions in a module or class: names, functions with all overloads, annotations."""

    names: set[str] = field(default_factory=set)
    functions: dict[str, list[Function]] = field(default_factory=dict)
    annotations: dict[str, ast.expr] = field(default_factory=dict)
    classes: dict[str, Scope] = field(default_factory=dict)
    bases: list[str] = field(default_factory=list)

    def overloads(self, name: str) -> list[Function]:
        """Return the definitions of a function that describe its calls: its overloads, if it has
        any.
        """
        found = self.functions.get(name, [])
        return [function for function in found if _is_overload(function)] or found[-1:]

    def find(self, path: str) -> Scope | None:
        """Return the class with this dotted path, or None."""
        scope: Scope | None = self
        for name in path.split("."):
            scope = scope and scope.classes.get(name)
        return scope


@dataclass
class Definitions(Scope):
    """The definitions in a file, and its functions by the lines where they start."""

    lines: dict[tuple[int, str], list[Function]] = field(default_factory=dict)


def definitions_of(module: ModuleType) -> Definitions:
    """Return the definitions in a module's file; they are empty if it has no Python file."""
    return read(getattr(module, "__file__", None) or "")


@cache
def read(path: str) -> Definitions:
    """Return the definitions in a source or stub file; they are empty if it does not exist."""
    file = Path(path)
    if file.suffix not in {".py", ".pyi"} or not file.is_file():
        return Definitions()
    tree = ast.parse(file.read_bytes())
    definitions = Definitions()
    _collect(tree.body, definitions)
    _collect_lines(tree, definitions)
    return definitions


def _collect(body: Iterable[ast.stmt], scope: Scope) -> None:
    for statement in body:
        match statement:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                scope.names.add(name)
                scope.functions.setdefault(name, []).append(statement)
                if name == "__init__":
                    _collect_attributes(statement, scope)
            case ast.ClassDef(name=name):
                scope.names.add(name)
                inner = scope.classes.setdefault(name, Scope())
                inner.bases = [ast.unparse(base) for base in statement.bases]
                _collect(statement.body, inner)
            case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation):
                scope.names.add(name)
                scope.annotations[name] = annotation
            case ast.Assign(targets=targets):
                scope.names.update(
                    node.id
                    for target in targets
                    for node in ast.walk(target)
                    if isinstance(node, ast.Name)
                )
            case ast.If(body=then, orelse=otherwise):
                _collect([*then, *otherwise], scope)
            case ast.Try(body=then, handlers=handlers, orelse=otherwise):
                _collect([*then, *otherwise], scope)
                for handler in handlers:
                    _collect(handler.body, scope)


def _collect_attributes(constructor: Function, scope: Scope) -> None:
    """Note `self.name = ...` in a constructor, with the type of the parameter if it is one."""
    arguments = constructor.args
    types = {arg.arg: arg.annotation for arg in [*arguments.args, *arguments.kwonlyargs]}
    for node in ast.walk(constructor):
        match node:
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self"), attr=name)]):
                given = node.value.id if isinstance(node.value, ast.Name) else ""
                annotation = types.get(given)
            case ast.AnnAssign(
                target=ast.Attribute(value=ast.Name(id="self"), attr=name), annotation=annotation
            ):
                pass
            case _:
                continue
        scope.annotations.setdefault(name, annotation or ast.Constant(value=""))


def _collect_lines(node: ast.AST, definitions: Definitions) -> None:
    """Note all functions, including nested ones, by the first line of their code."""
    for body in (getattr(node, part, None) for part in ("body", "orelse", "handlers", "finalbody")):
        if not isinstance(body, list):
            continue
        functions: dict[str, list[Function]] = {}
        for statement in body:
            _collect_lines(statement, definitions)
            if isinstance(statement, Function):
                functions.setdefault(statement.name, []).append(statement)
        for name, same in functions.items():
            overloads = [function for function in same if _is_overload(function)]
            for function in same:
                start = min([function.lineno, *(d.lineno for d in function.decorator_list)])
                definitions.lines[start, name] = overloads or [function]


def _is_overload(function: Function) -> bool:
    return any(
        ast.unparse(decorator).rpartition(".")[2] == "overload"
        for decorator in function.decorator_list
    )
