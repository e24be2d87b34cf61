"""Names of values that a program converts to floats: `k.float()`, `k / 10`, `0.5 * k`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

_CASTS = frozenset({"float", "double", "half", "bfloat16", "type_as"})
_BY_ARGUMENT = frozenset({"to", "type"})  # depending on their argument
_FLOAT_WORDS = ("float", "half", "double", "dtype")


def names_cast_to_float(node: ast.Call | ast.BinOp) -> Iterator[str]:
    """Yield the names in an expression that becomes floats: `x`, `topk` for `x.topk(2)[1] / 9`.

    Yield nothing if only the dtype of an argument decides: `k.to(x)`.
    """
    if isinstance(node, ast.BinOp):
        number = any(_is_float(one) for one in (node.left, node.right))
        if number or isinstance(node.op, ast.Div):
            yield from _leading(node.left)
            yield from _leading(node.right)
    elif isinstance(node.func, ast.Attribute) and _casts(node, node.func.attr):
        yield from _leading(node.func.value)


def _casts(call: ast.Call, method: str) -> bool:
    if method in _CASTS:
        return True
    given = [*call.args, *(one.value for one in call.keywords)]
    names = (_name(part) for one in given for part in ast.walk(one))
    return method in _BY_ARGUMENT and any(word in name for name in names for word in _FLOAT_WORDS)


def _name(node: ast.AST) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _is_float(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, float)


def _leading(node: ast.expr) -> Iterator[str]:
    while True:
        if isinstance(node, ast.Attribute):
            yield node.attr
            node = node.value
        elif isinstance(node, ast.Call):
            node = node.func
        elif isinstance(node, ast.Subscript):
            node = node.value
        else:
            break
    if isinstance(node, ast.Name):
        yield node.id
