"""Indexing in Paddle's own words, where Paddle's places are torch's."""

from __future__ import annotations

import ast

from workbench.rules.forms import FormSet
from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Rewrite
from workbench.source.uses import UseKind

forms = FormSet()


@forms.form("torch.Tensor.__getitem__")
def one_place(match: Match) -> Outcome | None:
    """`x[:, [-1], :]` keeps its dimension as `x[:, -1:, :]` does, which reads views rightly.

    A slice is a view: one that is given a name may be written to later, and stays a list.
    """
    node = match.use.node
    if match.use.kind is not UseKind.OPERATOR or not isinstance(node, ast.Subscript):
        return None
    if not isinstance(node.slice, ast.Tuple) or getattr(match.use.statement, "value", None) is node:
        return None
    lists = [one for one in node.slice.elts if isinstance(one, ast.List)]
    rest = [one for one in node.slice.elts if one not in lists]
    if len(lists) != 1 or not all(isinstance(one, ast.Slice) for one in rest):
        return None
    match lists[0].elts:
        case [ast.Constant(value=int() as place)]:
            written = f"{place}:{place + 1}"
        case [ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as place))]:
            written = f"-{place}:" if place == 1 else f"-{place}:-{place - 1}"
        case _:
            return None
    parts = [written if one in lists else ast.unparse(one) for one in node.slice.elts]
    return Rewrite(f"{{self}}[{', '.join(parts)}]", consumed=frozenset({"key"}))
