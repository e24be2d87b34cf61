"""Indexing as Paddle writes it, if Paddle's positions are torch's."""

from __future__ import annotations

import ast

from workbench.rules.forms import FormSet
from workbench.rules.match import Match
from workbench.rules.outcome import Keep, Outcome, Rewrite
from workbench.rules.same import changed
from workbench.source.types.views import steps_back
from workbench.source.uses import UseKind

forms = FormSet()

_WITHOUT_GAPS = frozenset({"clone", "contiguous"})


@forms.form("torch.Tensor.__getitem__")
def places(match: Match) -> Outcome | None:
    """Index with positions next to slices; Paddle reads wrong positions of a strided view.

    `x[:, [-1], :]` keeps its dimension as `x[:, -1:, :]` does, which reads views correctly.
    """
    node = match.use.node
    if match.use.kind is not UseKind.OPERATOR or not isinstance(node, ast.Subscript):
        return None
    if not isinstance(node.slice, ast.Tuple) or steps_back(node.slice):
        return None
    return _as_slice(match, node, node.slice) or _without_gaps(match, node.slice)


def _as_slice(match: Match, node: ast.Subscript, index: ast.Tuple) -> Outcome | None:
    """Return a list of one position as a slice.

    A slice is a view: if it is bound to a name, it may be written to later, so it stays a list.
    """
    if getattr(match.use.statement, "value", None) is node:
        return None
    lists = [one for one in index.elts if isinstance(one, ast.List)]
    rest = [one for one in index.elts if one not in lists]
    if len(lists) != 1 or not all(isinstance(one, ast.Slice) for one in rest):
        return None
    match lists[0].elts:
        case [ast.Constant(value=int() as place)]:
            written = f"{place}:{place + 1}"
        case [ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as place))]:
            written = f"-{place}:" if place == 1 else f"-{place}:-{place - 1}"
        case _:
            return None
    parts = [written if one in lists else ast.unparse(one) for one in index.elts]
    return Rewrite(f"{{self}}[{', '.join(parts)}]", consumed=frozenset({"key"}))


def _without_gaps(match: Match, index: ast.Tuple) -> Outcome | None:
    """Return `x.contiguous()[:, [0, 2]]`, or a clone if the tensor may be written to.

    Paddle's `contiguous` gives the variable itself a new memory.
    """
    if any(isinstance(part, ast.Constant) and part.value is None for part in index.elts):
        return None
    receiver = match.use.receiver
    made = receiver.func if isinstance(receiver, ast.Call) else None
    if isinstance(made, ast.Attribute) and made.attr in _WITHOUT_GAPS:
        return Keep()
    seen = not isinstance(receiver, ast.Name | ast.Attribute) or changed(match)
    return Rewrite("{self}.clone()" if seen else "{self}.contiguous()", callee_only=True)
