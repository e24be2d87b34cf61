"""Variables that are read after each statement of a function, before they are bound again."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from workbench.source.tree import DEFINITIONS, inside

Names = frozenset[str]
_NONE: Names = frozenset()
# Rounds after which the variables of nested loops no longer change.
_ROUNDS = 4


class Liveness:
    """Variables that are read after the statements of a function or module.

    Others may read the variables `at_end`, and those in `always` at any time.

    Attributes:
        after: the variables read after each statement, by its identity.
        always: variables that other functions read, at any time.
    """

    def __init__(
        self, body: Sequence[ast.stmt], always: Names = _NONE, at_end: Names = _NONE
    ) -> None:
        self.after: dict[int, Names] = {}
        self.always = always | _read_by_inner_functions(body)
        self._exits: list[Names] = []  # after each loop around
        self._heads: list[Names] = []  # at the start of each loop around
        self._caught: Names = _NONE  # by the handlers around
        self._block(body, self.always | at_end)

    def reads(self, statement: ast.stmt, name: str) -> bool:
        """Return whether a variable is read after a statement."""
        return name in self.always or name in self.after.get(id(statement), _NONE)

    def _block(self, body: Sequence[ast.stmt], live: Names) -> Names:
        for one in reversed(body):
            self.after[id(one)] = self.after.get(id(one), _NONE) | live | self._caught
            live = self._before(one, live) | self._caught
        return live

    def _before(self, node: ast.stmt, live: Names) -> Names:
        match node:
            case ast.If(test=test):
                return self._block(node.body, live) | self._block(node.orelse, live) | reads(test)
            case ast.While(test=test):
                after = self._block(node.orelse, live)
                return self._loop(node.body, after, live, reads(test), _NONE)
            case ast.For() | ast.AsyncFor():
                after = self._block(node.orelse, live)
                bound = binds(node.target)
                inner = self._loop(node.body, after, live, reads(node.target), bound)
                return inner | reads(node.iter)
            case ast.With() | ast.AsyncWith():
                live = self._block(node.body, live)
                for item in reversed(node.items):
                    aim = item.optional_vars
                    live = (live - binds(aim)) | reads(aim) if aim is not None else live
                    live |= reads(item.context_expr)
                return live
            case ast.Try() | ast.TryStar():
                return self._try(node, live)
            case ast.Match():
                inner = live
                for clause in node.cases:
                    inner |= self._block(clause.body, live)
                    inner |= reads(clause.guard) if clause.guard is not None else _NONE
                return inner | reads(node.subject)
            case ast.Return() | ast.Raise():
                return reads(node)
            case ast.Break():
                return self._exits[-1]
            case ast.Continue():
                return self._heads[-1]
            case ast.AugAssign(target=target):
                return live | reads(node) | binds(target)
        return (live - binds(node)) | reads(node)

    def _loop(
        self, body: list[ast.stmt], after: Names, exit_: Names, read: Names, bound: Names
    ) -> Names:
        head = after | read
        for _ in range(_ROUNDS):
            self._exits.append(exit_)
            self._heads.append(head)
            before = head
            head |= (self._block(body, head) - bound) | read
            self._exits.pop()
            self._heads.pop()
            if head == before:
                break
        return head

    def _try(self, node: ast.Try | ast.TryStar, live: Names) -> Names:
        live = self._block(node.finalbody, live)
        handled = _NONE
        for one in node.handlers:
            handled |= self._block(one.body, live)
        around, self._caught = self._caught, self._caught | handled | live
        live = self._block(node.body, self._block(node.orelse, live))
        self._caught = around
        return live


def reads(node: ast.AST) -> Names:
    """Return the variables that a node reads, but for those in nested blocks of definitions."""
    return frozenset(
        one.id
        for one in inside(node)
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load | ast.Del)
    )


def binds(node: ast.AST) -> Names:
    """Return the variables that a node binds."""
    if isinstance(node, DEFINITIONS):
        return frozenset({node.name})
    parts = inside(node)
    # The variables of a comprehension are its own.
    own = {id(n) for one in parts if isinstance(one, ast.comprehension) for n in inside(one.target)}
    return frozenset(
        one.id
        for one in parts
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store) and id(one) not in own
    )


def _read_by_inner_functions(body: Sequence[ast.stmt]) -> Names:
    found = _NONE
    for one in body:
        for node in inside(one):
            if isinstance(node, (*DEFINITIONS, ast.Lambda)):
                found |= reads(node)
    return found
