"""Search for the literal of a value that a line uses: a constant, a default, a row of a table."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from workbench.verify.sides.places import Place

_LOOPS = (ast.For, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_NAMES = (ast.Name, ast.Attribute, ast.Subscript)


def line_of_value(place: Place, value: Any) -> Place | None:
    """Return the only line of a file that writes a value which the given line uses, else None.

    It is an argument of a call there (the first of several in one call), or the value bound to a
    name used there: a constant, a default of a parameter or field, a keyword argument of that name,
    or an entry of a dict.
    """
    tree = _tree(place.file)
    calls = list(_calls(place))
    begun = [node for call in calls if call.lineno == place.line for node in ast.walk(call)]
    given = [
        [
            held.lineno
            for held in (*call.args, *(keyword.value for keyword in call.keywords))
            if _is(held, value)
        ]
        for call in calls
    ]
    if len(lines := [min(one) for one in given if one]) == 1:
        return Place(place.file, lines[0])
    names = [n for n in ast.walk(tree) if isinstance(n, _NAMES) and _around(n, place)]
    used = {_name(node) for node in (*names, *begun) if isinstance(node, _NAMES)}
    bound = {
        held.lineno
        for name, held in _bindings(tree)
        if name in used and isinstance(held, ast.expr) and _is(held, value)
    }
    return Place(place.file, bound.pop()) if len(bound) == 1 else None


def line_of_keyword(place: Place, *names: str) -> Place | None:
    """Return the line of the first of some keyword arguments in a call around a line, or None."""
    given = {
        keyword.arg: keyword.value.lineno for call in _calls(place) for keyword in call.keywords
    }
    return next((Place(place.file, given[name]) for name in names if name in given), None)


def other_argument(place: Place, other: Place) -> tuple[Place, str] | None:
    """Return the line and a message for a keyword argument that two calls write differently, or
    None.

    Both calls name it and give a constant.
    """
    mine, others = (
        {keyword.arg: keyword.value for call in _calls(one) for keyword in call.keywords}
        for one in (place, other)
    )
    for name, held in mine.items():
        written = [_written(one) for one in (held, others.get(name))]
        if name and None not in written and written[0] != written[1]:
            message = f"{name} is {written[0]} in the port and {written[1]} in the original"
            return Place(place.file, held.lineno), message
    return None


def _calls(place: Place) -> Iterator[ast.Call]:
    """Return the calls around a line."""
    nodes = ast.walk(_tree(place.file))
    return (node for node in nodes if isinstance(node, ast.Call) and _around(node, place))


def _written(held: ast.expr | None) -> str | None:
    """Return a constant's source text, or None for any other expression."""
    return repr(held.value) if isinstance(held, ast.Constant) else None


def line_between(first: Place, last: Place, word: str) -> Place | None:
    """Return the first line between two lines of one file that contains a word, or None."""
    if first.file != last.file:
        return None
    lines = Path(first.file).read_text(encoding="utf-8").splitlines()
    between = range(first.line + 1, last.line)
    return next((Place(first.file, n) for n in between if word in lines[n - 1]), None)


def is_used_elsewhere(place: Place, other: Place) -> bool:
    """Return whether other lines than `other` use a name that a line binds."""
    tree = _tree(place.file)
    own = {
        name
        for name, held in _bindings(tree)
        if isinstance(held, ast.expr) and _around(held, place)
    }
    used = {
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, _NAMES) and isinstance(node.ctx, ast.Load) and _name(node) in own
    }
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    ends = [call.end_lineno or call.lineno for call in calls if call.lineno == other.line]
    return bool(used - set(range(other.line, max(ends, default=other.line) + 1)))


def line_of_row(place: Place, number: int) -> Place | None:
    """Return the table row that a loop around a line takes in turn `number`, or None."""
    tree = _tree(place.file)
    for node in ast.walk(tree):
        loops = [node] if isinstance(node, ast.For) else getattr(node, "generators", [])
        around = isinstance(node, ast.stmt | ast.expr) and _around(node, place)
        for loop in loops if around else ():
            rows = _rows(tree, loop.iter)
            if len({row.lineno for row in rows}) > 1:
                return Place(place.file, rows[number % len(rows)].lineno)
    return None


def is_repeated(place: Place) -> bool:
    """Return whether a line is in a loop or a comprehension."""
    nodes = (node for node in ast.walk(_tree(place.file)) if isinstance(node, _LOOPS))
    return any(_around(node, place) for node in nodes)


@lru_cache(maxsize=64)
def _tree(file: str) -> ast.Module:
    return ast.parse(Path(file).read_text(encoding="utf-8"))


def _around(node: ast.stmt | ast.expr, place: Place) -> bool:
    return node.lineno <= place.line <= (node.end_lineno or node.lineno)


def _rows(tree: ast.Module, table: ast.expr) -> list[ast.expr]:
    """Return the rows of a literal table, or of the table bound to a name."""
    if isinstance(table, ast.Call) and table.args:  # such as enumerate(...)
        table = table.args[0]
    if isinstance(table, ast.List | ast.Tuple):
        return table.elts
    name = _name(table)
    held = (value for own, value in _bindings(tree) if name and own == name)
    return next((one.elts for one in held if isinstance(one, ast.List | ast.Tuple)), [])


def _bindings(tree: ast.Module) -> Iterator[tuple[str, ast.AST | None]]:
    """Yield names and the expressions bound to them, anywhere in a file."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            yield from ((_name(target), node.value) for target in node.targets)
        elif isinstance(node, ast.AnnAssign):
            yield _name(node.target), node.value
        elif isinstance(node, ast.keyword):
            yield node.arg or "", node.value
        elif isinstance(node, ast.Call) and _name(node.func) == "add_argument":
            flags = [arg.value for arg in node.args if isinstance(arg, ast.Constant)]
            default = next((k.value for k in node.keywords if k.arg == "default"), None)
            yield from ((str(flag).lstrip("-").replace("-", "_"), default) for flag in flags)
        elif isinstance(node, ast.arguments):
            placed = [*node.posonlyargs, *node.args]
            given = placed[len(placed) - len(node.defaults) :]
            yield from ((a.arg, d) for a, d in zip(given, node.defaults, strict=True))
            yield from ((a.arg, d) for a, d in zip(node.kwonlyargs, node.kw_defaults, strict=True))
        elif isinstance(node, ast.Dict):
            for key, held in zip(node.keys, node.values, strict=True):
                if isinstance(key, ast.Constant):
                    yield str(key.value), held


def _name(node: ast.expr) -> str:
    """Return the last part of a dotted name, or a constant subscript."""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        return str(node.slice.value)
    return getattr(node, "id", "") or getattr(node, "attr", "")


def _is(held: ast.expr, value: Any) -> bool:
    try:
        written = ast.literal_eval(held)
    except (ValueError, TypeError):
        return False
    same = [written == one for one in (value, *(value if isinstance(value, tuple | list) else ()))]
    return (any(same) and type(written) is not bool) or written is value
