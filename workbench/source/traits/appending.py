"""Layers that a function appends to a sequence, one after another."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from workbench.source.traits.containers import maker
from workbench.source.traits.traits import Appended
from workbench.source.tree import inside, whole

# The sequences of a function, by their text, and the makers of what may be the last item of each.
_Last = dict[str, frozenset[str]]

_METHODS = frozenset({"append", "add_module", "add_sublayer"})


def appended(function: ast.FunctionDef) -> Iterator[Appended]:
    """Yield the statements of a function that append a layer, with the layers before it.

    `layers.append(nn.ReLU(inplace=True))` after `layers.append(nn.Conv2d(3, 4, 1))`.
    """
    if any(isinstance(one, ast.Attribute) and one.attr in _METHODS for one in whole(function)):
        yield from _of_block(function.body, {})


def _of_block(body: Sequence[ast.stmt], last: _Last) -> Iterator[Appended]:
    for statement in body:
        match statement:
            case ast.Expr(
                value=ast.Call(func=ast.Attribute(attr=attr, value=value), args=[*_, item])
            ) if attr in _METHODS:
                sequence, made = ast.unparse(value), frozenset({maker(item)})
                for before in last.get(sequence, {""}):
                    yield Appended(ast.unparse(statement), before)
                last[sequence] = made
            case ast.If(body=body, orelse=orelse):
                one, other = dict(last), dict(last)
                yield from _of_block(body, one)
                yield from _of_block(orelse, other)
                last.clear()
                last.update({name: one[name] | other[name] for name in one.keys() & other.keys()})
            case ast.For(body=body) | ast.While(body=body) | ast.With(body=body):
                last.clear()
                yield from _of_block(body, last)
                last.clear()
            case _:
                named = {one.id for one in inside(statement) if isinstance(one, ast.Name)}
                for name in [one for one in last if one.partition(".")[0] in named]:
                    del last[name]
