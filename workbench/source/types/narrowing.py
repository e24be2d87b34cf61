"""Types that conditions imply for names: `isinstance`, `is None`, `torch.is_tensor`."""

from __future__ import annotations

import ast
from collections.abc import Callable

from workbench.source.types.lattice import (
    NONE,
    TENSOR,
    UNKNOWN,
    Foreign,
    Instance,
    Items,
    OneOf,
    Plain,
    Tensor,
    TorchObject,
    UserClass,
    UserObject,
    Value,
    join,
)

Names = dict[str, Value]
_BUILTIN_KINDS = frozenset({"int", "float", "str", "bool", "bytes"})
_CONTAINERS = frozenset({"list", "tuple", "set"})


def narrow(
    test: ast.expr, names: Names, value_of: Callable[[ast.expr], Value]
) -> tuple[Names, Names]:
    """Return the names if the condition is true, and the names if it is false."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        negative, positive = narrow(test.operand, names, value_of)
        return positive, negative
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        positive = names
        for part in test.values:
            positive, _ = narrow(part, positive, value_of)
        return positive, names
    if isinstance(test, ast.Call) and test.args and isinstance(test.args[0], ast.Name):
        return _by_call(test, test.args[0].id, names, value_of)
    return names, names


def _by_call(
    test: ast.Call, name: str, names: Names, value_of: Callable[[ast.expr], Value]
) -> tuple[Names, Names]:
    callee = value_of(test.func)
    if callee == TorchObject("torch.is_tensor"):
        found: Value = TENSOR
    elif callee == Foreign("builtins.isinstance") and len(test.args) == 2:
        found = _instance_of(test.args[1], value_of)
    else:
        return names, names
    old = names.get(name, UNKNOWN)
    positive = {**names, name: found} if found is not UNKNOWN else names
    negative = {**names, name: _without(old, found)} if name in names else names
    return positive, negative


def _instance_of(node: ast.expr, value_of: Callable[[ast.expr], Value]) -> Value:
    if isinstance(node, ast.Tuple):
        value = _instance_of(node.elts[0], value_of) if node.elts else UNKNOWN
        for item in node.elts[1:]:
            value = join(value, _instance_of(item, value_of))
        return value
    cls = value_of(node)
    if isinstance(cls, TorchObject):
        return TENSOR if cls.name == "torch.Tensor" else Instance(cls.name)
    if isinstance(cls, UserClass):
        return UserObject(cls)
    if isinstance(cls, Foreign):
        kind = cls.name.removeprefix("builtins.")
        if kind in _BUILTIN_KINDS:
            return Plain(kind)
        if kind in _CONTAINERS:
            return Items(kind, UNKNOWN)
    return UNKNOWN


def _without(value: Value, excluded: Value) -> Value:
    if isinstance(value, OneOf):
        rest = [option for option in value.options if option != excluded]
        if len(rest) == 1:
            return rest[0]
        return OneOf(frozenset(rest)) if rest else UNKNOWN
    if isinstance(value, Tensor) and isinstance(excluded, Tensor):
        return UNKNOWN
    return UNKNOWN if value in (excluded, NONE) else value
