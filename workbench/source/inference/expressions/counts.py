"""Tensors passed where torch takes an integer: in `x.view(n, -1)`, `torch.zeros([n, m])`.

torch converts every integer tensor with one value, whatever its dimensions.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from typing import TypeGuard

from workbench.findings import Certainty
from workbench.source.inference.context import Context
from workbench.source.types.lattice import (
    RETURNED,
    UNKNOWN,
    Items,
    OneOf,
    Tensor,
    Value,
    of_whole,
)
from workbench.source.uses import Count, Use, UseKind
from workbench.upstream.facts import OTHER_KEYWORDS, Entry, Parameter, Signature
from workbench.words import words

# Expressions that a conversion can replace.
_REPLACED = (ast.Name, ast.Attribute, ast.Call, ast.BinOp, ast.Subscript)
_INTEGER = frozenset({"int", "SymInt", "torch.SymInt", "_int"})
_AROUND = frozenset(
    words("Sequence list tuple List Tuple Union Optional None str _size torch.Size")
)
_OTHERS = frozenset({"Tensor", "Any", "object"})
# Functions and layers that convert such an argument; data sets and others keep the tensor.
_CONVERTS = re.compile(
    r"torch\.(Tensor\.|nn\.functional\.|nn\.init\.|linalg\.|fft\.|special\.)?[a-z_]\w*"
    r"|torch\.nn\.[A-Z]\w*(\.__(init|getitem|setitem)__)?"
    r"|torch\.distributions\.\w+\.r?sample"
    r"|torch\.optim\.lr_scheduler\.(Step|CosineAnnealing|Linear|Constant|Polynomial)LR"
)
_LATER = 1000  # the position of what follows a starred argument, for a variadic parameter


def note_counts(context: Context, use: Use) -> None:
    """Set the integer arguments of a call that are tensors.

    An earlier walk may have found something else there: then they are not sure to be tensors.
    """
    if use.call is None or not _CONVERTS.fullmatch(use.name):
        return
    earlier = context.found.uses.get(id(use.node))
    before = earlier.counts if earlier is not None and earlier.name == use.name else ()
    given = _arguments(use)
    if not before and not any(_is_joined(n) or _may_hold_tensors(value) for _, n, value in given):
        return
    entry = context.facts.get(use.name)
    if entry is not None and entry.alias_of is not None:
        entry = context.facts.get(entry.alias_of)
    if entry is None:
        return
    found: dict[int, Count] = {}
    keywords = frozenset(one.arg for one in use.call.keywords if one.arg is not None)
    for place, node, value in given:
        parameter = _integer(entry, place, len(use.arguments), keywords)
        if parameter is not None:
            found.update((id(one.node), one) for one in _counts(context, parameter, node, value))
    known = _known_otherwise(earlier) if earlier is not None else frozenset()
    for one in before:
        if id(one.node) not in found:
            found[id(one.node)] = one.unsure()
    use.counts = tuple(one.unsure() if key in known else one for key, one in found.items())


def _arguments(use: Use) -> list[tuple[int | str, ast.expr, Value]]:
    """Return the arguments of a call with their position or keyword, and their values."""
    assert use.call is not None
    given: list[tuple[int | str, ast.expr, Value]] = []
    starred = False
    for index, (node, value) in enumerate(zip(use.arguments, use.values, strict=False)):
        starred = starred or isinstance(node, ast.Starred)
        given.append((_LATER if starred else index, node, value))
    for keyword in use.call.keywords:
        if keyword.arg is not None:
            value = use.keywords.get(keyword.arg, UNKNOWN)
            given.append((keyword.arg, keyword.value, value))
    return given


def _known_otherwise(earlier: Use) -> frozenset[int]:
    """Return the arguments that are known to be no tensors in an earlier walk, by identity."""
    given = _arguments(earlier) if earlier.call is not None else []
    return frozenset(
        id(node)
        for _, node, value in given
        if value is not UNKNOWN and not _may_hold_tensors(value)
    )


def _may_hold_tensors(value: Value) -> bool:
    if isinstance(value, Items):
        return any(map(_may_hold_tensors, value.items or (value.item,)))
    if isinstance(value, OneOf):
        return any(map(_may_hold_tensors, value.options))
    return isinstance(value, Tensor)


def _counts(context: Context, parameter: str, node: ast.expr, value: Value) -> Iterator[Count]:
    """Yield the tensors in an integer argument, or in its list or tuple."""
    if _is_joined(node):
        for one in (node.left, node.right):
            yield from _counts(context, parameter, one, context.quiet(one))
        return
    if not _may_hold_tensors(value):
        return
    if isinstance(node, ast.Tuple | ast.List):
        items = value.items if isinstance(value, Items) else None
        for one, held in zip(node.elts, items or (), strict=False):
            yield from _counts(context, parameter, one, held)
    elif isinstance(node, ast.UnaryOp):
        yield from _counts(context, parameter, node.operand, context.quiet(node.operand))
    elif isinstance(node, ast.IfExp):
        for one in (node.body, node.orelse):
            yield from _counts(context, parameter, one, context.quiet(one))
    elif isinstance(value, Tensor):
        if isinstance(node, _REPLACED) and _is_integer_tensor(context, node, value):
            yield Count(node, parameter)
    elif _holds_proved(value):
        yield Count(node, parameter, Certainty.ASSUMED)


def _is_integer_tensor(context: Context, node: ast.expr, value: Tensor) -> bool:
    """Return whether a value is sure to be a tensor, or an array, and may hold integers."""
    return _is_proved(value) or (_may_be_integer(value) and _is_computed(context, node))


def _is_proved(value: Value) -> bool:
    """Return whether a value is sure to be a tensor, and may hold integers."""
    if not isinstance(value, Tensor) or value.certainty is not Certainty.PROVED:
        return False
    return RETURNED not in value.states and _may_be_integer(value)


def _may_be_integer(value: Tensor) -> bool:
    return value.dtype is None or of_whole(value)


def _is_joined(node: ast.expr) -> TypeGuard[ast.BinOp]:
    """Return whether it joins a tuple or list to others: `x.shape[:2] + (n, m)`."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Add):
        return False
    sides = (node.left, node.right)
    return any(isinstance(one, ast.Tuple | ast.List) or _is_joined(one) for one in sides)


def _holds_proved(value: Value) -> bool:
    """Return whether a list holds a proved tensor, or one of several values is one."""
    if isinstance(value, Items):
        return any(map(_holds_proved, value.items or (value.item,)))
    if isinstance(value, OneOf):
        return any(map(_holds_proved, value.options))
    return _is_proved(value)


def _is_computed(context: Context, node: ast.expr) -> bool:
    """Return whether a method of a tensor, or of an array, returns a value: `lengths.max()`.

    Both have `item`.
    """
    if isinstance(node, ast.BinOp):
        sides = [one for one in (node.left, node.right) if isinstance(context.quiet(one), Tensor)]
        return any(_is_computed(context, one) for one in sides)
    use = context.found.uses.get(id(node))
    return use is not None and use.kind is UseKind.CALL and use.owner == "torch.Tensor"


def _integer(entry: Entry, place: int | str, count: int, keywords: frozenset[str]) -> str | None:
    """Return the parameter at a position or of a keyword, or None if it may not be an integer."""
    names: list[str] = []
    for signature in entry.signatures:
        parameter = _parameter(signature, place) if _takes(signature, count, keywords) else None
        if parameter is None:
            continue
        words_of_type = _words(parameter.type)
        if not words_of_type or words_of_type & _OTHERS:
            return None
        if words_of_type & _INTEGER and words_of_type <= _INTEGER | _AROUND:
            names.append(parameter.name)
    return names[-1] if names else None


@cache
def _words(type_: str) -> frozenset[str]:
    return frozenset(re.findall(r"[A-Za-z_][\w.]*", type_))


def _takes(signature: Signature, count: int, keywords: frozenset[str]) -> bool:
    """Return whether a signature has a parameter for each position and keyword."""
    if count and _parameter(signature, count - 1) is None:
        return False
    return all(_parameter(signature, one) is not None for one in keywords)


def _parameter(signature: Signature, place: int | str) -> Parameter | None:
    """Return the parameter at a position or of a keyword, or None."""
    if isinstance(place, str):
        meant = (place, *OTHER_KEYWORDS.get(place, ()))
        named = (one for one in signature.parameters if not one.kind.startswith("var_"))
        return next((one for one in named if one.name in meant), None)
    positional = [one for one in signature.parameters if one.kind in {"positional", "any"}]
    if place < len(positional):
        return positional[place]
    return next((one for one in signature.parameters if one.kind == "var_positional"), None)
