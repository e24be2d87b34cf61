"""Binding of a use's arguments to the parameters of the upstream signature."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final

from workbench.source.traits.program import Program
from workbench.source.types.dtypes import of_value
from workbench.source.types.lattice import (
    UNKNOWN,
    ForeignInstance,
    Instance,
    Items,
    Plain,
    Tensor,
    TorchObject,
    Value,
)
from workbench.source.uses import Use, UseKind
from workbench.upstream.facts import OTHER_KEYWORDS, Entry, Parameter, Signature
from workbench.words import words

NOT_CONSTANT: Final = object()
_NO_PROGRAM = Program()
_NUMBERS = frozenset({"int", "float", "bool", "complex"})
_FLOAT_TYPES = frozenset({"float", "complex", "Number", "_float", "SupportsFloat"})
_NUMBER_TYPES = _FLOAT_TYPES | {"int", "bool", "SymInt", "torch.SymInt", "_int", "_bool"}
_TENSOR_TYPES = frozenset(
    words("Tensor torch.nn.Parameter torch.nn.Buffer _tensor_or_tensors Any object Self")
)
_SEQUENCE_TYPES = frozenset({"Sequence", "tuple", "list", "_size", "torch.Size", "Iterable"})
_KNOWN_TYPES = (
    _NUMBER_TYPES
    | _SEQUENCE_TYPES
    | {"Tensor", "None", "str", "torch.dtype", "torch.device", "torch.layout", "torch.Generator"}
)


@dataclass(slots=True)
class Argument:
    """One argument as written: its expression, or several for a variadic parameter."""

    nodes: list[ast.expr]
    values: list[Value]
    indexes: list[int]  # positions in the call, counted over positional then keyword arguments
    variadic: bool = False

    @property
    def node(self) -> ast.expr:
        return self.nodes[0]

    @property
    def value(self) -> Value:
        return self.values[0] if self.values else UNKNOWN

    @property
    def starred(self) -> bool:
        return any(isinstance(node, ast.Starred) for node in self.nodes)


@dataclass(slots=True)
class Match:
    """A use bound to one signature that accepts its arguments."""

    use: Use
    signature: Signature
    arguments: dict[str, Argument] = field(default_factory=dict)
    certain: bool = True  # every argument's type is known to fit its parameter
    target: str = ""  # the version of the target framework
    # The program that contains the use.
    program: Program = field(default_factory=lambda: _NO_PROGRAM)

    def __contains__(self, parameter: str) -> bool:
        return parameter in self.arguments

    def given(self, *parameters: str) -> bool:
        """Return whether any of these parameters was given a value other than its default."""
        return any(name in self.arguments and not self.is_default(name) for name in parameters)

    def value(self, parameter: str) -> Value:
        """Return the inferred value of an argument; UNKNOWN if it was not given."""
        if parameter in self.arguments:
            return self.arguments[parameter].value
        return UNKNOWN

    def constant(self, parameter: str, default: Any = NOT_CONSTANT) -> Any:
        """Return the literal given for a parameter, or `default` if none was given.

        Returns NOT_CONSTANT if the argument is not a literal.
        """
        argument = self.arguments.get(parameter)
        if argument is None:
            return default
        return literal(argument.node) if len(argument.nodes) == 1 else NOT_CONSTANT

    def is_default(self, parameter: str) -> bool:
        """Return whether an argument is written as the parameter's own default."""
        argument = self.arguments.get(parameter)
        spec = self.parameter(parameter)
        if argument is None or spec is None or spec.default is None or len(argument.nodes) != 1:
            return False
        given = literal(argument.node)
        return given is not NOT_CONSTANT and _same(given, spec.default)

    def parameter(self, name: str) -> Parameter | None:
        """Return the upstream parameter of this name."""
        return next((p for p in self.signature.parameters if p.name == name), None)

    def is_tensor(self, parameter: str) -> bool:
        return isinstance(self.value(parameter), Tensor)

    def is_number(self, parameter: str) -> bool:
        """Return whether an argument is a Python number: `2`, `math.exp(-x)`."""
        value = self.value(parameter)
        if isinstance(value, ForeignInstance):
            return value.name.startswith("math.")
        return isinstance(value, Plain) and value.kind in _NUMBERS

    def is_sequence(self, parameter: str) -> bool:
        value = self.value(parameter)
        return isinstance(value, Items) or value == Instance("torch.Size")


def literal(node: ast.expr) -> Any:
    """Return the value of a number, a text, a tuple or a list, else NOT_CONSTANT.

    It is asked thousands of times while a file is typed in, and each call of `ast.literal_eval`
    leaves garbage: functions that refer to each other.
    """
    match node:
        case ast.Constant(value):
            return value
        case ast.Tuple(elements) | ast.List(elements):
            values = [literal(element) for element in elements]
            if any(value is NOT_CONSTANT for value in values):
                return NOT_CONSTANT
            return values if isinstance(node, ast.List) else tuple(values)
        case ast.UnaryOp(ast.USub(), ast.Constant(int() | float() | complex() as number)):
            return -number
        case ast.UnaryOp(ast.UAdd(), ast.Constant(int() | float() | complex() as number)):
            return +number
        case ast.BinOp(left, ast.Add() | ast.Sub() as sign, ast.Constant(complex() as imaginary)):
            real = literal(left)
            if not isinstance(real, int | float):
                return NOT_CONSTANT
            return real + imaginary if isinstance(sign, ast.Add) else real - imaginary
        case _:
            return NOT_CONSTANT


@cache
def literal_of(default: str) -> Any:
    """Return the value of a parameter's default as a signature writes it, else NOT_CONSTANT."""
    try:
        return literal(ast.parse(default, mode="eval").body)
    except SyntaxError:
        return NOT_CONSTANT


def _same(given: Any, default: str) -> bool:
    expected = literal_of(default)
    return type(given) is type(expected) and bool(given == expected)


def matches(use: Use, entry: Entry, target: str, program: Program = _NO_PROGRAM) -> Iterator[Match]:
    """Yield every signature of the entry that accepts the arguments, as far as types are known.

    If types rule out all signatures, the inferred types are wrong, or torch raises too. Then all
    signatures with matching counts and names are candidates.
    """
    if not use.binds:
        yield Match(use, entry.signatures[0] if entry.signatures else Signature((), ""))
        return
    fitting = False
    unfit: list[Match] = []
    for signature in entry.signatures:
        bound = _bind(use, signature)
        if bound is None:
            continue
        certain = True
        for name, argument in bound.items():
            parameter = next(p for p in signature.parameters if p.name == name)
            fits = [_fits(parameter.type, value) for value in argument.values]
            if False in fits:
                unfit.append(Match(use, signature, bound, False, target, program))
                break
            certain = certain and None not in fits
        else:
            fitting = True
            yield Match(use, signature, bound, certain, target, program)
    if not fitting:
        yield from unfit


def _bind(use: Use, signature: Signature) -> dict[str, Argument] | None:
    """Return arguments by upstream parameter, or None if the signature does not accept them."""
    bound: dict[str, Argument] = {}
    parameters = list(signature.parameters)
    positional = [p for p in parameters if p.kind in {"positional", "any"}]
    variadic = next((p for p in parameters if p.kind == "var_positional"), None)
    by_name = {p.name: p for p in parameters if p.kind in {"any", "keyword"}}
    extra = next((p for p in parameters if p.kind == "var_keyword"), None)
    given = use.arguments
    values = use.values or [UNKNOWN] * len(given)
    for index, (node, value) in enumerate(zip(given, values, strict=True)):
        if index < len(positional) and not isinstance(node, ast.Starred):
            bound[positional[index].name] = Argument([node], [value], [index])
        elif variadic is not None and index >= len(positional):
            argument = bound.setdefault(variadic.name, Argument([], [], [], variadic=True))
            argument.nodes.append(node)
            argument.values.append(value)
            argument.indexes.append(index)
        else:
            return None
    keywords = use.call.keywords if use.call is not None else []
    for index, keyword in enumerate(keywords, start=len(given)):
        if keyword.arg is None:
            return None
        meant = (keyword.arg, *OTHER_KEYWORDS.get(keyword.arg, ()))
        named = [one for one in meant if one in by_name and one not in bound]
        if named:
            name = named[0]
        elif extra is not None and keyword.arg not in bound:
            name = extra.name
        else:
            return None
        among_others = extra is not None and name == extra.name
        argument = bound.setdefault(name, Argument([], [], [], variadic=among_others))
        argument.nodes.append(keyword.value)
        argument.values.append(use.keywords.get(keyword.arg, UNKNOWN))
        argument.indexes.append(index)
    for parameter in parameters if use.kind is not UseKind.PARTIAL else ():
        required = parameter.default is None and not parameter.kind.startswith("var_")
        if required and parameter.name not in bound:
            return None
    return bound


def _fits(type_: str, value: Value) -> bool | None:
    """Return whether a value fits a parameter's type, or None if that is unknown."""
    heads = _alternatives(type_)
    if value is UNKNOWN or not heads:
        return None
    if isinstance(value, Tensor):
        if heads & _TENSOR_TYPES:
            return True
        # A 0-d tensor is accepted as a number, but never as a sequence, a dtype or a string.
        return None if heads & _NUMBER_TYPES or "Tensor" in type_ else _closed(heads)
    if isinstance(value, Plain):
        return _plain_fits(heads, value.kind)
    if isinstance(value, Items) or value == Instance("torch.Size"):
        return True if heads & _SEQUENCE_TYPES else _closed(heads)
    if (isinstance(value, Instance) and value.cls == "torch.dtype") or of_value(value) is not None:
        return True if "torch.dtype" in heads else _closed(heads)
    if isinstance(value, TorchObject):
        return False if heads <= {"Tensor", "None"} else None
    return None


def _plain_fits(heads: frozenset[str], kind: str) -> bool | None:
    if kind == "NoneType":
        return "None" in heads or None
    if kind in _NUMBERS:
        if not heads & _NUMBER_TYPES:
            return _closed(heads)
        return not (kind in {"float", "complex"} and not heads & _FLOAT_TYPES)
    if kind == "str":
        return True if "str" in heads else _closed(heads)
    return None


@cache
def _alternatives(type_: str) -> frozenset[str]:
    """Return the type names in a type text, without their subscripts."""
    heads, depth, start = [], 0, 0
    for index, character in enumerate(type_ + "|"):
        depth += (character in "[(") - (character in "])")
        if character == "|" and depth == 0:
            heads.append(type_[start:index].strip().partition("[")[0])
            start = index + 1
    return frozenset(filter(None, heads))


def _closed(heads: frozenset[str]) -> bool | None:
    """Return False if every alternative is known to accept nothing else, or None if unknown."""
    return False if heads <= _KNOWN_TYPES else None
