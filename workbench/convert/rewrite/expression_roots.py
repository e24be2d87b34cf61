"""Locations of edits: the expressions of each statement, and the line that it starts on."""

from __future__ import annotations

import ast
from collections.abc import Container, Iterable, Iterator

from workbench.convert.rewrite.ast_cst_pairs import children
from workbench.source.tree import COMPOUND
from workbench.source.tree import children as parts


def roots(tree: ast.AST, wanted: Container[int]) -> Iterator[tuple[ast.stmt, ast.expr]]:
    """Yield every outermost expression of a program with its statement.

    Simple statements are included only if their identity is in `wanted`.
    """
    stack: list[ast.AST] = [tree]
    while stack:
        node = stack.pop()
        for child in parts(node):
            if isinstance(child, ast.stmt):
                if isinstance(child, COMPOUND) or id(child) in wanted:
                    stack.append(child)
            elif isinstance(child, ast.expr):
                assert isinstance(node, ast.stmt)
                yield node, child
            elif isinstance(node, ast.stmt):
                for expression in children(child):
                    yield node, expression
                stack.extend(_statements(child))
            else:
                stack.append(child)


def _statements(node: ast.AST) -> Iterable[ast.AST]:
    """Return the nodes between a statement and its inner statements: handlers and cases."""
    if isinstance(node, ast.ExceptHandler | ast.match_case):
        return [_Body(node.body)]
    return ()


class _Body(ast.AST):
    """The statements of a handler or case, without its expressions."""

    _fields = ("body",)

    def __init__(self, body: list[ast.stmt]) -> None:
        super().__init__()
        self.body = body
