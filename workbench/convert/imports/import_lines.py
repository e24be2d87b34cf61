"""New import statements, and tests for existing ones."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import replace

from workbench.convert.imports.import_order import Statement
from workbench.targets.helpers import Import

# A longer line of imports is broken.
_WIDTH = 100


def has_import(tree: ast.Module, wanted: Import, first: int = 0, last: int | None = None) -> bool:
    """Return whether the module's own scope imports this under the same name, after line `first`.

    `last` is the last line on which the import may stand, where what needs it comes next. What
    `typing` has of `collections.abc` serves in its place, under one name.
    """
    aliases = {wanted}
    if wanted.module == "collections.abc":
        aliases.add(replace(wanted, module="typing"))
    for statement in tree.body:
        if not isinstance(statement, Statement) or statement.lineno <= first:
            continue
        if last is not None and statement.lineno > last:
            break
        module = ""
        if isinstance(statement, ast.ImportFrom):
            module = "." * statement.level + (statement.module or "")
        for alias in statement.names:
            name = alias.name if isinstance(statement, ast.ImportFrom) else ""
            found = Import(module or alias.name, name, alias.asname or alias.name)
            if found in aliases:
                return True
    return False


def import_lines(imports: Iterable[Import], *, apart: bool = False) -> list[str]:
    """Return import statements, plain ones first, one for each module that names come from.

    One that is too long for a line has its names on lines of their own, which end with a line feed.
    If `apart`, each name that is imported under another one has a statement of its own.
    """
    plain: list[str] = []
    renamed: list[str] = []
    names: dict[str, list[str]] = {}
    for item in sorted(set(imports), key=lambda item: (item.module.startswith("."), item)):
        bound = item.name or item.module
        text = bound if item.bound == bound else f"{bound} as {item.bound}"
        if item.name and apart and item.bound != bound:
            renamed.append(_from(item.module, [text]))
        elif item.name:
            names.setdefault(item.module, []).append(text)
        else:
            plain.append(f"import {text}")
    return plain + [_from(module, parts) for module, parts in names.items()] + renamed


def _from(module: str, parts: list[str]) -> str:
    line = f"from {module} import {', '.join(parts)}"
    if len(line) <= _WIDTH:
        return line
    return f"from {module} import (\n" + "".join(f"    {part},\n" for part in parts) + ")"
