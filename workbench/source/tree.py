"""Going through syntax trees fast: it is done for every keystroke."""

from __future__ import annotations

import ast
from collections.abc import Iterator


def inside(node: ast.AST) -> Iterator[ast.AST]:
    """A node and everything inside it, in no order: several times as fast as `ast.walk`."""
    stack = [node]
    while stack:
        node = stack.pop()
        yield node
        # Only its fields: others hang attributes of their own on nodes, some of them in circles.
        for name in node._fields:
            value = getattr(node, name, None)
            if isinstance(value, list):
                stack.extend(item for item in value if isinstance(item, ast.AST))
            elif isinstance(value, ast.AST):
                stack.append(value)
