"""Templates as the concrete syntax that new expressions are made of."""

from __future__ import annotations

from functools import cache

import libcst as cst

from workbench.rules.template import compile_template, placeholder


@cache
def expression_of(text: str) -> cst.BaseExpression:
    """A template's expression, with each placeholder as a name.

    Raises:
        RuleError: the template is no expression once its placeholders are filled.
    """
    return cst.parse_expression(compile_template(text).code)


def placeholder_of(node: cst.CSTNode) -> str | None:
    """The placeholder that a node of a template's expression stands for."""
    return placeholder(node.value) if isinstance(node, cst.Name) else None
