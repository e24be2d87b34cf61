"""Members of modules that have the name of a method of the target's own module class."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from workbench.codes import OPEN
from workbench.findings import Certainty, Finding, Severity
from workbench.source.analysis import Analysis
from workbench.source.tree import within
from workbench.source.uses import UseKind
from workbench.targets import Target

# Values that a module keeps among its ordinary attributes, which are found first.
_ORDINARY = (ast.Constant, ast.JoinedStr, ast.Dict, ast.List, ast.Tuple, ast.Set, ast.Compare)


def hidden_members(analysis: Analysis, target: Target) -> Iterator[Finding]:
    """Yield layers, parameters and buffers that are not found under their names in the target.

    Python finds a method of a class before what its module keeps in tables of its own.
    """
    if not any(name in analysis.text for name in target.module_methods):
        return
    based = {id(use.node) for use in analysis.uses if use.kind is UseKind.BASE}
    for cls in (node for one in analysis.tree.body for node in [one, *within(one)]):
        if isinstance(cls, ast.ClassDef) and any(id(one) in based for one in cls.bases):
            for node in _stored(cls):
                if node.attr in target.module_methods:
                    yield _finding(analysis, target, node)


def _stored(cls: ast.ClassDef) -> Iterator[ast.Attribute]:
    """Yield the members of `self` that a class's methods set to what may be a layer or tensor."""
    for method in cls.body:
        if not isinstance(method, ast.FunctionDef) or not method.args.args:
            continue
        this = method.args.args[0].arg
        for node in within(method):
            if not isinstance(node, ast.Assign) or isinstance(node.value, _ORDINARY):
                continue
            for aim in node.targets:
                if isinstance(aim, ast.Attribute) and ast.unparse(aim.value) == this:
                    yield aim


def _finding(analysis: Analysis, target: Target, node: ast.Attribute) -> Finding:
    return Finding(
        code=OPEN,
        severity=Severity.INFORMATION,
        message=f"`{node.attr}` is a method of {target.title}'s modules, which is found instead of"
        f" a layer, parameter or buffer of this name; give it another name, such as"
        f" `{node.attr.strip('_')}_`",
        range=analysis.range(node),
        certainty=Certainty.UNKNOWN,
    )
