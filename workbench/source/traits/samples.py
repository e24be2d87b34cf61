"""Kinds of samples that data set classes return, and whether Paddle's loader accepts them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from enum import StrEnum


class Samples(StrEnum):
    """Whether a loader accepts samples that must contain a tensor, an array or a number."""

    TAKEN = "taken"
    OPEN = "open"
    NOT_TAKEN = "not taken"


_TEXTS = frozenset({"str", "join", "format", "lower", "upper", "strip", "replace", "decode"})


def together(parts: list[Samples]) -> Samples:
    """Return the kind of a sample of several parts, at least one of which must be accepted."""
    if Samples.TAKEN in parts:
        return Samples.TAKEN
    return Samples.OPEN if Samples.OPEN in parts else Samples.NOT_TAKEN


def of_class(node: ast.ClassDef) -> Samples | None:
    """Return the kind of the samples that a class returns, or None if it is not a data set."""
    for method in node.body:
        if isinstance(method, ast.FunctionDef) and method.name in ("__getitem__", "__iter__"):
            if any(map(_fails, ast.walk(method))):
                return Samples.NOT_TAKEN
            found = {_of_returned(one, node) for one in returned(method)}
            if Samples.NOT_TAKEN in found:
                return Samples.NOT_TAKEN
            return Samples.OPEN if not found or Samples.OPEN in found else Samples.TAKEN
    return None


def _fails(node: ast.AST) -> bool:
    """Return whether a node raises an exception for a sample, which makes Paddle's loop wait
    forever.
    """
    raised = ast.unparse(node.exc) if isinstance(node, ast.Raise) and node.exc else ""
    return bool(raised) and not raised.startswith(("IndexError", "StopIteration", "NotImplemented"))


def returned(method: ast.FunctionDef) -> Iterator[ast.expr]:
    for part in ast.walk(method):
        if isinstance(part, ast.Return | ast.Yield) and part.value is not None:
            yield part.value


def _of_returned(
    node: ast.expr, within: ast.ClassDef, seen: frozenset[str] = frozenset()
) -> Samples:
    """Return the kind of a returned expression, judged by its text, unless it was `seen`."""
    match node:
        case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Dict(values=parts):
            if any(isinstance(one, ast.Constant) and one.value is None for one in parts):
                return Samples.NOT_TAKEN
            return together([_of_returned(one, within, seen) for one in parts])
        case ast.JoinedStr() | ast.Constant(value=str() | None):
            return Samples.NOT_TAKEN
        case ast.Constant() | ast.Compare():
            return Samples.TAKEN
        case ast.Call():
            text = _called(node) in _TEXTS
            return Samples.NOT_TAKEN if text or makes_object(node) else Samples.TAKEN
        case ast.BinOp(op=ast.Sub() | ast.Div() | ast.Mult()):
            return Samples.TAKEN
        case ast.Subscript(value=ast.Attribute() | ast.Name() as held):
            return _of_assigned(held, within, seen)
        case ast.Subscript(value=inner):
            return _of_returned(inner, within, seen)
        case ast.Name():
            return _of_assigned(node, within, seen)
    return Samples.OPEN


def _of_assigned(node: ast.expr, within: ast.ClassDef, seen: frozenset[str]) -> Samples:
    """Return the kind of a variable or member, judged by its assignments."""
    found, name = Samples.OPEN, ast.unparse(node)
    if name in seen:  # `x = x[0]`
        return found
    for part in ast.walk(within):
        if not isinstance(part, ast.Assign):
            continue
        of_class = part in within.body and f"self.{ast.unparse(part.targets[0])}"
        if name not in (ast.unparse(part.targets[0]), of_class):
            continue
        if not any(isinstance(one, ast.Name) for one in _leaves(part.value)):
            known = _of_returned(part.value, within, seen | {name})
            found = found if known is Samples.OPEN else known
    return found


def _leaves(node: ast.expr) -> Iterator[ast.expr]:
    """Yield the leaves of a nested list, tuple or dictionary, or the expression itself."""
    match node:
        case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Dict(values=parts):
            for part in parts:
                yield from _leaves(part)
        case _:
            yield node


def makes_object(node: ast.expr) -> bool:
    """Return whether an expression creates an object of a class, such as a named tuple."""
    name = _called(node)
    return name[:1].isupper() and not name.endswith("Tensor")


def returns_object(function: ast.FunctionDef) -> bool:
    """Return whether a function returns an object that it creates: `out = Batch(); return out`."""
    made = {
        target.id
        for part in ast.walk(function)
        if isinstance(part, ast.Assign) and _is_object(part.value)
        for target in part.targets
        if isinstance(target, ast.Name)
    }
    return any(_is_object(one) or getattr(one, "id", None) in made for one in returned(function))


def _is_object(node: ast.expr) -> bool:
    """Return whether it creates an object, or calls a method of one: `Batch(x).sorted()`."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if makes_object(node) or not isinstance(node.func.value, ast.Call):
            break
        node = node.func.value
    return makes_object(node) or _called(node) == "cls"


def _called(node: ast.expr) -> str:
    function = getattr(node, "func", None)
    return getattr(function, "attr", getattr(function, "id", ""))
