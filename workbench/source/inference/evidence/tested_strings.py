"""Possible values of strings in computed torch names, such as `getattr(nn, kind)`."""

from __future__ import annotations

import ast


def strings_tested(test: ast.expr) -> dict[str, tuple[str, ...]]:
    """Return the strings to which a true condition limits expressions, by the expressions' text.

    `kind in ("LSTM", "GRU")`, `kind == "LSTM"`.
    """
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return {text: names for part in test.values for text, names in strings_tested(part).items()}
    if not (isinstance(test, ast.Compare) and len(test.ops) == 1):
        return {}
    [operator], [right] = test.ops, test.comparators
    if isinstance(operator, ast.Eq):
        names = _strings([right])
    elif isinstance(operator, ast.In) and isinstance(right, ast.List | ast.Tuple | ast.Set):
        names = _strings(right.elts)
    else:
        names = ()
    return {ast.unparse(test.left): names} if names else {}


def strings_of_loop(loop: ast.For | ast.AsyncFor) -> dict[str, tuple[str, ...]]:
    """Return the strings over which a loop runs, by its variable: `for name in ("a", "b"):`."""
    target = loop.target
    stored = (part for statement in loop.body for part in ast.walk(statement))
    if any(isinstance(p, ast.Name) and p.id == _name(target) and _is_bound(p) for p in stored):
        return {}
    return _iterated(target, loop.iter)


def strings_of_comprehension(generators: list[ast.comprehension]) -> dict[str, tuple[str, ...]]:
    """Return the strings over which a comprehension runs, by its variables; () if unknown."""
    found: dict[str, tuple[str, ...]] = {}
    for one in generators:
        bound = (part for part in ast.walk(one.target) if isinstance(part, ast.Name))
        found |= dict.fromkeys((part.id for part in bound), ()) | _iterated(one.target, one.iter)
    return found


def _iterated(target: ast.expr, over: ast.expr) -> dict[str, tuple[str, ...]]:
    """Return the literal strings that a variable takes in turn, or nothing."""
    if not isinstance(target, ast.Name) or not isinstance(over, ast.List | ast.Tuple):
        return {}
    names = _strings(over.elts)
    return {target.id: names} if names else {}


def _name(node: ast.expr) -> str | None:
    return node.id if isinstance(node, ast.Name) else None


def _is_bound(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Store)


def _strings(nodes: list[ast.expr]) -> tuple[str, ...]:
    """Return the strings of literals; an empty tuple if one is not a string."""
    values = [node.value for node in nodes if isinstance(node, ast.Constant)]
    names = tuple(value for value in values if isinstance(value, str))
    return names if len(names) == len(nodes) else ()
