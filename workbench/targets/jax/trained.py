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
        case ast.Call(func=ast.Name(id="filter"), args=[ast.Lambda(body=test) as held, inner]):
            return _listed(inner) if _asks_flag(test, held.args.args[0].arg) else []
        case ast.ListComp(elt=ast.Name(id=name), generators=[each]):
            return _filtered(name, each)
        case ast.GeneratorExp(elt=ast.Name(id=name), generators=[each]):
            return _filtered(name, each)
        case ast.Call(func=func, args=parts, keywords=[]) if ast.unparse(func) in _CHAINS:
            return _joined(parts)
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            starred = [one.value for one in parts if isinstance(one, ast.Starred)]
            return _joined(starred) if len(starred) == len(parts) else []
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _joined([left, right])
    return []


def _filtered(name: str, each: ast.comprehension) -> list[str]:
    """Return the models of `p for p in model.parameters() if p.requires_grad`, or none."""
    if not all(_asks_flag(test, name) for test in each.ifs):
        return []
    match each.target, each.iter:
        case ast.Name(id=target), listed if target == name:
            return _listed(listed)
        case (
            ast.Tuple(elts=[_, ast.Name(id=target)]),
            ast.Call(
                func=ast.Attribute(value=model, attr="named_parameters"), args=[], keywords=[]
            ),
        ) if target == name:
            path = ast.unparse(model)
            return [path] if _PATH.fullmatch(path) else []
    return []


def _asks_flag(test: ast.expr, name: str) -> bool:
    """Return whether a test is true for each parameter that is trained."""
    return ast.unparse(test) in {
        f"{name}.{flag}{compared}"
        for flag, compared in (
            *(("requires_grad", one) for one in ("", " == True", " is True")),
            ("grad is not None", ""),
        )
    }


def _joined(parts: list[ast.expr]) -> list[str]:
    found = [_listed(one) for one in parts]
    return [path for one in found for path in one] if all(found) else []
