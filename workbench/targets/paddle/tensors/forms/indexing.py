"""Indexing as Paddle writes it, if Paddle's positions are torch's."""

from __future__ import annotations

import ast

from workbench.rules.difference import Differs, at, unless
from workbench.rules.forms import FormSet
from workbench.rules.match import Match
from workbench.rules.outcome import Keep, Outcome, Rewrite
from workbench.rules.same import changed
from workbench.source.inference.evidence.tensor_states import FOUND
from workbench.source.types.lattice import Items, Tensor
from workbench.source.types.views import is_empty_list, may_be_empty, steps_back, takes_all
from workbench.source.uses import UseKind

forms = FormSet()

_NONE = "after a slice, the result has other dimensions in {target} than in torch"
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
    if (emptied := without_positions(match)) is not None:
        return emptied
    added = _added_after(match, node.slice) if isinstance(node.ctx, ast.Load) else None
    return added or _as_slice(match, node, node.slice) or _without_gaps(match, node.slice)


def _added_after(match: Match, index: ast.Tuple) -> Outcome | None:
    """Return `x[i][None]` for `x[None, i]`, whose dimensions Paddle orders in another way."""
    at = match.use.values[0]
    values = at.items if isinstance(at, Items) and at.items else ()
    match index.elts:
        case [ast.Constant(value=None), ast.expr() as part] if len(values) == 2:
            value = values[1]
            listed = isinstance(value, Items) and value.kind == "list"
            placed = listed or isinstance(value, Tensor)
            text = f"{{self}}[{ast.unparse(part)}][None]"
            return Rewrite(text, consumed=frozenset({"key"})) if placed else None
        case _:
            return None


def without_positions(match: Match) -> Outcome | None:
    """Return `x[:, :0]` for `x[:, []]`, whose dimensions Paddle orders in another way."""
    node = match.use.node
    if not isinstance(node, ast.Subscript):
        return None
    key = node.slice
    parts = key.elts if isinstance(key, ast.Tuple) and key.elts else [key]
    rest = [one for one in parts if not is_empty_list(one)]
    plain = all(isinstance(one, ast.Slice | ast.Constant) for one in rest)
    if len(rest) != len(parts) - 1 or not plain or takes_all(key):
        return None
    written = [":0" if is_empty_list(one) else ast.unparse(one) for one in parts]
    return Rewrite(f"{{self}}[{', '.join(written)}]", consumed=frozenset({"key", "value"}))


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
    differs = _without_values(match, index)
    receiver = match.use.receiver
    made = receiver.func if isinstance(receiver, ast.Call) else None
    if isinstance(made, ast.Attribute) and made.attr in _WITHOUT_GAPS:
        return Keep(differs=differs)
    seen = not isinstance(receiver, ast.Name | ast.Attribute) or changed(match)
    text = "{self}.clone()" if seen else "{self}.contiguous()"
    return Rewrite(text, callee_only=True, differs=differs)


def _without_values(match: Match, index: ast.Tuple) -> Differs:
    """Return the difference of an index that may select nothing.

    It is reported at each list and each result of a search, which often do.
    """
    key = match.use.values[0]
    values = key.items if isinstance(key, Items) and key.items else ()
    open_ = [one for part, one in zip(index.elts, values, strict=False) if may_be_empty(part, one)]
    if any(isinstance(one, Items) or FOUND in getattr(one, "states", ()) for one in open_):
        return unless(f"if there are no positions: {_NONE}")
    return at(f"if an index has no positions: {_NONE}") if open_ else ()
