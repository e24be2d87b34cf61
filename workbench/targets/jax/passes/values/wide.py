"""Floats of 64 bits: one setting for a program that asks for them."""

from __future__ import annotations

import ast
from dataclasses import replace

from workbench.convert.passes import Draft
from workbench.rules.outcome import Rewrite
from workbench.source.analysis import Analysis
from workbench.source.tree import inside
from workbench.targets.jax.passes.program.plans import with_edits

_WIDE = ("jnp.float64", "jnp.complex128")
_SETTINGS = ("jax_explicit_x64_dtypes", "jax_enable_x64")
_LINE = f'jax.config.update("{_SETTINGS[0]}", "allow")'
_WHY = "JAX has floats of 64 bits where a setting allows them"


def allow_wide(draft: Draft) -> Draft:
    """Write the setting above the code of a program that asks for floats of 64 bits."""
    analysis = draft.analysis
    asking = {
        id(one.use.node)
        for one in draft.plans
        if isinstance(one.outcome, Rewrite) and any(name in one.outcome.template for name in _WIDE)
    }
    if not asking or any(name in analysis.text for name in _SETTINGS):
        return draft
    at, newline = _below_imports(analysis), analysis.lines.newline
    edits = ((at, at, f"{newline}{_LINE}{newline}"),)
    plans = [
        with_edits(one, edits, _WHY)
        if any(id(node) in asking for node in inside(one.use.statement))
        else one
        for one in draft.plans
    ]
    return replace(draft, plans=plans)


def _below_imports(analysis: Analysis) -> int:
    """Return the offset of the line below the last import at the top of a program."""
    last = 0
    for one in analysis.tree.body:
        if isinstance(one, ast.Import | ast.ImportFrom):
            last = one.end_lineno or one.lineno
        elif not isinstance(one, ast.Expr):
            break
    return analysis.lines.start(last)
