"""The same expression in two trees: which libcst node is which `ast` node.

Both trees are listed in the order of the text, so the n-th call of one is the n-th call of the
other. Positions would not do: inside f-strings those of `ast` are wrong before Python 3.12.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

_CONSTANTS = frozenset({"True", "False", "None"})


class PairingError(Exception):
    """The two trees differ; nothing may be rewritten."""


def pair(root: ast.expr, tree: cst.BaseExpression) -> Iterator[tuple[ast.expr, cst.CSTNode]]:
    """Each call, attribute, name and subscript of one tree with its twin in the other."""
    ours = list(_of_ast(root))
    theirs = list(_of_cst(tree))
    if [label for _, label in ours] != [label for _, label in theirs]:
        raise PairingError("the two syntax trees of an expression differ")
    for (node, _), (twin, _) in zip(ours, theirs, strict=True):
        yield node, twin


def _of_ast(node: ast.expr) -> Iterator[tuple[ast.expr, str]]:
    stack = [node]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Name):
            yield node, node.id
        elif isinstance(node, ast.Attribute):
            yield node, f".{node.attr}"
        elif isinstance(node, ast.Call):
            yield node, "()"
        stack.extend(reversed(children(node)))


def children(node: ast.AST) -> list[ast.expr]:
    """The expressions directly inside a node, in the order of the text."""
    found: list[ast.expr] = []
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            found.append(child)
        else:
            found.extend(children(child))
    if len(found) > 1 and not isinstance(node, ast.JoinedStr | ast.FormattedValue):
        found.sort(key=lambda child: (child.lineno, child.col_offset))
    return found


def _of_cst(tree: cst.CSTNode) -> Iterator[tuple[cst.CSTNode, str]]:
    stack: list[cst.CSTNode] = [tree]
    while stack:
        node = stack.pop()
        skipped: cst.CSTNode | None = None
        if isinstance(node, cst.Name):
            if node.value not in _CONSTANTS:
                yield node, node.value
            continue
        if isinstance(node, cst.Attribute):
            yield node, f".{node.attr.value}"
            skipped = node.attr
        elif isinstance(node, cst.Call):
            yield node, "()"
        elif isinstance(node, cst.Arg):
            skipped = node.keyword
        elif isinstance(node, cst.Param):
            skipped = node.name
        stack.extend(child for child in reversed(node.children) if child is not skipped)
