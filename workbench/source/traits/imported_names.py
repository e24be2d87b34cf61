"""Names that a text imports from torch, and torch's names for those that it imports as others."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from workbench.source.traits.renaming import Renamed, renamed_statement
from workbench.source.tree import Notes
from workbench.upstream.facts import load

# Packages of torch, and the module of helpers of a partly converted program.
_PACKAGES = frozenset({"torch", "torchvision", "timm", "torchferry_helpers"})
_known: Notes[Renamed] = Notes("imported")


def in_torchs_names(tree: ast.Module) -> ast.Module:
    """Return a tree in which `wn` is `weight_norm` after `import weight_norm as wn`.

    The names of modules, such as `F`, stay. A statement without such a name is not copied.
    """
    names = dict(_renaming(tree.body))
    if not names:
        return tree
    body = [renamed_statement(_known, statement, names, {}) for statement in tree.body]
    return ast.Module(body=body, type_ignores=[])


def _renaming(body: Iterable[ast.stmt]) -> Iterator[tuple[str, str]]:
    facts = load()
    for statement in imports_from_torch(body):
        for one in statement.names:
            if one.asname and not facts.is_module(f"{statement.module}.{one.name}"):
                yield one.asname, one.name


def imports_from_torch(body: Iterable[ast.stmt]) -> Iterator[ast.ImportFrom]:
    """Yield the imports of names from torch and its packages, in `try` and `if` as well."""
    for statement in body:
        if isinstance(statement, ast.ImportFrom):
            if (statement.module or "").partition(".")[0] in _PACKAGES and not statement.level:
                yield statement
        elif isinstance(statement, ast.Try | ast.If):
            yield from imports_from_torch(statement.body)
            yield from imports_from_torch(statement.orelse)
        if isinstance(statement, ast.Try):
            for handler in statement.handlers:
                yield from imports_from_torch(handler.body)
