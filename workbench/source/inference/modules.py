"""What a program's own other files define, as far as those that import them need to know.

A summary holds the names that a module binds at its top, by their values. Its functions are known
by what they return and its classes by their members, so no statement of another file is ever walked
on behalf of the one that is read.
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
    Table,
    Tensor,
    TorchObject,
    UserClass,
    UserFunction,
    UserObject,
    Value,
)
from workbench.source.types.scopes import Scope


@dataclass(slots=True)
class Summary:
    """The names that a module binds at its top, and those that its `__all__` offers."""

    names: dict[str, Value] = field(default_factory=dict)
    offered: frozenset[str] | None = None
    stars: Sequence[Source] = ()

    def get(self, name: str) -> Value | None:
        """What the module binds to a name."""
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
        """What a star import of the module binds."""
        found = {name for name in self.names if not name.startswith("_")}
        found.update(name for source in self.stars for name in source.public())
        wanted = sorted(found) if self.offered is None else sorted(self.offered)
        values = ((name, self.get(name)) for name in wanted)
        return {name: value for name, value in values if value is not None}


class Source(Protocol):
    """A module of the program's project, read when it is first asked for a name."""

    def defines(self, name: str) -> bool:
        """True for a class or function that is written in the module; it is not read for that."""
        ...

    def get(self, name: str) -> Value | None:
        """What the module binds to a name, or the module of that name in it; None for neither."""
        ...

    def public(self) -> Mapping[str, Value]:
        """What a star import of the module binds."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Deferred(Value):
    """A name from another module that is only handed on: that module is not read for it yet."""

    source: Source
    name: str


@dataclass(frozen=True, slots=True, eq=False)
class OwnModule(Foreign):
    """A module of the program's own project, by the name that it is imported by."""

    source: Source

    def get(self, name: str) -> Value:
        """What the module binds to a name; of one that it does not bind, nothing is known."""
        return known(self.source.get(name), f"{self.name}.{name}")


class Neighbours(Protocol):
    """The modules of its project as one file imports them."""

    def find(self, level: int, name: str) -> Source | None:
        """A module by its dotted name, behind so many dots; None for one of another package."""
        ...

    def traits(self) -> Traits:
        """What the files show that the file imports, or that import it."""
        ...


def known(value: Value | None, name: str) -> Value:
    """A value from another file, or what stands for a name of which nothing is known."""
    return Foreign(name) if value is None or value is UNKNOWN else value


def tells_of_torch(value: Value) -> bool:
    """True where code that has this value works with torch."""
    if isinstance(value, TorchObject | Tensor | Instance):
        return True
    if isinstance(value, ImportedFunction):
        return not isinstance(value.result, ImportedFunction) and tells_of_torch(value.result)
    if isinstance(value, UserObject | UserClass):
        return (value.cls if isinstance(value, UserObject) else value).torch_base() is not None
    if isinstance(value, Items | Table):
        return tells_of_torch(value.item)
    if isinstance(value, OneOf):
        return any(map(tells_of_torch, value.options))
    return isinstance(value, OwnModule)


def handing_on(tree: ast.Module) -> set[int]:
    """The imports, by identity, of a module that does nothing but import and hand on.

    Of star imports those alone that no other import comes before: it is not known what they bind.
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
    """The summary of a module that was walked.

    Args:
        tree: the module.
        names: what its names are bound to in the end.
        results: what its functions return, by the identity of their nodes.
        stars: modules all of whose names it hands on, before those that it binds itself.
    """
    light = _Light(results)
    light_names = {name: light.of(value) for name, value in names.items()}
    return Summary(light_names, _offered(tree), stars)


def _offered(tree: ast.Module) -> frozenset[str] | None:
    """The names in `__all__`, where they are written out."""
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
    """Values without the scopes and bodies that they came from."""

    def __init__(self, results: Mapping[int, Value]) -> None:
        self._results = results
        self._functions: dict[int, ImportedFunction] = {}
        self._classes: dict[int, ImportedClass] = {}

    def of(self, value: Value) -> Value:
        """The same value, as another file is to know it."""
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
            return Partial(self.of(value.func))
        if isinstance(value, Method):
            return Method(self.of(value.receiver), value.name)
        if isinstance(value, OneOf):
            return OneOf(frozenset(map(self.of, value.options)))
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
            found = self._classes[key] = ImportedClass(stub, Scope("module"))
            found.bases = tuple(map(self.of, cls.bases))
            found.members.update((name, self.of(one)) for name, one in cls.members.items())
            found.attributes.update((name, self.of(one)) for name, one in cls.attributes.items())
        return found
