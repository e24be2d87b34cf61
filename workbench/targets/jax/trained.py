"""The models whose parameters an expression lists, as an optimizer is given them."""

from __future__ import annotations

import ast
import re

_COPIES = frozenset({"list", "tuple", "iter"})
_CHAINS = frozenset({"chain", "itertools.chain"})
# An attribute whose gradients have the same place among those of the model.
_PATH = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")


def models_of(node: ast.expr) -> list[str] | None:
    """Return the models whose parameters are all listed, as paths such as `self.net`.

    Return None if the expression lists other parameters, or a model twice.
    """
    found = _listed(node)
    return found if found and len(set(found)) == len(found) else None


def _listed(node: ast.expr) -> list[str]:
    match node:
        case ast.Call(func=ast.Attribute(value=model, attr="parameters"), args=[], keywords=[]):
            path = ast.unparse(model)
            return [path] if _PATH.fullmatch(path) else []
        case ast.Call(func=ast.Name(id=name), args=[inner], keywords=[]) if name in _COPIES:
            return _listed(inner)
        case ast.Call(func=func, args=parts, keywords=[]) if ast.unparse(func) in _CHAINS:
            return _joined(parts)
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            starred = [one.value for one in parts if isinstance(one, ast.Starred)]
            return _joined(starred) if len(starred) == len(parts) else []
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _joined([left, right])
    return []


def _joined(parts: list[ast.expr]) -> list[str]:
    found = [_listed(one) for one in parts]
    return [path for one in found for path in one] if all(found) else []
