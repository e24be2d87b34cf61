"""Expressions that need brackets in their context, by the precedence of operators."""

from __future__ import annotations

import libcst as cst

# Expressions that never need brackets.
_ATOMS = (
    cst.Name,
    cst.Attribute,
    cst.Call,
    cst.Subscript,
    cst.List,
    cst.Dict,
    cst.Set,
    cst.SimpleString,
    cst.FormattedString,
    cst.Integer,
    cst.Float,
    cst.ListComp,
    cst.DictComp,
    cst.SetComp,
    cst.Ellipsis,
)
_TERNARY, _OR, _AND, _NOT, _COMPARISON = 2, 3, 4, 5, 6
_UNARY, _POWER, _AWAIT, _ATOM = 13, 14, 15, 16
_BINARY: dict[type[cst.BaseBinaryOp], int] = {
    cst.BitOr: 7,
    cst.BitXor: 8,
    cst.BitAnd: 9,
    cst.LeftShift: 10,
    cst.RightShift: 10,
    cst.Add: 11,
    cst.Subtract: 11,
    cst.Multiply: 12,
    cst.Divide: 12,
    cst.FloorDivide: 12,
    cst.Modulo: 12,
    cst.MatrixMultiply: 12,
    cst.Power: _POWER,
}


def bracketed(node: cst.BaseExpression) -> cst.BaseExpression:
    """Return the expression in brackets, unless it has some or never needs any."""
    if node.lpar or isinstance(node, _ATOMS):
        return node
    return node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])


def placed(
    node: cst.BaseExpression, parent: cst.CSTNode | None, old: cst.CSTNode
) -> cst.BaseExpression:
    """Return the expression for `parent` in place of `old`, with brackets if they are needed."""
    if isinstance(node, cst.Integer) and not node.lpar and isinstance(parent, cst.Attribute):
        return node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])  # not `0.shape`
    if node.lpar or isinstance(node, _ATOMS):
        return node
    fits = parent is not None and _precedence(node) >= _needed(parent, old)
    # An expression without its own brackets must not continue on the next line.
    return node if fits and "\n" not in cst.Module([]).code_for_node(node) else bracketed(node)


def _precedence(node: cst.BaseExpression) -> int:
    """Return how tightly the expression binds; 0 for expressions that always get brackets."""
    if isinstance(node, cst.IfExp):
        return _TERNARY
    if isinstance(node, cst.BooleanOperation):
        return _OR if isinstance(node.operator, cst.Or) else _AND
    if isinstance(node, cst.UnaryOperation):
        return _NOT if isinstance(node.operator, cst.Not) else _UNARY
    if isinstance(node, cst.Comparison):
        return _COMPARISON
    if isinstance(node, cst.BinaryOperation):
        return _BINARY.get(type(node.operator), 0)
    return _AWAIT if isinstance(node, cst.Await) else 0


def _needed(parent: cst.CSTNode, old: cst.CSTNode) -> int:
    """Return the precedence that an operand needs there to stand without brackets."""
    if isinstance(parent, cst.BooleanOperation):
        own = _OR if isinstance(parent.operator, cst.Or) else _AND
        return own if old is parent.left else own + 1
    if isinstance(parent, cst.Comparison | cst.ComparisonTarget):
        return _COMPARISON + 1
    if isinstance(parent, cst.UnaryOperation):
        return _COMPARISON if isinstance(parent.operator, cst.Not) else _UNARY
    if isinstance(parent, cst.CompIf | cst.CompFor):
        return _OR
    if isinstance(parent, cst.Lambda):
        return _TERNARY
    if isinstance(parent, cst.IfExp):
        return _TERNARY if old is parent.orelse else _OR
    if isinstance(parent, cst.BinaryOperation):
        own = _BINARY.get(type(parent.operator), _ATOM)
        if own == _POWER:
            return _AWAIT if old is parent.left else _UNARY
        return own if old is parent.left else own + 1
    return _ATOM
