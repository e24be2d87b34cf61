"""Texts that a dtype's own is compared with, or cut by: `str(x.dtype) == "torch.float32"`.

A target's dtypes print with its own module in front, so torch's name in such a text becomes that.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from itertools import chain

from workbench.source.analysis import Analysis
from workbench.source.tree import within

_PREFIX = "torch."
_DTYPE = re.compile(r"torch\.(bool|b?float\d+(_\w+)?|u?int\d+|complex\d+)")
_START = re.compile(r"torch\.(bool|b?float|u?int|complex)\w*")
# The start of a literal that can be changed: a plain string, or the length of the prefix.
_CHANGEABLE = re.compile(r"[\"']torch\.|\[\s*6\s*:")
_CUTTING = frozenset({"replace", "removeprefix", "split"})


def printed_dtypes(analysis: Analysis, module: str) -> Iterator[tuple[ast.Constant, str]]:
    """Yield the literals to change, and what each becomes."""
    if "str(" not in analysis.text or not _CHANGEABLE.search(analysis.text):
        return
    for node in chain.from_iterable(map(within, analysis.tree.body)):
        for literal in _literals(node, analysis.text):
            start, end = analysis.span(literal)
            old = analysis.text[start:end]
            if isinstance(literal.value, int):
                if old == str(literal.value):
                    yield literal, str(len(module) + 1)
            elif old[1:-1] == literal.value:  # one plain string, whose position is known
                yield literal, old.replace(_PREFIX, f"{module}.", 1)


def _literals(node: ast.AST, text: str) -> Iterable[ast.Constant]:
    """Return the literals of a comparison, call or slice that name torch's module or its length."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        sides = node.left, node.comparators[0]
        for side, other in (sides, sides[::-1]):
            texts = _texts(other, _DTYPE)
            if texts and _printed(side) is not None:
                return texts
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
        if _is_a_dtype(_printed(node.func.value), text):
            if node.func.attr == "startswith":
                return _texts(node.args[0], _START)
            if node.func.attr in _CUTTING:
                return _texts(node.args[0], re.compile(re.escape(_PREFIX)))
    elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
        low, rest = node.slice.lower, (node.slice.upper, node.slice.step)
        if isinstance(low, ast.Constant) and low.value == len(_PREFIX) and rest == (None, None):
            return [low] if _is_a_dtype(_printed(node.value), text) else []
    return []


def _printed(node: ast.expr) -> ast.expr | None:
    """Return `x` of `str(x)`, or None for other expressions."""
    if not isinstance(node, ast.Call) or len(node.args) != 1 or node.keywords:
        return None
    return node.args[0] if isinstance(node.func, ast.Name) and node.func.id == "str" else None


def _is_a_dtype(node: ast.expr | None, text: str) -> bool:
    """Return whether a name ends with `dtype`, or the program tests whether it is a dtype."""
    name = str(getattr(node, "attr", getattr(node, "id", "")))
    asked = isinstance(node, ast.Name) and f"isinstance({name}, torch.dtype)" in text
    return asked or name.endswith("dtype")


def _texts(node: ast.expr, pattern: re.Pattern[str]) -> list[ast.Constant]:
    """Return a text, or several in a tuple, a list or a set, if all are as the pattern has them."""
    items = node.elts if isinstance(node, ast.Tuple | ast.List | ast.Set) else [node]
    found = [item for item in items if isinstance(item, ast.Constant)]
    texts = [item.value for item in found if isinstance(item.value, str)]
    return found if len(texts) == len(items) and all(map(pattern.fullmatch, texts)) else []
