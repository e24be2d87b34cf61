"""Attributes that a program sets by their names: `setattr`, and the fields of a dataclass."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from keyword import iskeyword

from workbench.findings import Certainty
from workbench.source.inference.context import Context
from workbench.source.inference.evidence import parameters
from workbench.source.inference.expressions.arguments import evaluate_arguments
from workbench.source.inference.functions import function_walked
from workbench.source.tree import Notes
from workbench.source.types.lattice import (
    NONE,
    UNKNOWN,
    Foreign,
    Tensor,
    UserClass,
    UserFunction,
    UserObject,
    Value,
)

_NAMED_TUPLE = Foreign("typing.NamedTuple")
# Functions that make classes of named tuples.
NAMED_TUPLES = frozenset({"collections.namedtuple", "typing.NamedTuple"})
# These classes, by the calls that make them.
_definitions: Notes[ast.stmt] = Notes("named_tuple")


@dataclass(frozen=True, slots=True)
class _Setting(Value):
    """What a method sets by the name that it gets: the value of a parameter, or one made of it."""

    held: str
    as_it_is: bool


def set_by_name(context: Context, node: ast.Call) -> Value | None:
    """Note the attribute that `setattr(self, "count", value)` sets."""
    values, _ = evaluate_arguments(context, node.args, node.keywords)
    if len(values) != 3 or len(node.args) != 3:
        return None
    if isinstance(values[0], UserObject):
        for name in _strings(context, node.args[1]):
            values[0].cls.note(name, values[2])
        _note_setting(context, values[0].cls, node)
    return NONE


def _note_setting(context: Context, cls: UserClass, node: ast.Call) -> None:
    """Note that the method that is being walked sets what a parameter names."""
    function, (_, name, value) = function_walked(context), node.args
    if function is None or not isinstance(name, ast.Name):
        return
    names = [one.arg for one, _, kind in parameters.parameters(function.args) if not kind][1:]
    read = {one.id for one in ast.walk(value) if isinstance(one, ast.Name)}
    held = read & set(names) - {name.id}
    if name.id in names and len(held) == 1:
        setting = _Setting(held.pop(), isinstance(value, ast.Name))
        cls.attributes[_key(function.name, name.id)] = setting


def _key(method: str, name: str) -> str:
    return f"{method}({name})"


def mentioned_by(attribute: str) -> str:
    """Return the name by which code depends on an attribute: a method that sets others, or it."""
    return attribute.partition("(")[0]


def note_set_by_method(
    context: Context,
    callee: Value,
    node: ast.Call,
    values: list[Value],
    keywords: Mapping[str, Value],
) -> None:
    """Note the attribute of `self.add_state("count", torch.zeros(3))`, after a walk of the method.

    It is one of the object if the method sets what it gets by the name that it gets.
    """
    receiver = callee.receiver if isinstance(callee, UserFunction) else None
    if not isinstance(receiver, UserObject) or not isinstance(callee, UserFunction):
        return
    if isinstance(callee.node, ast.Lambda):
        return
    names = [one.arg for one, _, kind in parameters.parameters(callee.node.args) if not kind][1:]
    nodes = dict(zip(names, node.args, strict=False))
    nodes |= {one.arg: one.value for one in node.keywords if one.arg is not None}
    given = dict(zip(names, values, strict=False)) | dict(keywords)
    for name in names:
        setting = receiver.cls.attribute(_key(callee.node.name, name))
        value = given.get(setting.held) if isinstance(setting, _Setting) else None
        if not isinstance(setting, _Setting) or value is None or name not in nodes:
            continue
        if not setting.as_it_is:
            if not isinstance(value, Tensor):
                continue
            value = Tensor(Certainty.ASSUMED, value.dtype)
        for text in _strings(context, nodes[name]):
            receiver.cls.note(text, value)


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
        if "**" in given or value is None:
            continue
        if isinstance(declared, Tensor):
            dtype = value.dtype if isinstance(value, Tensor) else None
            cls.note(name, Tensor(declared.certainty, dtype))
        elif declared is None or declared is UNKNOWN:
            if isinstance(value, Tensor):
                value = Tensor(Certainty.ASSUMED, value.dtype)
            cls.note(name, value)


def named_tuple(context: Context, node: ast.Call) -> UserClass | None:
    """Return the class that `namedtuple("Batch", ["x", "y"])` makes, if its fields are literal."""
    names = _named_fields(node.args[1]) if len(node.args) > 1 else []
    if not names:
        return None
    definition = _definitions.get(node)
    if definition is None:
        text = "\n".join(["class Made:", *(f"    {name}: object" for name in names)])
        [definition] = ast.parse(text).body
        definition = _definitions[node] = ast.copy_location(definition, node)
    if not isinstance(definition, ast.ClassDef):
        return None
    cls = UserClass(definition, context.scope, (_NAMED_TUPLE,))
    context.classes.append(cls)
    return cls


def _named_fields(node: ast.expr) -> list[str]:
    """Return the names in `"x y"`, `["x", "y"]` or `[("x", Tensor)]`, or none."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        found: list[object] = [*node.value.replace(",", " ").split()]
    elif isinstance(node, ast.List | ast.Tuple):
        firsts = [
            one.elts[0] if isinstance(one, ast.Tuple) and one.elts else one for one in node.elts
        ]
        found = [getattr(one, "value", None) for one in firsts]
    else:
        return []
    names = [one for one in found if isinstance(one, str) and one.isidentifier()]
    return names if len(names) == len(found) and not any(map(iskeyword, names)) else []


def items_of_named_tuple(value: Value) -> tuple[Value, ...] | None:
    """Return the values of the fields of a named tuple, in their order; None for other values."""
    if not isinstance(value, UserObject) or not _is_named_tuple(value.cls):
        return None
    return tuple(value.cls.attribute(name) or UNKNOWN for name in _fields(value.cls))


def _has_fields(cls: UserClass) -> bool:
    decorators = {
        getattr(part, "attr", getattr(part, "id", ""))
        for one in cls.node.decorator_list
        for part in ast.walk(one)
    }
    return "dataclass" in decorators or _is_named_tuple(cls)


def _is_named_tuple(cls: UserClass) -> bool:
    """Return whether a class, or its base in `class Step(namedtuple("Step", "x y"))`, is one."""
    own = (base for base in cls.bases if isinstance(base, UserClass) and base is not cls)
    return _NAMED_TUPLE in cls.bases or any(map(_is_named_tuple, own))


def _fields(cls: UserClass) -> list[str]:
    """Return the annotated names of a class and its bases, in the order of their arguments."""
    inherited = (_fields(base) for base in reversed(cls.bases) if isinstance(base, UserClass))
    own = [
        one.target.id
        for one in cls.node.body
        if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)
    ]
    return list(dict.fromkeys([*(name for fields in inherited for name in fields), *own]))
