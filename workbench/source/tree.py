"""Going through syntax trees fast: it is done for every keystroke."""

from __future__ import annotations

import ast
from collections.abc import Iterator

# Fields that hold no statements and no expressions: names, contexts, operators.
_PLAIN = frozenset(
    {
        "ctx",
        "op",
        "ops",
        "id",
        "attr",
        "kind",
        "type_comment",
        "module",
        "level",
        "asname",
        "conversion",
        "simple",
        "is_async",
        "tag",
    }
)
_FIELDS: dict[type, tuple[str, ...]] = {}


def unparsed(node: ast.AST) -> str:
    """A node's code on one line; an ellipsis where it is nested too deeply for Python to write."""
    try:
        return ast.unparse(node)
    except RecursionError:
        return "…"


def inside(node: ast.AST) -> Iterator[ast.AST]:
    """A node and everything inside it, in no order, but for contexts and operators.

    Several times as fast as `ast.walk`.
    """
    stack = [node]
    while stack:
        node = stack.pop()
        yield node
        # Only its fields: others hang attributes of their own on nodes, some of them in circles.
        kind = type(node)
        fields = _FIELDS.get(kind)
        if fields is None:
            fields = _FIELDS[kind] = tuple(name for name in node._fields if name not in _PLAIN)
        for name in fields:
            value = getattr(node, name, None)
            if type(value) is list:
                stack.extend([item for item in value if isinstance(item, ast.AST)])
            elif isinstance(value, ast.AST):
                stack.append(value)
