"""Indices of values, sorted values and unique values, as Paddle writes them."""

from __future__ import annotations

import ast

from workbench.rules.difference import Differs, at, unless
from workbench.rules.forms import FormSet
from workbench.rules.match import Match
from workbench.rules.outcome import Keep, Outcome, Rewrite
from workbench.rules.same import changed
from workbench.source.types import dtypes
from workbench.source.types.lattice import MIXED, Plain, Tensor
from workbench.source.uses import UseKind
from workbench.targets.paddle.common.either import (
    first,
    is_bool,
    is_unpacked,
    may_be_complex,
    same,
    tensor_of,
    unless_bool,
)
from workbench.targets.paddle.common.promotion import kind_of
from workbench.targets.paddle.tensors.forms.operators import cast_of, cast_operands
from workbench.targets.paddle.tensors.rules.operators import dtype_of

forms = FormSet(since="3.3")
_T = "torch.Tensor."
_OF_EQUAL = at(
    "if several values are equal, kthvalue may pass its gradient to another one than in torch"
)
_LOWERED = unless(
    "if the other vector is boolean or of narrower integers: the result has its dtype, and in torch"
    " the wider one"
)
_WITHOUT_EQUAL = frozenset({"uint8", "int8", "int16", "complex", "complex64", "complex128"})
_EQUAL = at("equal of complex tensors, or of 8- or 16-bit integers, raises an error in {target}")
_PLACE = at("argmax and argmin ignore NaN in {target}; in torch they return its index")


@forms.form("torch.argmax", "torch.argmin", _T + "argmax", _T + "argmin")
def place(match: Match) -> Outcome | None:
    """Keep the call; Paddle ignores NaN."""
    return None if is_bool(tensor_of(match)) or "out" in match else same(match, _PLACE)


@forms.form("torch.kthvalue", _T + "kthvalue")
def ranked(match: Match) -> Outcome | None:
    """Return only the value; among equal values Paddle returns another index."""
    statement, node = match.use.statement, match.use.node
    picked = any(
        isinstance(part, ast.Subscript)
        and part.value is node
        and isinstance(part.slice, ast.Constant)
        and part.slice.value == 0
        for part in ast.walk(statement)
    )
    if not picked or match.given("out"):
        return None
    text = f"paddle.kthvalue({first(match)}, {{k}}, axis={{dim}}, keepdim={{keepdim}})"
    return Rewrite(text, consumed=frozenset({"out"}), differs=_OF_EQUAL)


@forms.form("torch.cummax", "torch.cummin", _T + "cummax", _T + "cummin")
def running(match: Match) -> Outcome | None:
    """Keep a call whose result is unpacked or indexed; Paddle's tuple has no names."""
    indexed = any(
        isinstance(part, ast.Subscript) and part.value is match.use.node
        for part in ast.walk(match.use.statement)
    )
    mine = tensor_of(match)
    odd = is_bool(mine) or (isinstance(mine, Tensor) and (mine.scalar or mine.recorded))
    if odd or not (is_unpacked(match) or indexed) or match.given("out"):
        return None
    name = match.use.name.rpartition(".")[2]
    return Rewrite(f"paddle.{name}({first(match)}, {{dim}})", consumed=frozenset({"out"}))


@forms.form("torch.argsort", _T + "argsort", tried=True)
def order(match: Match) -> Outcome | None:
    """Return the indices without gradients, if the values are known to require them."""
    mine = tensor_of(match)
    if not isinstance(mine, Tensor) or not mine.recorded or match.given("out"):
        return None
    given = "axis={dim}, descending={descending}, stable={stable}"
    return Rewrite(f"paddle.argsort({first(match)}.detach(), {given})")


@forms.form("torch.median", _T + "median")
def middle(match: Match) -> Outcome | None:
    """Write the lower of two middle values, where Paddle takes their mean."""
    if match.given("dim", "keepdim", "out"):
        return None
    return Rewrite(f"paddle.median({first(match)}, mode='min')", consumed=frozenset({"out"}))


@forms.form("torch.gather", _T + "gather")
def gathered(match: Match) -> Outcome | None:
    """Keep the call, whose result is a copy."""
    tensor = tensor_of(match)
    if match.given("out", "sparse_grad") or is_bool(tensor_of(match)):
        return None
    if isinstance(tensor, Tensor) and dtypes.kind(tensor.dtype) == 3:
        return None  # Paddle has no kernel for complex numbers
    return same(match, unless_bool(match))


@forms.form("torch.nonzero", _T + "nonzero")
def nonzero(match: Match) -> Outcome | None:
    """Keep the call, as a table of indices or one list per dimension."""
    value = tensor_of(match)
    scalar = isinstance(value, Tensor) and value.scalar
    return None if match.given("out") or scalar else same(match)


@forms.form("torch.atleast_1d", "torch.atleast_2d", "torch.atleast_3d")
def with_dimensions(match: Match) -> Outcome | None:
    """Keep the call for one tensor, whose values are copied."""
    tensors = match.arguments.get("tensors")
    if tensors is None or tensors.starred or len(tensors.nodes) != 1 or changed(match):
        return None
    return same(match)


@forms.form("torch.equal", _T + "equal")
def equal(match: Match) -> Outcome | None:
    """Return whether shapes and values are the same, as a truth value of Python's."""
    values = tensor_of(match), match.value("other")
    known = {value.dtype for value in values if isinstance(value, Tensor)} - {None}
    if dtypes.may_differ(*values) or not _WITHOUT_EQUAL.isdisjoint(known):
        return None
    if may_be_complex(match.program, *values):
        return None
    differs = () if known else _EQUAL
    return Rewrite(f"paddle.equal_all({first(match)}, {{other}}).item()", differs=differs)


_SYMBOLS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}


@forms.form(*(f"{owner}{name}" for owner in ("torch.", _T) for name in _SYMBOLS))
def compare(match: Match) -> Outcome | None:
    """Keep the call for two tensors; compare possible numbers with the operator."""
    other = match.value("other")
    if "other" not in match or match.given("out"):
        return None
    if not isinstance(other, Tensor):
        symbol = _SYMBOLS[match.use.name.rpartition(".")[2]]
        return Rewrite(f"({first(match)} {symbol} {{other}})", consumed=frozenset({"out"}))
    if dtypes.unlike(tensor_of(match), other):
        symbol = _SYMBOLS[match.use.name.rpartition(".")[2]]
        own = "input" if match.use.receiver is None else "self"
        return cast_operands(match, symbol, own, "other")
    return same(match)


@forms.form(
    *(f"{_T}__{name}__" for name in ("and", "or", "xor", "rand", "ror", "rxor")),
    *(f"{_T}bitwise_{name}" for name in ("and", "or", "xor")),
)
def bitwise(match: Match) -> Outcome | None:
    """Keep the call for two tensors; Paddle itself raises for different dtypes."""
    mine, other = match.use.receiver_value, match.value("other")
    if isinstance(other, Plain) or match.use.kind is UseKind.UNBOUND:
        return None
    if match.use.node is not match.use.call and match.use.kind is not UseKind.OPERATOR:
        return None
    unlike = (
        isinstance(mine, Tensor)
        and isinstance(other, Tensor)
        and dtypes.differ(mine.dtype, other.dtype)
    )
    return None if unlike else same(match)


@forms.form("torch.outer", "torch.ger", _T + "outer", _T + "ger")
def outer(match: Match) -> Outcome | None:
    """Write the product of two vectors; integers get the dtype of the other vector."""
    if match.given("out") or "vec2" not in match:
        return None
    values = [tensor_of(match), match.value("vec2")]
    if any(isinstance(one, Tensor) and MIXED in one.states for one in values):
        return None
    nodes = [match.use.receiver or match.arguments["input"].node, match.arguments["vec2"].node]
    written = [first(match), "{vec2}"]
    differs: Differs = ()
    cast = cast_of(nodes, values)
    kinds = [kind_of(one) for one in values]
    if cast is None and set(kinds) == {1, None}:
        side = kinds.index(1)
        dtype = dtype_of(nodes[1 - side])
        cast, differs = ((side, dtype), _LOWERED) if dtype is not None else (None, ())
    if cast is not None:
        written[cast[0]] += f".astype({cast[1]})"
    elif dtypes.unlike(*values):
        return None
    elif not match.use.name.endswith("ger"):
        return same(match)
    text = f"paddle.outer({', '.join(written)})"
    return Rewrite(text, consumed=frozenset({"out"}), differs=differs)


@forms.form(_T + "__contains__")
def contains(match: Match) -> Outcome | None:
    """Write `x in tensor` for tensors of any dimension; a string is in none of them."""
    node = match.use.node
    if not isinstance(node, ast.Compare) or len(node.ops) > 1:
        return None
    if isinstance(node.left, ast.Constant) and isinstance(node.left.value, str):
        return Keep()
    found = "({self} == {element}).any()"
    return Rewrite(f"not {found}" if isinstance(node.ops[0], ast.NotIn) else f"bool({found})")


@forms.form("torch.inverse", _T + "inverse")
def inverse(match: Match) -> Outcome | None:
    """Keep the call; a singular matrix raises in both."""
    return None if match.given("out") else same(match)


@forms.form("torch.scatter", _T + "scatter", tried=True)
def scatter(match: Match) -> Outcome | None:
    """Write bools as integers, since Paddle has no kernel for them."""
    both = is_bool(tensor_of(match)) and is_bool(match.value("src"))
    if not both or match.given("reduce", "out"):
        return None
    return Rewrite(f"{first(match)}.int().scatter({{dim}}, {{index}}, {{src}}.int()).bool()")


_OF_NOTHING = at("unique of a tensor without values keeps its shape in {target}")


@forms.form("torch.unique", _T + "unique")
def unique(match: Match) -> Outcome | None:
    """Keep the call, sorted in both; Paddle's inverse indices are one flat list."""
    tensor = tensor_of(match)
    if isinstance(tensor, Tensor) and (tensor.recorded or tensor.dtype == "bool"):
        return None
    dim = match.constant("dim", None)
    if dim is not None and not (isinstance(dim, int) and dim >= 0):
        return None  # for a negative dimension, Paddle uses another one, or crashes
    after = None
    if match.given("return_inverse") and not match.given("dim"):
        after = _in_shape(match)
        if after is None:
            return None
    text = f"paddle.unique({first(match)}, return_inverse={{return_inverse}}, "
    text += "return_counts={return_counts}, axis={dim})"
    differs = unless_bool(match) + _OF_NOTHING
    return Rewrite(text, consumed=frozenset({"sorted"}), after=after, differs=differs)


def _in_shape(match: Match) -> str | None:
    """Return the statement that gives indices the tensor's shape: `i = i.reshape(x.shape)`."""
    statement, tensor = match.use.statement, match.use.receiver
    tensor = tensor if tensor is not None else match.arguments["input"].node
    if not isinstance(statement, ast.Assign) or statement.value is not match.use.node:
        return None
    names = statement.targets[0]
    if not isinstance(names, ast.Tuple) or len(names.elts) < 2 or len(statement.targets) > 1:
        return None
    values, places = names.elts[:2]
    if not all(isinstance(one, ast.Name) for one in (values, places, tensor)):
        return None
    written = ast.unparse(tensor)
    if written in map(ast.unparse, names.elts):
        return None
    name = ast.unparse(places)
    return f"{name} = {name}.reshape({written}.shape)"
