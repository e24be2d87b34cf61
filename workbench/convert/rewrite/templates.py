"""Templates as the concrete syntax of new expressions."""

from __future__ import annotations

from functools import cache

import libcst as cst

from workbench.rules.template import compile_template, placeholder


@cache
def expression_of(text: str) -> cst.BaseExpression:
    """Return a template's expression, with each placeholder as a name.

    Raises:
        RuleError: the template with filled placeholders is not an expression.
    """
    return cst.parse_expression(compile_template(text).code)


def placeholder_of(node: cst.CSTNode) -> str | None:
    """Return the placeholder that a node of a template's expression represents, or None."""
    return placeholder(node.value) if isinstance(node, cst.Name) else None
