"""Writes to parts of a tensor, `x[index] = y`, that Paddle's own statement does as torch's."""

from __future__ import annotations

import ast
import re

from workbench.rules.difference import at, unless
from workbench.rules.forms import FormSet
from workbench.rules.match import Match
from workbench.rules.outcome import Keep, Outcome
from workbench.source.types import dtypes
from workbench.source.types.lattice import UNKNOWN, Items, Tensor, Value
from workbench.source.types.views import adds_in_front, gathers, root, takes_all
from workbench.source.uses import Use, UseKind
from workbench.targets.paddle.parts import IN_A_PART, into_a_copy
from workbench.targets.paddle.tensors.forms.indexing import without_positions
from workbench.targets.paddle.tensors.forms.inplace import is_number, masks, shares_with_computed

forms = FormSet(since="3.3")
_EXPANDING = (".expand", ".expand_as", ".broadcast_to")
_WRITTEN = unless(
    "a backward pass that needs the values from before this write raises an error in {target}"
)
_EMPTY = at("a write with an empty index tensor raises an error in {target}")
_ONE = unless(
    "a mask selects a single place: the value that is written there gets no gradient in {target}"
)
_NO_DIMENSIONS = unless(
    "if the tensor has no dimensions, {target} raises an error where another tensor is written to"
    " it; write `x.copy_(y)` there"
)
_OF_A_COPY = "an expanded tensor is a copy in Paddle, so a write to it changes no other tensor"


@forms.form("torch.Tensor.__setitem__")
def set_item(match: Match) -> Outcome | None:
    """Write to the tensor, or to a copy if a backward pass needs its values."""
    outcome = _written(match)
    return None if outcome is None else into_a_copy(match, outcome)


def _written(match: Match) -> Outcome | None:
    """Keep `x[mask] = v`; integer indices must not write to a strided view, which may crash."""
    use = match.use
    if use.kind is not UseKind.OPERATOR or not isinstance(use.node, ast.Subscript):
        return None
    if (emptied := without_positions(match)) is not None:
        return emptied
    if adds_in_front(use.node.slice, use.values[0]):
        return None
    value = use.receiver_value
    given = getattr(use.statement, "value", None)
    if isinstance(use.receiver, ast.Call) and ast.unparse(use.receiver.func).endswith(_EXPANDING):
        return Keep(caveat=_OF_A_COPY)
    if takes_all(use.node.slice) and isinstance(value, Tensor):
        return None if value.scalar else _whole_write(use, value)
    if given is None or (isinstance(value, Tensor) and value.dtype == "float64"):
        return None  # the gradients of a value written to float64 are lost
    number = not isinstance(_given(use), Tensor) and is_number(given, _given(use))
    if number and masks(use.node.slice, use.values[0]):
        return Keep(differs=_WRITTEN if shares_with_computed(match) else ())
    whole = isinstance(use.receiver, ast.Name) and isinstance(value, Tensor)
    if not whole or not isinstance(value, Tensor) or value.spread or value.part is not None:
        return None
    # A tensor without dimensions gets no gradient, and for values with more dimensions than the
    # positions Paddle reads beyond them: a selection by the same index has neither.
    wanted = ast.dump(use.node.slice)
    picked = any(
        isinstance(part, ast.Subscript) and ast.dump(part.slice) == wanted
        for part in ast.walk(given)
    )
    picked = picked or _are_places(use.values[0]) or _is_named_place(use.node.slice, use.values[0])
    picked = picked or dtypes.kind(value.dtype) in {0, 1} or _has_no_gradient(_given(use))
    picked = (picked and not _adds_dimension(given)) or _fills(given, _given(use))
    if not number and not picked:
        return None
    mask = masks(use.node.slice, use.values[0])
    if gathers(use.values[0]) and not mask:
        return Keep(differs=_EMPTY)
    return Keep(differs=() if number or not mask or _has_no_gradient(_given(use)) else _ONE)


def _whole_write(use: Use, value: Tensor) -> Keep:
    """Keep `x[...] = y` for a tensor of unknown dimensions."""
    shared = value.part is not None and value.part != getattr(use.receiver, "id", None)
    if shared and dtypes.kind(value.dtype) not in {0, 1}:
        return Keep(caveat=IN_A_PART)
    return Keep(differs=_NO_DIMENSIONS)


_WHOLE = frozenset({"int32", "int64"})
_PLACES = re.compile(r"(^|_)(idx|idxs|inds?|index|indexes|indices|ids|perm|permutation|places)$")


def _is_named_place(node: ast.expr, value: Value) -> bool:
    """Return whether names say that an index is of places, and nothing that it is a mask."""
    if isinstance(node, ast.Tuple):
        rest = [one for one in node.elts if not isinstance(one, ast.Slice | ast.Constant)]
        return bool(rest) and all(_is_named_place(one, UNKNOWN) for one in rest)
    if isinstance(value, Tensor) and value.dtype not in {None, "int32", "int64"}:
        return False
    name = root(node.left if isinstance(node, ast.BinOp) else node)
    return name is not None and _PLACES.search(name) is not None


def _has_no_gradient(value: Value) -> bool:
    """Return whether a value is known to be of whole numbers or truth values."""
    return isinstance(value, Tensor) and not value.scalar and dtypes.kind(value.dtype) in {0, 1}


def _are_places(at: Value) -> bool:
    """Return whether an index is known to hold positions and no mask."""
    parts = at.items or (at.item,) if isinstance(at, Items) and at.kind == "tuple" else (at,)
    tensors = [part for part in parts if isinstance(part, Tensor)]
    if any(part.dtype in _WHOLE and not part.scalar for part in tensors):
        return all(part.dtype is None or part.dtype in _WHOLE for part in tensors)
    return bool(tensors) and UNKNOWN not in parts and all(p.dtype in _WHOLE for p in tensors)


def _fills(given: ast.expr, value: Value) -> bool:
    """Return whether a value has one dimension or those of the selection: `x[a] = x[b]`."""
    if isinstance(given, ast.Call) and ast.unparse(given.func).endswith(".detach"):
        return _fills(given.func.value, value)  # type: ignore[attr-defined]
    if isinstance(given, ast.Call):
        return ast.unparse(given.func).rpartition(".")[2] in {"arange", "randperm"}
    if _are_largest(given):
        return True
    if not isinstance(given, ast.Subscript) or not isinstance(value, Tensor) or value.scalar:
        return False
    return isinstance(given.slice, ast.Name | ast.Call | ast.Compare) and value.dtype != "float64"


_DIMENSION = re.compile(r"(dim=)?-?\d+")


def _are_largest(node: ast.expr) -> bool:
    """Return whether a value is the largest along one dimension, which is removed.

    It is written as `x.max(1).values`, `torch.max(x, 1)[0]` or, after a fix, as a call of Paddle.
    """
    call = getattr(node, "value", None)
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return False
    given = [*call.args, *call.keywords]
    callee, ending = ast.unparse(call.func), ast.unparse(node).removeprefix(ast.unparse(call))
    ours = len(given) == 1 or (len(given) == 2 and callee.startswith(("torch.", "paddle.")))
    named = call.func.attr in {"max", "min"} and ending in {".values", "[0]"}
    return ours and named and _DIMENSION.fullmatch(ast.unparse(given[-1])) is not None


def _adds_dimension(node: ast.expr) -> bool:
    """Return whether a value may have dimensions of length one in front."""
    return any(
        (isinstance(part, ast.Constant) and part.value is None)
        or (isinstance(part, ast.Attribute) and part.attr in {"unsqueeze", "view", "reshape"})
        for part in ast.walk(node)
    )


def _given(use: Use) -> Value:
    """Return what is known of the value that is written."""
    return use.values[1] if len(use.values) > 1 else UNKNOWN
