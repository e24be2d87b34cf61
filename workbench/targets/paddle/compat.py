"""Calls in newer Paddle versions that change the meaning of Paddle's own names."""

from __future__ import annotations

import ast
from collections.abc import Iterator

_SWITCHES = frozenset({"enable_compat", "use_compat_guard"})
_REMARK = (
    "with a level above 1 gives Paddle's functions torch's meaning; Torchferry's output"
    " is proved without it: remove `level`, or the whole call if nothing imports torch any"
    " more"
)


def switches(text: str, tree: ast.Module) -> Iterator[tuple[ast.Call, str]]:
    """Yield the calls of `paddle.enable_compat` and the like, with advice for each."""
    if not any(name in text for name in _SWITCHES):
        return
    named = {
        item.asname or item.name: item.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "paddle"
        for item in node.names
    }
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else _name(node.func, named)
        level = next((one.value for one in node.keywords if one.arg == "level"), None)
        if name in _SWITCHES and level is not None and not _is_one(level):
            yield node, f"{name} {_REMARK}"


def _name(callee: ast.expr, named: dict[str, str]) -> str:
    return named.get(callee.id, "") if isinstance(callee, ast.Name) else ""


def _is_one(level: ast.expr) -> bool:
    return isinstance(level, ast.Constant) and level.value in {0, 1}
