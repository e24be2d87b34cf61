"""Values that may be boolean masks: those of variables, and those that calls pass to functions.

A small function of a project often moves values of any dtype, as `def look(x): return F.pad(x,
(1, 1))` does. Only its callers show that some of these are masks: `look(mask)` next to
`x.masked_fill(~mask, 0)`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from workbench.source.traits.containers import last_name
from workbench.source.traits.traits import Argument, MayBeMask
from workbench.source.tree import DEFINITIONS, by_kind, within
from workbench.source.types.dtype_tables import OF_THE_SAME, OF_TRUTHS
from workbench.words import words

# Functions of values of any dtype, for which a target may lack booleans.
MOVING = frozenset(
    words(
        "pad gather take_along_dim scatter scatter_add index_add repeat_interleave sort argsort "
        "unique unique_consecutive kthvalue max min amax amin argmax argmin cummax cummin cumsum "
        "cumprod prod maximum minimum sign clamp clip pow meshgrid"
    )
)
_KEEPING = OF_THE_SAME | {"rearrange", "repeat"}
# Functions of a mask, with its position as an argument of the method and of the function.
_TAKING_MASKS = {
    "masked_fill": (0, 1),
    "masked_fill_": (0, 1),
    "masked_scatter": (0, 1),
    "masked_scatter_": (0, 1),
    "masked_select": (0, 1),
    "where": (0, 0),
}
_MODULES = frozenset({"torch", "F", "np", "numpy"})
_BITS = (ast.BitAnd, ast.BitOr, ast.BitXor)
_RECEIVERS = frozenset({"self", "cls"})


def masks_in(function: ast.FunctionDef) -> tuple[set[Argument], set[MayBeMask]]:
    """Return the arguments of calls in a function that are masks, and its variables that may be."""
    nodes = by_kind(within(function))
    known = _Names(nodes)
    moved = {name for node in nodes[ast.Call] if (name := _moved(node)) is not None}
    annotated = {one.arg for one in _parameters(function.args) if _is_annotated(one.annotation)}
    found = {
        MayBeMask(function.name, name)
        for name in moved
        if name in annotated or known.holds_masks(name)
    }
    for variable in moved:
        places = (
            place for name, place in places_of(function.args) if known.are_alike(variable, name)
        )
        found.update(MayBeMask(function.name, variable, place) for place in places)
    return set(_masks_given(nodes[ast.Call], known)), found


def _parameters(arguments: ast.arguments) -> list[ast.arg]:
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]


def _is_annotated(annotation: ast.expr | None) -> bool:
    """Return whether an annotation names a tensor of truth values, perhaps among other types."""
    return annotation is not None and any(
        last_name(one) == "BoolTensor" or getattr(one, "value", None) == "BoolTensor"
        for one in ast.walk(annotation)
        if isinstance(one, ast.expr)
    )


def masks_given_outside(body: Iterable[ast.stmt]) -> set[Argument]:
    """Return the arguments of calls outside of functions and classes that are masks."""
    outside = (one for one in body if not isinstance(one, DEFINITIONS))
    nodes = by_kind(node for one in outside for node in (one, *within(one)))
    return set(_masks_given(nodes[ast.Call], _Names(nodes)))


def _masks_given(calls: list[ast.Call], known: _Names) -> Iterator[Argument]:
    for node in calls:
        name = last_name(node.func)
        if name is None or name in _TAKING_MASKS or name in _KEEPING:
            continue
        given: list[tuple[str | int, ast.expr]] = [*enumerate(node.args)]
        given += [(one.arg or "", one.value) for one in node.keywords]
        yield from (Argument(name, place) for place, value in given if known.is_mask(value))


def places_of(arguments: ast.arguments) -> Iterator[tuple[str, str | int]]:
    """Yield each parameter with its keyword, and with its position in a call."""
    placed = [one.arg for one in (*arguments.posonlyargs, *arguments.args)]
    placed = placed[1:] if placed and placed[0] in _RECEIVERS else placed
    yield from ((name, place) for place, name in enumerate(placed))
    yield from ((name, name) for name in (*placed, *(one.arg for one in arguments.kwonlyargs)))


def moved_name(node: ast.expr) -> str | None:
    """Return the variable whose values, all or some, an expression has: `x` for `x[0].view(-1)`."""
    while not isinstance(node, ast.Name):
        if isinstance(node, ast.Subscript):
            if isinstance(getattr(node.slice, "value", None), str):
                return None
            node = node.value
        elif isinstance(node, ast.Attribute) and node.attr in {"data", "T", "mT"}:
            node = node.value
        elif isinstance(node, ast.Attribute):
            return node.attr if isinstance(node.value, ast.Name) else None
        elif isinstance(node, ast.Call) and last_name(node.func) in _KEEPING:
            method = isinstance(node.func, ast.Attribute) and not _is_module(node.func.value)
            if method:
                node = node.func.value  # type: ignore[attr-defined]
            elif node.args:
                node = node.args[0]
            else:
                return None
        else:
            return None
    return node.id


class _Names:
    """The variables of a function that have one dtype, and those that are masks.

    The order of statements does not count: a name that once holds a mask may always hold one.
    """

    def __init__(self, nodes: Mapping[type[ast.AST], list[Any]]) -> None:
        self._same: dict[str, str] = {}
        self._masks: set[str] = set()
        assigned = list(_assigned(nodes[ast.Assign]))
        for name, value in assigned:
            if (source := moved_name(value)) is not None:
                self._same[self._first(name)] = self._first(source)
        tests = [*nodes[ast.UnaryOp], *nodes[ast.BinOp], *nodes[ast.Call]]
        self._add(name for node in tests for name in _used_as_masks(node))
        for name, value in (*assigned, *_iterated(nodes)):
            if self.is_mask(value):
                self._add([name])
        self._open = {
            self._first(name)
            for name, value in assigned
            if moved_name(value) is None and not self.is_mask(value)
        }

    def _first(self, name: str) -> str:
        while (other := self._same.get(name, name)) != name:
            name = other
        return name

    def _add(self, names: Iterable[str]) -> None:
        self._masks.update(map(self._first, names))

    def has(self, name: str) -> bool:
        """Return whether a variable may hold a mask."""
        return self._first(name) in self._masks

    def holds_masks(self, name: str) -> bool:
        """Return whether a variable may hold a mask, and gets no values of unknown dtype."""
        return self.has(name) and self._first(name) not in self._open

    def are_alike(self, one: str, other: str) -> bool:
        """Return whether two variables have values of one dtype."""
        return self._first(one) == self._first(other)

    def is_mask(self, node: ast.expr) -> bool:
        """Return whether an expression has, or may have, truth values."""
        if isinstance(node, ast.IfExp):
            return self.is_mask(node.body) or self.is_mask(node.orelse)
        if isinstance(node, ast.BinOp) and isinstance(node.op, _BITS):
            return self.is_mask(node.left) and self.is_mask(node.right)
        name = moved_name(node)
        return _is_of_truths(node) if name is None else self.has(name)


def _is_of_truths(node: ast.expr) -> bool:
    if isinstance(node, ast.Compare):
        return not isinstance(node.ops[0], ast.Is | ast.IsNot | ast.In | ast.NotIn)
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, ast.Invert)
    if isinstance(node, ast.Subscript):
        return _is_of_truths(node.value)
    if not isinstance(node, ast.Call):
        return False
    name = last_name(node.func)
    if name in OF_TRUTHS or (name == "bool" and isinstance(node.func, ast.Attribute)):
        return True
    casts = node.args if name in {"to", "type"} else []
    dtypes = [*casts, *(one.value for one in node.keywords if one.arg == "dtype")]
    if any(last_name(one) == "bool" for one in dtypes):
        return True
    keeps = name in _KEEPING and isinstance(node.func, ast.Attribute)
    return keeps and _is_of_truths(node.func.value)  # type: ignore[attr-defined]


def _used_as_masks(node: ast.expr) -> Iterator[str]:
    """Yield the variables that only truth values can be, or usually are: `m` in `~m`, `m & n`."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert):
        yield from _of_operand(node.operand)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, _BITS):
        if not any(isinstance(one, ast.Constant) for one in (node.left, node.right)):
            yield from _of_operand(node.left)
            yield from _of_operand(node.right)
    elif isinstance(node, ast.Call) and (name := last_name(node.func)) in _TAKING_MASKS:
        method = isinstance(node.func, ast.Attribute) and not _is_module(node.func.value)
        place = _TAKING_MASKS[name][0 if method else 1]
        for one in node.args[place : place + 1]:
            yield from _of_operand(one)


def _of_operand(node: ast.expr) -> Iterator[str]:
    """Yield the variables of an operand: `m` and `n` for `m[:, None] * n`, `m` for `pick(m, i)`."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        yield from _of_operand(node.left)
        yield from _of_operand(node.right)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args:
        yield from _of_operand(node.args[0])
    elif (name := moved_name(node)) is not None:
        yield name


def _assigned(assignments: list[ast.Assign]) -> Iterator[tuple[str, ast.expr]]:
    for node in assignments:
        for target in node.targets:
            pairs = [(target, node.value)]
            if isinstance(target, ast.Tuple):
                several = isinstance(node.value, ast.Tuple)
                values = node.value.elts if several else [node.value] * len(target.elts)  # type: ignore[attr-defined]
                pairs = list(zip(target.elts, values, strict=False))
            for aim, value in pairs:
                name = moved_name(aim)
                if name is not None and isinstance(aim, ast.Name | ast.Attribute):
                    yield name, value


def _iterated(nodes: Mapping[type[ast.AST], list[Any]]) -> Iterator[tuple[str, ast.expr]]:
    """Yield variables with the values that they iterate over: `t` with `x`, and with `m`.

    Examples are `map(lambda t: look(t), (x, m))`, `[look(t) for t in (x, m)]` and such loops.
    """
    for node in (*nodes[ast.Call], *nodes[ast.For], *nodes[ast.comprehension]):
        match node:
            case ast.Call(func=ast.Name("map"), args=[ast.Lambda(args=arguments), over]):
                names = [one.arg for one in arguments.args[:1]]
            case ast.For(target=ast.Name(name), iter=over):
                names = [name]
            case ast.comprehension(target=ast.Name(name), iter=over):
                names = [name]
            case _:
                continue
        if isinstance(over, ast.Tuple | ast.List):
            yield from ((name, value) for name in names for value in over.elts)


def _moved(node: ast.Call) -> str | None:
    """Return the variable whose values a call moves, or None."""
    if (last_name(node.func) or "").removesuffix("_") not in MOVING:
        return None
    method = isinstance(node.func, ast.Attribute) and not _is_module(node.func.value)
    on = [node.func.value] if method else node.args[:1]  # type: ignore[attr-defined]
    return moved_name(on[0]) if on else None


def _is_module(node: ast.expr) -> bool:
    named = isinstance(node, ast.Name) and node.id in _MODULES
    return named or last_name(node) == "functional"
