"""What a walk over a program knows and has found; its parts hand it to one another.

Every part of the walk is a function of the context and a node. How a node is walked is looked up by
its type, in tables that the context is made with, so that the parts need not know one another.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from workbench.findings import Certainty
from workbench.source.inference.modules import Neighbours, Source
from workbench.source.inference.state import Watch
from workbench.source.inference.torch_types import Members
from workbench.source.types.lattice import UNKNOWN, UserClass, UserFunction, Value
from workbench.source.types.scopes import Scope
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


@dataclass(slots=True)
class Found:
    """What the walk gives. Keys are identities of nodes, so that a second walk replaces a first."""

    uses: dict[int, Use] = field(default_factory=dict)
    unknown_members: dict[int, UnknownMember] = field(default_factory=dict)
    unknown_changes: dict[int, UnknownChange] = field(default_factory=dict)
    printed: dict[int, Printed] = field(default_factory=dict)
    open_operators: dict[int, OpenOperator] = field(default_factory=dict)
    kept_tensors: dict[int, tuple[UserClass, ast.Attribute]] = field(default_factory=dict)
    imports: list[TorchImport] = field(default_factory=list)
    foreign: list[ForeignImport] = field(default_factory=list)
    quoted: dict[int, Quoted] = field(default_factory=dict)
    # Names that other files of the program have from torch.
    borrowed: dict[str, str] = field(default_factory=dict)
    # Whether something from another file of the program tells of torch.
    touched: bool = False
    # Modules all of whose names this one hands on.
    stars: list[Source] = field(default_factory=list)


@dataclass(slots=True)
class FunctionsKnown:
    """What is known of the program's functions and classes, by the identities of their nodes."""

    pending: list[UserFunction] = field(default_factory=list)
    walked: list[UserFunction] = field(default_factory=list)
    results: dict[int, Value] = field(default_factory=dict)
    yielded: dict[int, Value] = field(default_factory=dict)
    # What calls pass, by parameter.
    passed: dict[int, dict[str, Value]] = field(default_factory=dict)
    # Parameters that were walked as tensors of no known dtype, by function.
    of_open_dtype: set[tuple[int, str]] = field(default_factory=set)
    with_tensors: set[int] = field(default_factory=set)  # called by torch, with tensors
    for_inference: set[int] = field(default_factory=set)  # decorated so
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
    """The state of a walk: what it is given, where it is, what it knows, and what it has found.

    A definition reads the first group, the names of its `scope`, and `functions`; it gives `found`,
    the names that it binds, and again `functions`.
    """

    # What is given.
    facts: Facts
    expressions: Expressions
    statements: Statements
    members: Members
    live: dict[str, Value] = field(default_factory=dict)
    neighbours: Neighbours | None = None
    program: ast.Module = field(default_factory=lambda: ast.Module([], []))
    handing_on: set[int] = field(default_factory=set)  # imports that this file does not use itself
    watch: Watch | None = None

    # Where the walk is.
    scope: Scope = field(default_factory=lambda: Scope("module"))
    statement: ast.stmt = field(default_factory=ast.Pass)
    frames: list[Frame] = field(default_factory=list)
    active: set[int] = field(default_factory=set)  # functions that are being walked
    inferring: bool = False  # within `torch.inference_mode`
    # What strings may be here, by the text of an expression.
    choices: dict[str, tuple[str, ...]] = field(default_factory=dict)
    open_classes: dict[int, UserClass] = field(default_factory=dict)  # by their scopes

    # What is known.
    functions: FunctionsKnown = field(default_factory=FunctionsKnown)
    # Calls of which a tensor's method is called: `x.div(y)` of `x.div(y).sqrt_()`.
    giving: set[int] = field(default_factory=set)
    # Expressions that name something of the target's.
    of_target: set[int] = field(default_factory=set)
    # All scopes and classes, to be let go of in the end.
    scopes: list[Scope] = field(default_factory=list)
    classes: list[UserClass] = field(default_factory=list)

    # What is found.
    found: Found = field(default_factory=Found)

    def eval(self, node: ast.expr | None) -> Value:
        """What is known of the value of an expression; the uses in it are noted."""
        if node is None:
            return UNKNOWN
        evaluate = self.expressions.get(type(node))
        return evaluate(self, node) if evaluate else UNKNOWN

    def quiet(self, node: ast.expr) -> Value:
        """What is known of the value of an expression; its uses are noted where it stands."""
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
        """A use in the statement that is being walked; it is not noted yet."""
        return Use(name, kind, node, certainty, self.statement, receiver, value)

    def keep(self, use: Use) -> None:
        """Note a use, unless what it names is the target's, or a package with rules of its own."""
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
        """Note a use of a name that has no receiver."""
        self.keep(self.use(name, kind, node, certainty))
