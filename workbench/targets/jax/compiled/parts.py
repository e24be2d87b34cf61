"""Parts of objects that a step reads, which its function is given instead of the objects.

`model(images[part])` needs the slice, and `model(batch["x"])` a dict of arrays alone; a function
that is given `images[part]` or `batch["x"]` needs neither.
"""

from __future__ import annotations

import ast
import builtins
import keyword
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from workbench.positions import Lines
from workbench.source.tree import inside
from workbench.targets.jax.compiled.program import Program


@dataclass(frozen=True, slots=True)
class Part:
    """A part of an object, and the parameter that is given it."""

    node: ast.Subscript
    name: str


def parts_of(
    statements: Sequence[ast.stmt], given: Collection[str], program: Program, used: Collection[str]
) -> list[Part]:
    """Return the parts that the statements of a step read of objects of which they read no more.

    Args:
        statements: the statements.
        given: the names that they read from outside.
        program: the text.
        used: the names that the text uses.
    """
    reads: dict[str, list[ast.Name]] = {}
    bound: set[str] = set()
    for one in statements:
        for node in inside(one):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                reads.setdefault(node.id, []).append(node)
            elif isinstance(node, ast.Name):
                bound.add(node.id)
    found: list[Part] = []
    for name in given:
        around = [program.places.parents[id(one)] for one in reads.get(name, ())]
        items = [one for one in around if isinstance(one, ast.Subscript)]
        if name in bound or not items or len(items) != len(around):
            continue
        if any(ast.unparse(one.value) != name for one in items):
            continue
        if all(_key(one) is not None for one in items):
            found += [Part(one, _parameter(name, _key(one) or "", used)) for one in items]
        elif len({ast.unparse(one) for one in items}) == 1 and _is_index(items[0].slice, bound):
            found += [Part(one, name) for one in items]
    return found


def _key(node: ast.Subscript) -> str | None:
    key = node.slice.value if isinstance(node.slice, ast.Constant) else None
    return key if isinstance(key, str) and key.isidentifier() else None


def _parameter(name: str, key: str, used: Collection[str]) -> str:
    taken = key in used or keyword.iskeyword(key) or hasattr(builtins, key)
    return f"{name}_{key}" if taken else key


def _is_index(node: ast.expr, bound: Collection[str]) -> bool:
    """Return whether an index has its value before the step, which computing it does not change."""
    kinds = (ast.Name, ast.Constant, ast.Slice, ast.BinOp, ast.Tuple, ast.operator, ast.Load)
    every = list(_every(node))
    return all(isinstance(one, kinds) for one in every) and not any(
        isinstance(one, ast.Name) and one.id in bound for one in every
    )


def _every(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    yield from inside(node)


def with_parts(text: str, parts: Sequence[Part]) -> str | None:
    """Return a text that reads the parameters instead; None if a part has several lines."""
    lines = Lines(text)
    for one in sorted(parts, key=lambda part: (part.node.lineno, part.node.col_offset))[::-1]:
        node = one.node
        if node.lineno != node.end_lineno:
            return None
        start = lines.offset_of_bytes(node.lineno - 1, node.col_offset)
        end = lines.offset_of_bytes(node.lineno - 1, node.end_col_offset or 0)
        text = text[:start] + one.name + text[end:]
    return text
