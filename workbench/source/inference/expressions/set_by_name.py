"""Attributes that a program sets by their names: `setattr`, and the fields of a dataclass."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from workbench.findings import Certainty
from workbench.source.inference.context import Context
from workbench.source.inference.evidence import parameters
from workbench.source.inference.expressions.arguments import evaluate_arguments
from workbench.source.types.lattice import (
    NONE,
    Foreign,
    Tensor,
    UserClass,
    UserFunction,
    UserObject,
    Value,
)

_NAMED_TUPLE = Foreign("typing.NamedTuple")


def set_by_name(context: Context, node: ast.Call) -> Value | None:
    """Note the attribute that `setattr(self, "count", value)` sets."""
    values, _ = evaluate_arguments(context, node.args, node.keywords)
    if len(values) != 3 or len(node.args) != 3:
        return None
    for name in _strings(context, node.args[1]) if isinstance(values[0], UserObject) else ():
        values[0].cls.note(name, values[2])  # type: ignore[attr-defined]
    return NONE


def note_set_by_method(
    context: Context,
    callee: Value,
    node: ast.Call,
    values: list[Value],
    keywords: Mapping[str, Value],
) -> None:
    """Note the attribute of `self.add_state("count", torch.zeros(3))`.

    It is one of the object if the method sets what it gets by the name that it gets.
    """
    if not isinstance(callee, UserFunction) or not isinstance(callee.receiver, UserObject):
        return
    names = [one.arg for one, _, kind in parameters.parameters(callee.node.args) if not kind][1:]
    nodes = dict(zip(names, node.args, strict=False))
    nodes |= {one.arg: one.value for one in node.keywords if one.arg is not None}
    given = dict(zip(names, values, strict=False)) | dict(keywords)
    for name, held, as_it_is in _set_by_parameters(callee.node, names):
        value = given.get(held)
        if name not in nodes or value is None:
            continue
        if not as_it_is:
            if not isinstance(value, Tensor):
                continue
            value = Tensor(Certainty.ASSUMED, value.dtype)
        for text in _strings(context, nodes[name]):
            callee.receiver.cls.note(text, value)


def _set_by_parameters(function: ast.AST, names: list[str]) -> Iterator[tuple[str, str, bool]]:
    """Yield the parameters with an attribute's name and its value, and whether it is kept as is."""
    for part in ast.walk(function):
        match part:
            case ast.Call(
                func=ast.Name(id="setattr"), args=[ast.Name(), ast.Name(id=name), value]
            ) if name in names:
                read = {one.id for one in ast.walk(value) if isinstance(one, ast.Name)}
                held = read & set(names) - {name}
                if len(held) == 1:
                    yield name, held.pop(), isinstance(value, ast.Name)


def _strings(context: Context, node: ast.expr) -> tuple[str, ...]:
    """Return the names that an expression may be: a literal, or those of the loop around it."""
    if isinstance(node, ast.Constant):
        return (node.value,) if isinstance(node.value, str) else ()
    return context.choices.get(ast.unparse(node), ())


def note_fields(cls: UserClass, values: list[Value], keywords: Mapping[str, Value]) -> None:
    """Note the dtypes of the tensors with which a dataclass or a named tuple is made."""
    if not _has_fields(cls):
        return
    given = dict(zip(_fields(cls), values, strict=False)) | dict(keywords)
    for name in _fields(cls):
        declared, value = cls.find(name), given.get(name)
        if isinstance(declared, Tensor) and "**" not in given and value is not None:
            dtype = value.dtype if isinstance(value, Tensor) else None
            cls.note(name, Tensor(declared.certainty, dtype))


def _has_fields(cls: UserClass) -> bool:
    decorators = {
        getattr(part, "attr", getattr(part, "id", ""))
        for one in cls.node.decorator_list
        for part in ast.walk(one)
    }
    return "dataclass" in decorators or _NAMED_TUPLE in cls.bases


def _fields(cls: UserClass) -> list[str]:
    """Return the annotated names of a class and its bases, in the order of their arguments."""
    inherited = (_fields(base) for base in reversed(cls.bases) if isinstance(base, UserClass))
    own = [
        one.target.id
        for one in cls.node.body
        if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)
    ]
    return list(dict.fromkeys([*(name for fields in inherited for name in fields), *own]))
