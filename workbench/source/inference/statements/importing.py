"""Import statements and their bindings."""

from __future__ import annotations

import ast

from workbench.source.inference.context import Context
from workbench.source.inference.modules import Deferred, OwnModule, Source, involves_torch, known
from workbench.source.inference.target_names import name_of_target
from workbench.source.packages import TORCH_PACKAGES
from workbench.source.types.lattice import Foreign, TorchObject, Value
from workbench.source.uses import ForeignImport, TorchImport
from workbench.upstream.facts import covers


def import_names(context: Context, node: ast.Import | ast.ImportFrom, note: bool = True) -> None:
    if isinstance(node, ast.Import):
        for alias in node.names:
            root = alias.name.partition(".")[0]
            bound = alias.asname or root
            name = alias.name if alias.asname else root
            if (
                _own(context, 0, alias.name) is not None
                and (own := _own(context, 0, name)) is not None
            ):
                _bind_own(context, node, alias, bound, OwnModule(name, own), note)
            else:
                _bind_import(context, node, alias, bound, name, alias.name, note)
        return
    module = f"{'.' * node.level}{node.module or ''}"
    source = _own(context, node.level, node.module or "")
    if source is not None:
        _names_of_own(context, node, module, source, note)
        return
    if node.level:
        # A module or name of the program itself: unknown, but not to be taken for a tensor.
        for alias in node.names:
            unknown = Foreign(f"{module}.{alias.name}")
            context.scope.bind(alias.asname or alias.name, context.live.get(alias.name, unknown))
        return
    for alias in node.names:
        if alias.name == "*":
            _star(context, node, alias, module, note)
        else:
            full = f"{module}.{alias.name}"
            _bind_import(context, node, alias, alias.asname or alias.name, full, full, note)


def _bind_import(
    context: Context,
    node: ast.Import | ast.ImportFrom,
    alias: ast.alias,
    bound: str,
    name: str,
    imported: str,
    note: bool,
) -> None:
    if covers(name) or context.facts.is_own(name):
        name = context.facts.canonical(name)
        context.scope.bind(bound, TorchObject(name))
        if note:
            context.found.imports.append(TorchImport(node, alias, bound, name))
        return
    ported = context.facts.ported
    if ported is not None and ported.covers(name):
        context.scope.bind(bound, name_of_target(context, name))
        return
    context.scope.bind(bound, Foreign(name))
    _note_foreign(context, node, imported, note)


def _own(context: Context, level: int, name: str) -> Source | None:
    """Return a module of the program's project, if it can be read, or None."""
    if context.neighbours is None or (not level and name.partition(".")[0] == "torch"):
        return None
    if not level and context.facts.is_own(name):
        return None
    return context.neighbours.find(level, name)


def _names_of_own(
    context: Context, node: ast.ImportFrom, module: str, source: Source, note: bool
) -> None:
    for alias in node.names:
        bound = alias.asname or alias.name
        if id(node) in context.reexporting and (alias.name == "*" or source.defines(alias.name)):
            if alias.name != "*":
                context.scope.bind(bound, Deferred(source, alias.name))
            elif note:
                context.found.stars.append(source)
            continue
        if alias.name == "*":
            for name, value in source.public().items():
                _bind_own(context, node, alias, name, known(value, f"{module}.{name}"), note)
            continue
        value = known(source.get(alias.name), f"{module}.{alias.name}")
        value = context.live.get(alias.name, value) if node.level else value
        _bind_own(context, node, alias, bound, value, note)


def _bind_own(
    context: Context,
    node: ast.Import | ast.ImportFrom,
    alias: ast.alias,
    bound: str,
    value: Value,
    note: bool,
) -> None:
    """Bind a name to its value in another file of the program."""
    context.scope.bind(bound, value)
    context.found.touched = context.found.touched or involves_torch(value)
    # A helper that counts as torch's class is the target's already.
    if isinstance(value, TorchObject) and not value.indirect and not value.ported:
        context.found.borrowed[bound] = value.name
        if note and alias.name != "*":
            context.found.imports.append(TorchImport(node, alias, bound, value.name, own=True))


def _star(
    context: Context, node: ast.ImportFrom, alias: ast.alias, module: str, note: bool
) -> None:
    if not covers(module) and not context.facts.is_own(module):
        _note_foreign(context, node, module, note)
        return
    for short, name in context.facts.offered(module):
        context.scope.bind(short, TorchObject(name))
    if note:
        context.found.imports.append(TorchImport(node, alias, "*", context.facts.canonical(module)))


def _note_foreign(
    context: Context, node: ast.Import | ast.ImportFrom, imported: str, note: bool
) -> None:
    parts = imported.split(".")
    names = {".".join(parts[:count]) for count in range(1, len(parts) + 1)} & TORCH_PACKAGES
    if (
        note
        and names
        and not (context.found.foreign and context.found.foreign[-1].statement is node)
    ):
        context.found.foreign.append(ForeignImport(node, max(names, key=len)))
