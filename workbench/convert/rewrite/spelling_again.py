"""Short names that become free, used in the target's code that the file already has."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from workbench.convert.decide.reconversion import is_helper
from workbench.convert.rewrite.edits import Change, Changes
from workbench.source.tree import within

if TYPE_CHECKING:
    from workbench.convert.rewrite.spelling import Spelling
    from workbench.source.analysis import Analysis
    from workbench.targets import Target


def spell_again(analysis: Analysis, changes: Changes, spelling: Spelling, target: Target) -> None:
    """Use the short names of a file in the code of earlier fixes, too.

    So a file ends up the same, whether its uses are converted one by one or all at once.
    """
    if target.module not in analysis.text:
        return
    modules = {short: name for name, short in spelling.modules.items() if short in spelling.known}
    modules[target.module] = target.module
    own = [one for one in analysis.tree.body if not is_helper(one, target)]
    named = sum(_names(node, target.module) for one in analysis.tree.body for node in within(one))
    for node in (node for one in own for node in _outermost(one, modules)):
        start, end = analysis.span(node)
        old = analysis.text[start:end]
        head, _, rest = old.partition(".")
        if head not in modules:  # with brackets around a part of it
            continue
        new = spelling(f"{modules[head]}.{rest}")
        if new == old:
            continue
        changes.names.add(new.partition(".")[0])
        named -= head == target.module
        around = [one for one in changes.changes if one.start <= start and end <= one.end]
        for change in around:
            change.text = spelling(change.text)
        if not around:
            changes.changes.append(Change(start, end, new))
    changes.unnamed = not named


def _names(node: ast.AST, module: str) -> bool:
    """Return whether a node names a module; a text may be an annotation."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str) and module in node.value
    return isinstance(node, ast.Name) and node.id == module


def _outermost(tree: ast.AST, modules: Collection[str]) -> Iterator[ast.Attribute]:
    """Yield the dotted names that begin with one of some modules: `paddle.nn.Linear`, whole."""
    stack: list[ast.AST] = [tree]
    while stack:
        node = stack.pop()
        head: ast.AST = node
        while isinstance(head, ast.Attribute):
            head = head.value
        if isinstance(node, ast.Attribute) and isinstance(head, ast.Name):
            if head.id in modules:
                yield node
            continue
        stack.extend(ast.iter_child_nodes(node))
