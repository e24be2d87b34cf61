"""The same expression in two trees: which libcst node is which `ast` node.

Both trees are listed in the order of the text, so the n-th call of one is the n-th call of the
other. Positions would not do: inside f-strings those of `ast` are wrong before Python 3.12.
"""

from __future__ import annotations

import ast
import dataclasses
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

import libcst as cst

from workbench.source.tree import children as parts

_CONSTANTS = frozenset({"True", "False", "None"})


class PairingError(Exception):
    """The two trees differ; nothing may be rewritten."""


@dataclass(slots=True)
class Pairs:
    """Twin nodes, and the parents of the nodes of the libcst tree."""

    twins: list[tuple[ast.expr, cst.CSTNode]]
    parents: dict[cst.CSTNode, cst.CSTNode]

    def around(self, nodes: Iterable[cst.CSTNode]) -> set[cst.CSTNode]:
        """Return these nodes and all of their ancestors."""
        found: set[cst.CSTNode] = set()
        for node in nodes:
            at: cst.CSTNode | None = node
            while at is not None and at not in found:
                found.add(at)
                at = self.parents.get(at)
        return found


def pair(root: ast.expr, tree: cst.BaseExpression) -> Pairs:
    """Return each call, attribute, operation and name of one tree with its twin in the other.

    Raises:
        PairingError: the two trees do not hold the same.
    """
    ours = list(_of_ast(root))
    parents: dict[cst.CSTNode, cst.CSTNode] = {}
    theirs = list(_of_cst(tree, parents))
    if [label for _, label in ours] != [label for _, label in theirs]:
        raise PairingError("the two syntax trees of an expression differ")
    twins = [(node, twin) for (node, _), (twin, _) in zip(ours, theirs, strict=True)]
    return Pairs(twins, parents)


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
        elif isinstance(node, ast.BinOp):
            yield node, "+"
        elif isinstance(node, ast.UnaryOp):
            yield node, "-"
        elif isinstance(node, ast.Compare):
            yield node, "<"
        elif isinstance(node, ast.Subscript):
            yield node, "[]"
        stack.extend(reversed(children(node)))


def children(node: ast.AST) -> list[ast.expr]:
    """Return the expressions directly inside a node, in order, without its statements'."""
    found: list[ast.expr] = []
    for child in parts(node):
        if isinstance(child, ast.expr):
            found.append(child)
        elif not isinstance(child, ast.stmt):
            found.extend(children(child))
    if len(found) > 1 and not isinstance(node, ast.JoinedStr | ast.FormattedValue):
        found.sort(key=lambda child: (child.lineno, child.col_offset))
    return found


def _of_cst(
    tree: cst.CSTNode, parents: dict[cst.CSTNode, cst.CSTNode]
) -> Iterator[tuple[cst.CSTNode, str]]:
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
        elif isinstance(node, cst.BinaryOperation):
            yield node, "+"
        elif isinstance(node, cst.UnaryOperation):
            yield node, "-"
        elif isinstance(node, cst.Comparison):
            yield node, "<"
        elif isinstance(node, cst.Subscript):
            yield node, "[]"
        elif isinstance(node, cst.Arg):
            skipped = node.keyword
        elif isinstance(node, cst.Param):
            skipped = node.name
        inner = [child for child in _inside(node) if child is not skipped]
        for child in inner:
            parents[child] = node
        stack.extend(reversed(inner))


# Whitespace and punctuation hold no names; these kinds list their fields out of order.
_NO_NAMES = re.compile(r"whitespace|[lr]par|comma|dot|equal|colon|semicolon|[lr]brac|star$")
_UNORDERED = (cst.IfExp, cst.Parameters)


@cache
def _fields(kind: type[cst.CSTNode]) -> tuple[str, ...]:
    return tuple(item.name for item in dataclasses.fields(kind) if not _NO_NAMES.match(item.name))


def _inside(node: cst.CSTNode) -> list[cst.CSTNode]:
    """Return the nodes in a node, in the order of the text.

    libcst's own `children` walks with a visitor, which takes several times as long.
    """
    if isinstance(node, _UNORDERED):
        return list(node.children)
    found: list[cst.CSTNode] = []
    for name in _fields(type(node)):
        value = getattr(node, name)
        if isinstance(value, cst.CSTNode):
            found.append(value)
        elif isinstance(value, list | tuple):
            found.extend(item for item in value if isinstance(item, cst.CSTNode))
    return found
