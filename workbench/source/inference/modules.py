"""Summaries of a program's own files, for the files that import them.

A summary has the names that a module binds at the top level, with their values. Its functions are
represented by their results and its classes by their members, so no statement of another file is
walked.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from workbench.source.traits.traits import Traits
from workbench.source.tree import inside
from workbench.source.types.lattice import (
    UNKNOWN,
    Foreign,
    Holding,
    ImportedClass,
    ImportedFunction,
    Instance,
    Items,
    Method,
    OneOf,
    Partial,
    Passed,
    Scope,
    Table,
    Tensor,
    TorchObject,
    UserClass,
    UserFunction,
    UserObject,
    Value,
)


@dataclass(slots=True)
class Summary:
    """The names that a module binds at the top level, and those in its `__all__`."""

    names: dict[str, Value] = field(default_factory=dict)
    offered: frozenset[str] | None = None
    stars: Sequence[Source] = ()

    def get(self, name: str) -> Value | None:
        """Return the value of a name in the module, or None."""
        value = self.names.get(name)
        if isinstance(value, Deferred):
            return value.source.get(value.name)
        if value is None:
            for source in reversed(self.stars):
                value = source.public().get(name)
                if value is not None:
                    break
        return value

    @property
    def public(self) -> dict[str, Value]:
        """The names that a star import of the module binds."""
        found = {name for name in self.names if not name.startswith("_")}
        found.update(name for source in self.stars for name in source.public())
        wanted = sorted(found) if self.offered is None else sorted(self.offered)
        values = ((name, self.get(name)) for name in wanted)
        return {name: value for name, value in values if value is not None}


class Source(Protocol):
    """A module of the program's project, read at the first access to a name."""

    def defines(self, name: str) -> bool:
        """Return whether the module defines a class or function; does not read the module."""
        ...

    def get(self, name: str) -> Value | None:
        """Return the value of a name in the module, or the submodule of that name, or None."""
        ...

    def public(self) -> Mapping[str, Value]:
        """Return the names that a star import of the module binds."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Deferred(Value):
    """A re-exported name of another module, which has not been read yet."""

    source: Source
    name: str


@dataclass(frozen=True, slots=True, eq=False)
class OwnModule(Foreign):
    """A module of the program's own project, with the name by which it is imported."""

    source: Source

    def get(self, name: str) -> Value:
        """Return the value of a name in the module, or an unknown value."""
        return known(self.source.get(name), f"{self.name}.{name}")


class Neighbours(Protocol):
    """The modules of a project from the perspective of one file."""

    def find(self, level: int, name: str) -> Source | None:
        """Return a module by its dotted name after `level` dots, or None for another package."""
        ...

    def traits(self) -> Traits:
        """Return the traits of the files that the file imports, or that import it."""
        ...


def known(value: Value | None, name: str) -> Value:
    """Return a value from another file, or a placeholder for a name of unknown value."""
    return Foreign(name) if value is None or value is UNKNOWN else value


def involves_torch(value: Value) -> bool:
    """Return whether code with this value involves torch."""
    if isinstance(value, TorchObject | Tensor | Instance):
        return True
    if isinstance(value, ImportedFunction):
        return not isinstance(value.result, ImportedFunction) and involves_torch(value.result)
    if isinstance(value, UserObject | UserClass):
        return (value.cls if isinstance(value, UserObject) else value).torch_base() is not None
    if isinstance(value, Items | Table):
        return involves_torch(value.item)
    if isinstance(value, OneOf):
        return any(map(involves_torch, value.options))
    return isinstance(value, OwnModule)


def reexporting(tree: ast.Module) -> set[int]:
    """Return the imports, by identity, of a module that only imports and re-exports names.

    Star imports count only if no other import precedes them, as their names are unknown.
    """
    found: set[int] = set()
    named = False
    for statement in tree.body:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            star = statement.names[0].name == "*"
            if not (star and named):
                found.add(id(statement))
            named = named or not star
        elif not isinstance(statement, ast.Expr | ast.Assign | ast.AugAssign) or any(
            isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
            for node in inside(statement)
        ):
            return set()
    return found


def summary(
    tree: ast.Module,
    names: Mapping[str, Value],
    results: Mapping[int, Value],
    stars: Sequence[Source],
) -> Summary:
    """Return the summary of a module that was walked.

    Args:
        tree: the module.
        names: the final values of its names.
        results: the results of its functions, by node identity.
        stars: modules that it re-exports completely, before its own names.
    """
    light = _Light(results)
    light_names = {name: light.of(value) for name, value in names.items()}
    return Summary(light_names, _offered(tree), stars)


def _offered(tree: ast.Module) -> frozenset[str] | None:
    """Return the names in `__all__`, if it is a literal, or None."""
    found: set[str] | None = None
    for statement in tree.body:
        targets = (
            statement.targets
            if isinstance(statement, ast.Assign)
            else (
                [statement.target] if isinstance(statement, ast.AugAssign | ast.AnnAssign) else []
            )
        )
        if any(isinstance(one, ast.Name) and one.id == "__all__" for one in targets):
            value = statement.value  # type: ignore[attr-defined]
            if not isinstance(value, ast.List | ast.Tuple) and found is None:
                return None
            strings = (one.value for one in inside(value) if isinstance(one, ast.Constant))
            found = (found or set()) | {one for one in strings if isinstance(one, str)}
    return None if found is None else frozenset(found)


class _Light:
    """Conversion of values to forms without their scopes and bodies."""

    def __init__(self, results: Mapping[int, Value]) -> None:
        self._results = results
        self._functions: dict[int, ImportedFunction] = {}
        self._classes: dict[int, ImportedClass] = {}

    def of(self, value: Value) -> Value:
        """Return the same value in the form for other files."""
        if isinstance(value, UserFunction):
            return self._function(value)
        if isinstance(value, ImportedClass | ImportedFunction):
            return value
        if isinstance(value, UserClass):
            return self._class(value)
        if isinstance(value, UserObject):
            cls = self.of(value.cls)
            return UserObject(cls) if isinstance(cls, UserClass) else UNKNOWN
        if isinstance(value, Items):
            items = None if value.items is None else tuple(map(self.of, value.items))
            return Items(value.kind, self.of(value.item), items)
        if isinstance(value, Table):
            named = value.named and tuple((key, self.of(one)) for key, one in value.named)
            return Table(self.of(value.item), named)
        if isinstance(value, Holding):
            return replace(value, item=self.of(value.item))
        if isinstance(value, Partial):
            named = tuple((key, self.of(one)) for key, one in value.named)
            return Partial(self.of(value.func), tuple(map(self.of, value.bound)), named)
        if isinstance(value, Method):
            return Method(self.of(value.receiver), value.name)
        if isinstance(value, OneOf):
            return OneOf(frozenset(map(self.of, value.options)))
        if isinstance(value, Passed):
            return self.of(value.value)
        return value

    def _function(self, function: UserFunction) -> ImportedFunction:
        key = function.key
        found = self._functions.get(key)
        if found is None:
            found = self._functions[key] = ImportedFunction(is_property=function.reads)
            found.result = self.of(self._results.get(key, UNKNOWN))
        return found

    def _class(self, cls: UserClass) -> ImportedClass:
        key = cls.key
        found = self._classes.get(key)
        if found is None:
            stub = ast.ClassDef(cls.node.name, bases=[], keywords=[], body=[], decorator_list=[])
            node = ast.copy_location(stub, cls.node)
            found = self._classes[key] = ImportedClass(node, Scope("module"))
            found.bases = tuple(map(self.of, cls.bases))
            found.members.update((name, self.of(one)) for name, one in cls.members.items())
            found.attributes.update((name, self.of(one)) for name, one in cls.attributes.items())
        return found
