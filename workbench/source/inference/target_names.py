"""Names of the target in partly converted code."""

from __future__ import annotations

import ast

from workbench.source.inference.context import Context
from workbench.source.types.lattice import Foreign, TorchObject, Value


def name_of_target(context: Context, name: str) -> Value:
    """Return the value of a target's dotted name in the torch code around it."""
    ported = context.facts.ported
    meant = context.facts.canonical(ported.torch_name(name)) if ported is not None else ""
    known = context.facts.get(meant) is not None or context.facts.is_module(meant)
    return TorchObject(meant, ported=name) if known else Foreign(name)


def spelled_as_target(context: Context, base: Value) -> str | None:
    """Return the target's name of a value that is written that way, or None."""
    ported = context.facts.ported
    if ported is None or not isinstance(base, TorchObject | Foreign):
        return None
    spelled = base.ported if isinstance(base, TorchObject) else base.name
    return spelled if spelled.partition(".")[0] in ported.roots else None


def is_helper(
    context: Context, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
) -> bool:
    """Return whether a definition has the name and docstring of a conversion's helper."""
    ported = context.facts.ported
    source = ported.source(node.name) if ported is not None else None
    text = ast.get_docstring(node, clean=False)
    return source is not None and bool(text) and str(text) in source
