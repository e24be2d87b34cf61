"""Calls that switch a model to evaluation."""

from __future__ import annotations

import ast


def switches_to_evaluation(node: ast.Call) -> bool:
    """Return whether a call is `model.eval()`, `model.train(False)` or `model.train(training)`."""
    match node:
        case ast.Call(func=ast.Attribute(attr="eval"), args=[], keywords=[]):
            return True
        case ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Name(id="super")))):
            return False
        case (
            ast.Call(func=ast.Attribute(attr="train"), args=[mode], keywords=[])
            | ast.Call(
                func=ast.Attribute(attr="train"),
                args=[],
                keywords=[ast.keyword(arg="mode", value=mode)],
            )
        ):
            return _may_be_false(mode)
    return False


def _may_be_false(mode: ast.expr) -> bool:
    match mode:
        case ast.Constant(value=value):
            return value is False
        case ast.Compare() | ast.UnaryOp(op=ast.Not()):
            return True
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return any(part in name.lower() for part in ("train", "mode"))
    return False
