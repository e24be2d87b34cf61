"""Context of a walk over a program: its input, position, knowledge and findings; and its snapshots.

Every part of the walk is a function of the context and a node. The function for a node is looked up
by its type, in tables given to the context, so that the parts need not import one another.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field, fields, replace
from typing import Any, NamedTuple

from workbench.findings import Certainty
from workbench.source.inference.modules import Neighbours, Source
from workbench.source.inference.torch_types import Members
from workbench.source.types.lattice import UNKNOWN, Scope, UserClass, UserFunction, Value
from workbench.source.uses import (
    ForeignImport,
    OpenOperator,
    Printed,
    Quoted,
    TorchImport,
    UnknownChange,
    UnknownMember,
    Use,
    UseKind,
)
from workbench.upstream.facts import Facts
from workbench.words import words

# Attributes of a context that are containers which a walk changes.
_CONTAINERS = words("frames active choices open_classes giving of_target scopes classes")


@dataclass(slots=True)
class Found:
    """Findings of the walk, keyed by node identity, so that a second walk of a node replaces the
    first.
    """

    uses: dict[int, Use] = field(default_factory=dict)
    unknown_members: dict[int, UnknownMember] = field(default_factory=dict)
    unknown_changes: dict[int, UnknownChange] = field(default_factory=dict)
    printed: dict[int, Printed] = field(default_factory=dict)
    writes: dict[int, Use] = field(default_factory=dict)
    open_operators: dict[int, OpenOperator] = field(default_factory=dict)
    kept_tensors: dict[int, tuple[UserClass, ast.Attribute]] = field(default_factory=dict)
    imports: list[TorchImport] = field(default_factory=list)
    foreign: list[ForeignImport] = field(default_factory=list)
    quoted: dict[int, Quoted] = field(default_factory=dict)
    # Names that other files of the program have from torch.
    borrowed: dict[str, str] = field(default_factory=dict)
    # Whether something from another file of the program involves torch.
    touched: bool = False
    # Modules whose names this one re-exports completely.
    stars: list[Source] = field(default_factory=list)


@dataclass(slots=True)
class FunctionsKnown:
    """Knowledge about the program's functions and classes, by node identity."""

    pending: list[UserFunction] = field(default_factory=list)
    walked: list[UserFunction] = field(default_factory=list)
    results: dict[int, Value] = field(default_factory=dict)
    yielded: dict[int, Value] = field(default_factory=dict)
    # Values that calls pass, by parameter: of all calls, those of each calling function, and those
    # with which the function was last walked.
    passed: dict[int, dict[str, Value]] = field(default_factory=dict)
    passed_by: dict[int, dict[int, dict[str, Value]]] = field(default_factory=dict)
    # Functions that an earlier walk of a function called: each with the caller, after it.
    called_before: set[tuple[int, int]] = field(default_factory=set)
    walked_with: dict[int, dict[str, Value]] = field(default_factory=dict)
    # Parameters that were walked as tensors of unknown dtype, by function.
    of_open_dtype: set[tuple[int, str]] = field(default_factory=set)
    with_tensors: set[int] = field(default_factory=set)  # called by torch, with tensors
    for_inference: set[int] = field(default_factory=set)  # decorated with inference_mode
    homes: dict[int, ast.stmt] = field(default_factory=dict)  # the statement of a lambda
    initialised: set[int] = field(default_factory=set)  # classes


class Frame(NamedTuple):
    """A function that is being walked, and the values that it has returned so far."""

    function: UserFunction
    returns: list[Value]


Expressions = Mapping[type[ast.AST], Callable[["Context", Any], Value]]
Statements = Mapping[type[ast.AST], Callable[["Context", Any], None]]


@dataclass(slots=True)
class Context:
    """State of a walk: its input, its position, its knowledge, and its findings.

    A definition reads the first group, the names of its `scope`, and `functions`; it changes
    `found`, the names that it binds, and `functions`.
    """

    # Input.
    facts: Facts
    expressions: Expressions
    statements: Statements
    members: Members
    live: dict[str, Value] = field(default_factory=dict)
    neighbours: Neighbours | None = None
    program: ast.Module = field(default_factory=lambda: ast.Module([], []))
    reexporting: set[int] = field(default_factory=set)  # imports that this file does not use itself
    watch: Watch | None = None

    # Position.
    scope: Scope = field(default_factory=lambda: Scope("module"))
    statement: ast.stmt = field(default_factory=ast.Pass)
    frames: list[Frame] = field(default_factory=list)
    active: set[int] = field(default_factory=set)  # functions that are being walked
    inferring: bool = False  # within `torch.inference_mode`
    # Possible strings at this position, by the text of an expression.
    choices: dict[str, tuple[str, ...]] = field(default_factory=dict)
    open_classes: dict[int, UserClass] = field(default_factory=dict)  # by their scopes

    # Knowledge.
    functions: FunctionsKnown = field(default_factory=FunctionsKnown)
    # Calls on whose result a tensor method is called: `x.div(y)` in `x.div(y).sqrt_()`.
    giving: set[int] = field(default_factory=set)
    # Expressions with a name of the target's, each with torch's name, or "" if torch has none.
    of_target: dict[int, str] = field(default_factory=dict)
    # All scopes and classes, to be released in the end.
    scopes: list[Scope] = field(default_factory=list)
    classes: list[UserClass] = field(default_factory=list)

    # Findings.
    found: Found = field(default_factory=Found)

    def eval(self, node: ast.expr | None) -> Value:
        """Return the inferred value of an expression, and record the uses in it."""
        if node is None:
            return UNKNOWN
        evaluate = self.expressions.get(type(node))
        return evaluate(self, node) if evaluate else UNKNOWN

    def quiet(self, node: ast.expr) -> Value:
        """Return the inferred value of an expression without recording its uses."""
        found = self.found
        uses, found.uses = found.uses, {}
        unknown, found.unknown_members = found.unknown_members, {}
        operators, found.open_operators = found.open_operators, {}
        try:
            return self.eval(node)
        finally:
            found.uses, found.unknown_members = uses, unknown
            found.open_operators = operators

    def block(self, body: Iterable[ast.stmt]) -> None:
        """Walk statements one after another."""
        for statement in body:
            self.statement = statement
            walk = self.statements.get(type(statement))
            if walk:
                walk(self, statement)

    def use(
        self,
        name: str,
        kind: UseKind,
        node: ast.expr | ast.AugAssign,
        certainty: Certainty,
        receiver: ast.expr | None = None,
        value: Value = UNKNOWN,
    ) -> Use:
        """Return a use in the statement that is being walked, without recording it."""
        use = Use(name, kind, node, certainty, self.statement, receiver, value)
        function = self.frames[-1].function.node if self.frames else None
        use.function = getattr(function, "name", "")
        return use

    def doubt(self, node: ast.expr) -> None:
        """Make a use that an earlier walk recorded at a node unsure to be of a tensor."""
        earlier = self.found.uses.get(id(node))
        if earlier is not None:
            self.found.uses[id(node)] = replace(earlier, certainty=Certainty.ASSUMED)

    def keep(self, use: Use) -> None:
        """Record a use, unless its name is the target's or that of a package with own rules."""
        if self.facts.is_own(use.name) and self.facts.is_module(use.name):
            return
        named = use.call.func if use.call is not None else use.node
        if use.kind is UseKind.PARTIAL and use.call is not None:
            named = use.call.args[0]
        method = use.owner == "torch.Tensor"
        if (use.receiver is None or method) and id(named) in self.of_target:
            return
        self.found.uses[id(use.node)] = use

    def note(self, name: str, kind: UseKind, node: ast.expr, certainty: Certainty) -> None:
        """Record a use of a name without a receiver."""
        self.keep(self.use(name, kind, node, certainty))


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
        values["passed_by"] = {
            key: {caller: copy(given) for caller, given in value.items()}
            for key, value in values["passed_by"].items()
        }
    return type(one)(**values)
