"""Helper functions of converted code that the notebook holds already.

A cell that was converted in place defines the helpers that it uses; a later cell need not define
them again. A helper counts as held only where its text is the very one: a function of the person's
own that happens to have its name is another.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable

from .panel_models import parse


def held(helpers: Collection[str], code: str, earlier: Iterable[str]) -> set[str]:
    """Which of the helpers that `code` defines stand, word for word, in earlier cells."""
    wanted = {name: text for name, text in _definitions(code).items() if name in set(helpers)}
    if not wanted:
        return set()
    found: set[str] = set()
    for source in earlier:
        if any(name in source for name in wanted):
            there = _definitions(source)
            found |= {name for name, text in wanted.items() if there.get(name) == text}
    return found


def _definitions(source: str) -> dict[str, str]:
    """The functions and classes at the top of a text, by name, without their layout."""
    tree = parse(source)
    if tree is None:
        return {}
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return {node.name: ast.dump(node) for node in tree.body if isinstance(node, kinds)}
