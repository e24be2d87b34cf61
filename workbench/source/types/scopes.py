"""Names and their bindings, scope by scope."""

from __future__ import annotations

from workbench.source.types.lattice import Value, join


class Scope:
    """The names of a module, class, function, lambda or comprehension during a walk."""

    __slots__ = ("globals", "kind", "names", "nonlocals", "parent")

    def __init__(self, kind: str, parent: Scope | None = None) -> None:
        self.kind = kind
        self.parent = parent
        self.names: dict[str, Value] = {}
        self.globals: set[str] = set()
        self.nonlocals: set[str] = set()

    @property
    def module(self) -> Scope:
        """The scope of the module."""
        scope = self
        while scope.parent is not None:
            scope = scope.parent
        return scope

    def lookup(self, name: str) -> Value | None:
        """Return the value of a name, or None if no scope binds it.

        As in Python, only its own statements see a class scope.
        """
        value = self.names.get(name)
        if value is not None:
            return value
        scope = self.parent
        while scope is not None:
            if scope.kind != "class":
                value = scope.names.get(name)
                if value is not None:
                    return value
            scope = scope.parent
        return None

    def bind(self, name: str, value: Value) -> None:
        """Bind a name in the scope that `global` and `nonlocal` select."""
        if name in self.globals:
            module = self.module
            module.names[name] = join(module.names.get(name, value), value)
        elif name in self.nonlocals:
            scope = self.parent
            while scope is not None and (scope.kind == "class" or name not in scope.names):
                scope = scope.parent
            if scope is not None:
                scope.names[name] = join(scope.names[name], value)
        else:
            self.names[name] = value

    def bind_outside_comprehension(self, name: str, value: Value) -> None:
        """Bind a name like a walrus operator, in the scope around the comprehensions."""
        scope = self
        while scope.kind == "comprehension" and scope.parent is not None:
            scope = scope.parent
        scope.bind(name, value)


def merge(names: dict[str, Value], other: dict[str, Value]) -> dict[str, Value]:
    """Return the names after two branches; a name that only one branch binds keeps that value."""
    if names == other:
        return names
    merged = dict(other)
    for name, value in names.items():
        merged[name] = join(value, other[name]) if name in other else value
    return merged
