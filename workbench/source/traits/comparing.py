"""Tests for the class of an object, and the ways in which a text calls classes."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from workbench.source.traits.traits import ANY_CLASS, Compared, Construction

_TYPE_TESTS = frozenset({"isinstance", "issubclass"})
_SEQUENCES = {"list", "tuple"}
_OF_PYTHON = {"bool", "bytes", "complex", "dict", "float", "int", "object", "set", "slice", "str"}
_OF_PYTHON |= _SEQUENCES


def reads_class_name(node: ast.AST) -> bool:
    """Return whether a node reads the name of a class: `type(m).__name__`."""
    match node:
        case ast.Call(func=ast.Name(id="str" | "repr"), args=[cls]):
            return is_class_of(cls)
        case ast.Attribute(attr="__name__" | "__qualname__" | "_get_name"):
            return True
    return False


def classes_compared(node: ast.AST) -> Iterator[Compared]:
    """Yield the classes that a node tests an object or a class for.

    `isinstance(m, nn.Linear)` accepts a subclass. `type(m) is nn.Linear`, `{nn.Linear: rule}` and
    `register(nn.Linear)` are exact tests. `isinstance(v, (list, tuple))` tests for neither of both,
    and `v + (x,)` raises unless v is a tuple.
    """
    match node:
        case ast.Call(func=ast.Name(id=name), args=[_, classes]) if name in _TYPE_TESTS:
            named = set(_named(classes))
            yield from map(Compared, named - _SEQUENCES if named >= _SEQUENCES else named)
        case ast.BinOp(left=ast.Tuple(), op=ast.Add()) | ast.BinOp(op=ast.Add(), right=ast.Tuple()):
            yield Compared("tuple")
        case ast.MatchClass(cls=cls):
            yield from map(Compared, _named(cls))
        case ast.Compare(left=left, comparators=others):
            sides = [left, *others]
            if any(map(is_class_of, sides)):
                for one in sides:
                    if not is_class_of(one):
                        yield from _exactly(one)
        case _:
            for key in _looked_up(node):
                yield from (one for one in _exactly(key) if one.cls != ANY_CLASS)


def _looked_up(node: ast.AST) -> Iterator[ast.expr]:
    """Yield the keys of dictionaries and the classes that functions are registered for."""
    match node:
        case ast.Call(func=ast.Attribute(attr="register"), args=[cls, *_]):
            yield cls
        case ast.Dict(keys=keys):
            yield from (key for key in keys if key is not None)
        case ast.Subscript(slice=key, ctx=ast.Store()):
            yield key
        case ast.FunctionDef(decorator_list=decorators, args=ast.arguments(args=[first, *_])):
            attributes = (one for one in decorators if isinstance(one, ast.Attribute))
            registers = any(one.attr == "register" for one in attributes)
            if registers and first.annotation is not None:
                yield first.annotation


def _exactly(node: ast.expr) -> Iterator[Compared]:
    return (Compared(one, exactly=True) for one in _named(node))


def is_class_of(node: ast.expr) -> bool:
    """Return whether an expression is the class of an object: `type(m)`, `m.__class__`.

    `type_before_parametrizations(m)` is torch's own function for it.
    """
    match node:
        case ast.Call(func=ast.Name(id="type"), args=[_], keywords=[]):
            return True
        case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name), args=[_]):
            return name == "type_before_parametrizations"
        case ast.Attribute(attr="__class__"):
            return True
    return False


def _named(node: ast.expr) -> Iterator[str]:
    match node:
        case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts):
            for part in parts:
                yield from _named(part)
        case ast.BinOp(left=left, op=ast.BitOr() | ast.Add(), right=right):
            yield from _named(left)
            yield from _named(right)
        case ast.Attribute(attr=name) if name.lstrip("_")[:1].isupper():
            yield name
        case ast.Name(id=name) if name.lstrip("_")[:1].isupper():
            yield name
            if name.isupper():  # `LSTM`, or a constant such as `KINDS`
                yield ANY_CLASS
        case ast.Name(id=name) if name in _OF_PYTHON:
            yield name
        case ast.Constant():
            return
        case _:
            yield ANY_CLASS


def construction(node: ast.Call, name: str) -> Construction:
    """Return a call of a class, or of `functools.partial` with a class."""
    partly = name == "partial" and bool(node.args)
    given = node.args[1:] if partly else node.args
    parts = ["*_" if isinstance(one, ast.Starred) else _literal(one) for one in given]
    parts += [f"{one.arg}={_literal(one.value)}" if one.arg else "**_" for one in node.keywords]
    return Construction(_last_name(node.args[0]) if partly else name, tuple(parts), partly)


def _literal(node: ast.expr) -> str:
    match node:
        case ast.Constant(value=int() | float() | bool() | None) as constant:
            return repr(constant.value)
        case ast.Constant(value=str() as text) if text.isidentifier():
            return repr(text)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant()):
            return ast.unparse(node)
    return "_"


def _last_name(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""
