"""Code whose top-level names are renamed, wherever they are bound and read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import libcst as cst
from libcst.metadata import (
    Access,
    Assignment,
    BuiltinScope,
    GlobalScope,
    MetadataWrapper,
    ScopeProvider,
)


def with_own_names(code: str, names: Mapping[str, str]) -> str:
    """Rename names of a module's scope; local names, attributes and keywords stay as they are.

    Args:
        code: the text of a module.
        names: the new name of each.
    """
    if not names:
        return code
    wrapper = MetadataWrapper(cst.parse_module(code), unsafe_skip_copy=True)
    scopes = {scope for scope in wrapper.resolve(ScopeProvider).values() if scope is not None}
    places: set[int] = set()
    for scope in scopes:
        for access in scope.accesses:
            if _is_global(access):
                places.add(id(_first(access.node)))
        if isinstance(scope, GlobalScope):
            places |= _bindings(scope)
    return wrapper.module.visit(_Renaming(names, places)).code


def _is_global(access: Access) -> bool:
    """Return whether only the module's scope binds a name, or nothing here does."""
    return all(isinstance(one.scope, GlobalScope | BuiltinScope) for one in access.referents)


def _bindings(scope: GlobalScope) -> set[int]:
    """Return the nodes in which a module's scope binds names."""
    found = set()
    for one in scope.assignments:
        if isinstance(one, Assignment):
            node = one.node
            named = node.name if isinstance(node, cst.FunctionDef | cst.ClassDef) else node
            found.add(id(named))
    return found


def _first(node: cst.CSTNode) -> cst.CSTNode:
    while isinstance(node, cst.Attribute):
        node = node.value
    return node


class _Renaming(cst.CSTTransformer):
    """Replaces names; the names of modules in imports stay."""

    def __init__(self, names: Mapping[str, str], places: set[int]) -> None:
        super().__init__()
        self._names, self._places = names, places

    def on_visit(self, node: cst.CSTNode) -> bool:
        """Skip the names in imports."""
        return not isinstance(node, cst.Import | cst.ImportFrom)

    def on_leave(self, original_node: Any, updated_node: Any) -> Any:
        """Write a name, an item of a `global` statement, or what an import binds."""
        here = id(original_node) in self._places
        if isinstance(original_node, cst.Name) and here:
            return updated_node.with_changes(value=self._new(original_node.value))
        if isinstance(original_node, cst.NameItem):
            return updated_node.with_changes(name=cst.Name(self._new(original_node.name.value)))
        if isinstance(original_node, cst.Import | cst.ImportFrom) and here:
            aliases = original_node.names
            if not isinstance(aliases, cst.ImportStar):
                return updated_node.with_changes(names=[self._alias(one) for one in aliases])
        return updated_node

    def _new(self, name: str) -> str:
        return self._names.get(name, name)

    def _alias(self, alias: cst.ImportAlias) -> cst.ImportAlias:
        bound = alias.evaluated_alias or alias.evaluated_name.partition(".")[0]
        if bound not in self._names:
            return alias
        space = cst.SimpleWhitespace(" ")
        name = cst.AsName(
            cst.Name(self._names[bound]), whitespace_before_as=space, whitespace_after_as=space
        )
        return alias.with_changes(asname=name)
