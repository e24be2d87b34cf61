"""Snapshot of everything that a walk changes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from workbench.source.types.lattice import UserClass, UserFunction, Value
from workbench.source.types.scopes import Scope

if TYPE_CHECKING:
    from workbench.source.inference.context import Context

# Attributes of a context that are containers which a walk changes.
_CONTAINERS = (
    "frames",
    "active",
    "choices",
    "open_classes",
    "giving",
    "of_target",
    "scopes",
    "classes",
)


@dataclass(frozen=True, slots=True)
class _OfScope:
    scope: Scope
    parent: Scope | None
    names: dict[str, Value]
    globals: set[str]
    nonlocals: set[str]


@dataclass(frozen=True, slots=True)
class _OfClass:
    cls: UserClass
    members: dict[str, Value]
    attributes: dict[str, Value]


class State:
    """A copy of a walk's knowledge and findings."""

    def __init__(self, context: Context) -> None:
        self.scopes = [
            _OfScope(one, one.parent, one.names.copy(), one.globals.copy(), one.nonlocals.copy())
            for one in {id(one): one for one in _scopes(context)}.values()
        ]
        self.classes = [
            _OfClass(one, one.members.copy(), one.attributes.copy()) for one in context.classes
        ]
        self.scope, self.statement = context.scope, context.statement
        self.inferring = context.inferring
        self.containers = {name: copy(getattr(context, name)) for name in _CONTAINERS}
        self.known = _copied(context.functions)
        self.found = _copied(context.found)

    def restore(self, context: Context) -> None:
        """Restore the state of a context."""
        for old in self.scopes:
            scope = old.scope
            scope.parent, scope.names = old.parent, old.names.copy()
            scope.globals, scope.nonlocals = old.globals.copy(), old.nonlocals.copy()
        for one in self.classes:
            one.cls.members, one.cls.attributes = one.members.copy(), one.attributes.copy()
        context.scope, context.statement = self.scope, self.statement
        context.inferring = self.inferring
        for name, value in self.containers.items():
            setattr(context, name, copy(value))
        context.functions, context.found = _copied(self.known), _copied(self.found)


@dataclass(slots=True)
class Window:
    """One walk of a watched place: the states before and after, and the function or None."""

    function: UserFunction | None
    before: State
    after: State


@dataclass(slots=True)
class Watch:
    """Storage of the states around each walk of a function, or of some statements of the module.

    `key` is the function's, or None for the statements from `start` to `stop`.
    """

    key: int | None
    start: int = 0
    stop: int = 0
    windows: list[Window] = field(default_factory=list)

    @contextmanager
    def around(self, context: Context, function: UserFunction | None = None) -> Iterator[None]:
        """Store the states before and after the block."""
        before = State(context)
        yield
        self.windows.append(Window(function, before, State(context)))


def _scopes(context: Context) -> Iterator[Scope]:
    yield from context.scopes
    scope: Scope | None = context.scope
    while scope is not None:
        yield scope
        scope = scope.parent


def _copied(one: Any) -> Any:
    """Return a copy of a dataclass of containers, with copies of these."""
    values = {each.name: copy(getattr(one, each.name)) for each in fields(one)}
    if "passed" in values:
        values["passed"] = {key: copy(value) for key, value in values["passed"].items()}
    return type(one)(**values)
