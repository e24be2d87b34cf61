"""Functions of floats that Paddle has with torch's arguments, or with other names for them."""

from __future__ import annotations

import ast

from workbench.rules.difference import Difference, at, unless
from workbench.rules.forms import FormSet
from workbench.rules.match import Match
from workbench.rules.outcome import Keep, Outcome, Rewrite
from workbench.source.traits.floating import names_cast_to_float
from workbench.source.types import dtypes
from workbench.source.types.lattice import Plain, Tensor
from workbench.source.uses import UseKind
from workbench.targets.paddle.common.either import (
    first,
    is_unpacked,
    may_be_complex,
    same,
    tensor_of,
    unless_bool,
)
from workbench.targets.paddle.linalg.rules.linalg import FACTOR_SIGNS
from workbench.targets.paddle.tensors.forms.inplace import whole_numbers
from workbench.targets.paddle.tensors.rules.operators import dtype_of

forms = FormSet(since="3.3")
_T = "torch.Tensor."
_WHOLE = at("nan_to_num of whole numbers raises an error in {target}")
_SIGN = at("sign(NaN) is NaN in {target}, 0 in torch")
_INFINITE = (
    *at("logsumexp of a tensor of more than four dimensions raises an error in {target}"),
    *at("logsumexp is NaN in {target} if the largest value is infinite; in torch it is that value"),
)
_DRAWS = (Difference.RANDOM_DRAWS,)
_MOST_DIMENSIONS = 4  # of a tensor in Paddle's logsumexp


def _both(*names: str) -> list[str]:
    return [f"{owner}{name}" for owner in ("torch.", _T) for name in names]


@forms.form(*_both("topk"))
def largest(match: Match) -> Outcome | None:
    """Keep the call, with values and indices.

    Paddle's indices require gradients, and if a program converts them to floats, the backward pass
    may end the process.
    """
    mine = tensor_of(match)
    known = isinstance(mine, Tensor) and (mine.dtype == "bool" or mine.scalar)
    if known or match.given("out") or match.constant("k") == 0:
        return None
    if isinstance(mine, Tensor) and mine.recorded and _places_alone(match):
        given = "{k}, axis={dim}, largest={largest}, sorted={sorted}"
        text = f"paddle.topk({first(match)}.detach(), {given})"
        return Rewrite(text, consumed=frozenset({"out"}))
    bound, places = _places(match)
    floated = not bound.isdisjoint(match.program.traits.floated) or _floated_at_once(match)
    if not floated and not (places and isinstance(mine, Tensor) and mine.recorded):
        return same(match)
    if places is None:
        return None
    text = (
        f"paddle.topk({first(match)}, {{k}}, axis={{dim}}, largest={{largest}}, sorted={{sorted}})"
    )
    return Rewrite(text, consumed=frozenset({"out"}), after=f"{places}.stop_gradient = True")


def _places_alone(match: Match) -> bool:
    """Return whether a program uses only the indices: `x.topk(2).indices`, `x.topk(2)[1]`."""
    parts = ast.walk(match.use.statement)
    return any(
        getattr(part, "value", None) is match.use.node and _is_second(part) for part in parts
    )


def _floated_at_once(match: Match) -> bool:
    """Return whether floats are made of places without a name: `x.topk(2)[1].float()`."""
    return any(
        "topk" in names_cast_to_float(part)
        for part in ast.walk(match.use.statement)
        if isinstance(part, ast.Call | ast.BinOp)
    )


def _places(match: Match) -> tuple[set[str], str | None]:
    """Return the variables that lead to the indices of a pair, and their names."""
    statement, node = match.use.statement, match.use.node
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return set(), None
    target, value = statement.targets[0], statement.value
    if isinstance(target, ast.Tuple | ast.List) and len(target.elts) == 2:
        target = target.elts[1]
    elif value is node and isinstance(target, ast.Name):
        return {target.id}, f"{target.id}[1]"
    elif getattr(value, "value", None) is not node or not _is_second(value):
        return set(), None
    else:
        value = node
    if not isinstance(target, ast.Name):
        return set(), None
    return {target.id}, target.id if value is node else None


def _is_second(value: ast.AST) -> bool:
    if isinstance(value, ast.Attribute):
        return value.attr == "indices"
    at = getattr(value, "slice", None)
    return isinstance(at, ast.Constant) and at.value == 1


@forms.form(*_both("allclose", "isclose"))
def close(match: Match) -> Outcome | None:
    """Compare two tensors of one dtype; `allclose` returns a Python bool."""
    mine, other = tensor_of(match), match.value("other")
    if dtypes.may_differ(mine, other) or whole_numbers(mine):
        return None
    if may_be_complex(match.program, mine, other):
        return None  # Paddle has no kernel for a test whether all complex numbers are close
    name = match.use.name.rpartition(".")[2]
    given = "rtol={rtol}, atol={atol}, equal_nan={equal_nan}"
    text = f"paddle.{name}({first(match)}, {{other}}, {given})"
    differs = at(
        "allclose of complex tensors, or of tensors with different shapes, raises an error in"
        " {target}"
    )
    limits = {one: match.constant(one) for one in ("rtol", "atol")}
    return Rewrite(
        text + (".item()" if name == "allclose" else ""),
        texts={one: f"{limit}.0" for one, limit in limits.items() if type(limit) is int},
        differs=differs if name == "allclose" else (),
    )


@forms.form(*_both("sign"))
def sign(match: Match) -> Outcome | None:
    """Write the sign, which is NaN for NaN."""
    known = whole_numbers(tensor_of(match))
    return None if known or match.given("out") else same(match, (*_SIGN, *unless_bool(match)))


@forms.form(*_both("logsumexp"))
def log_of_sum(match: Match) -> Outcome | None:
    """Return Paddle's `logsumexp`, which is NaN where all values are minus infinity."""
    if whole_numbers(tensor_of(match)) or match.given("out") or "dim" not in match:
        return None
    dims = match.constant("dim")
    if isinstance(dims, tuple | list) and len(dims) > _MOST_DIMENSIONS:
        return None
    text = f"paddle.logsumexp({first(match)}, {{dim}}, keepdim={{keepdim}})"
    return Rewrite(text, consumed=frozenset({"out"}), differs=_INFINITE)


@forms.form(*_both("remainder"))
def remainder(match: Match) -> Outcome | None:
    """Return the operator `%`."""
    if match.given("out") or dtypes.may_differ(tensor_of(match), match.value("other")):
        return None
    if match.use.receiver is None and not isinstance(match.value("input"), Tensor):
        return None
    return Rewrite(f"({first(match)} % {{other}})", consumed=frozenset({"out"}))


@forms.form(*(f"torch.bitwise_{name}" for name in ("and", "or", "xor")))
def bitwise(match: Match) -> Outcome | None:
    """Keep the call for two tensors; Paddle itself raises for different dtypes."""
    mine, other = match.value("input"), match.value("other")
    if match.given("out") or isinstance(mine, Plain) or isinstance(other, Plain):
        return None
    if isinstance(mine, Tensor) and isinstance(other, Tensor):
        return None if dtypes.differ(mine.dtype, other.dtype) else same(match)
    return same(match)


# Dtypes whose NaN Paddle replaces.
_REPLACED = frozenset({None, "float32", "float64", "floating"})


@forms.form(*_both("nan_to_num"))
def replaced(match: Match) -> Outcome | None:
    """Keep the call for floats, with the same arguments."""
    mine = tensor_of(match)
    if whole_numbers(mine) or match.given("out"):
        return None
    known = isinstance(mine, Tensor) and mine.dtype is not None
    if isinstance(mine, Tensor) and mine.dtype not in _REPLACED:
        return None
    return same(match, () if known else _WHOLE)


@forms.form(*_both("addmm", "baddbmm"))
def multiplied(match: Match) -> Outcome | None:
    """Keep the call for floats; Paddle adds no tensor of fewer dimensions to batches."""
    names = ("input", "mat1", "mat2", "batch1", "batch2")
    known = [tensor_of(match), *(match.value(name) for name in names if name in match)]
    unlike = any(dtypes.may_differ(known[0], one) for one in known[1:])
    if match.given("out") or unlike or any(map(whole_numbers, known)):
        return None
    own = first(match)
    if match.use.name.endswith("baddbmm"):
        return Rewrite(_added(match, own), consumed=frozenset({"out", "beta", own.strip("{}")}))
    text = f"paddle.addmm({own}, {{mat1}}, {{mat2}}, beta={{beta}}, alpha={{alpha}})"
    return Rewrite(text, consumed=frozenset({"out"}))


def _added(match: Match, own: str) -> str:
    """Return a sum of products; with `beta=0`, torch ignores the values that it is added to."""
    product = "paddle.bmm({batch1}, {batch2})"
    product = f"{{alpha}} * {product}" if match.given("alpha") else product
    if match.constant("beta", 1) == 0:
        return product
    return f"{{beta}} * {own} + {product}" if match.given("beta") else f"{own} + {product}"


@forms.form(*_both("diff"))
def steps(match: Match) -> Outcome | None:
    """Write the differences of numbers, without values before or after them."""
    if whole_numbers(tensor_of(match)) or match.given("out", "prepend", "append", "n"):
        return None
    text = f"paddle.diff({first(match)}, axis={{dim}})"
    return Rewrite(text, consumed=frozenset({"out", "prepend", "append", "n"}))


@forms.form("torch.normal")
def drawn(match: Match) -> Outcome | None:
    """Draw from numbers and a size; from tensors, Paddle's result would have gradients."""
    if match.given("generator", "out", "dtype", "layout", "requires_grad", "pin_memory"):
        return None
    if not {"mean", "std", "size"} <= match.arguments.keys():
        return None
    free = {"device", "generator", "out", "dtype", "layout", "requires_grad", "pin_memory"}
    text = "paddle.normal({mean}, {std}, {size})"
    return Rewrite(text, consumed=frozenset(free), differs=_DRAWS)


@forms.form("torch.linalg.norm", "torch.linalg.vector_norm")
def length(match: Match) -> Outcome | None:
    """Write the length along one dimension."""
    if match.given("out", "dtype") or isinstance(match.constant("ord", 2), str):
        return None
    if type(match.constant("dim", None)) is not int:
        return None
    if match.given("ord") and not match.is_number("ord"):
        return None
    order = "{ord}" if match.given("ord") else "2"
    text = f"paddle.linalg.vector_norm({{input}}, {order}, {{dim}}, keepdim={{keepdim}})"
    return Rewrite(text, consumed=frozenset({"out", "dtype", "ord"}))


@forms.form("torch.histc", "torch.Tensor.histc")
def histogram(match: Match) -> Outcome | None:
    """Cast the counts, which are integers in Paddle."""
    node = match.use.receiver or match.arguments["input"].node
    dtype = dtype_of(node)
    if match.use.kind is not UseKind.CALL or match.given("out") or dtype is None:
        return None
    text = f"paddle.histogram({first(match)}, {{bins=100}}, {{min=0}}, {{max=0}}).astype({dtype})"
    return Rewrite(text, consumed=frozenset({"out"}))


_OF_REAL = unless("a tensor of real numbers raises an error in {target}; it is its own real part")


@forms.form("torch.real")
def real_part(match: Match) -> Outcome | None:
    """Write the real part of what may be complex."""
    value = match.value("input")
    kind = dtypes.kind(value.dtype) if isinstance(value, Tensor) else None
    if kind not in {None, 3}:
        return None
    return Rewrite("paddle.real({input})", differs=_OF_REAL if kind is None else ())


@forms.form("torch.linalg.svd")
def singular(match: Match) -> Outcome | None:
    """Keep the three factors if they are unpacked; Paddle's have no names."""
    if not is_unpacked(match) or match.given("driver", "out") or "A" not in match:
        return None
    return Rewrite(
        "paddle.linalg.svd({A}, full_matrices={full_matrices=True})",
        consumed=frozenset({"driver", "out"}),
        caveat=FACTOR_SIGNS,
    )


_SIZE = unless("it prints as a tuple, in torch as a `torch.Size`")


@forms.form("torch.broadcast_shapes")
def shape_of_all(match: Match) -> Outcome | None:
    """Write a tuple, as torch's sizes are; Paddle takes no number for a shape."""
    shapes = match.arguments.get("shapes")
    if shapes is not None and Plain("int") in shapes.values:
        return None
    written = "tuple(paddle.broadcast_shapes(*{shapes}))"
    return Rewrite(written, differs=_SIZE) if "shapes" in match else None


@forms.form("torch.dtype.is_floating_point")
def is_floating(match: Match) -> Outcome | None:
    """Test a tensor, since Paddle's dtypes do not know whether they are floating."""
    node = match.use.receiver
    if match.use.kind is not UseKind.READ:
        return None
    if isinstance(node, ast.Attribute) and node.attr == "dtype" and dtype_of(node.value):
        return Rewrite(
            "paddle.is_floating_point({tensor})", texts={"tensor": ast.unparse(node.value)}
        )
    denied = any(
        isinstance(part, ast.UnaryOp) and part.operand is match.use.node
        for part in ast.walk(match.use.statement)
    )
    if denied:  # linters reject `not x in y`
        return None
    return Rewrite("({self} in (paddle.float32, paddle.float64, paddle.float16, paddle.bfloat16))")


@forms.form("torch.promote_types")
def promoted(match: Match) -> Outcome | None:
    """Return the dtype that a sum of both dtypes has.

    If one is float32 and the other unknown, the result is float32 or a wider floating dtype.
    """
    if not {"type1", "type2"} <= match.arguments.keys():
        return None
    for mine, other in (("type1", "type2"), ("type2", "type1")):
        dtype = dtypes.of_value(match.value(other))
        if dtype == "float32" and dtypes.of_value(match.value(mine)) is None:
            wider = "(paddle.float64, paddle.complex64, paddle.complex128)"
            text = f"({{{mine}}} if {{{mine}}} in {wider} else paddle.float32)"
            return Rewrite(text, consumed=frozenset({other}))
    kinds = {dtypes.kind(dtypes.of_value(match.value(one))) for one in ("type1", "type2")}
    if not kinds.isdisjoint({0, 1}):
        return None
    return Rewrite(
        "(paddle.empty(0, dtype={type1}) + paddle.empty(0, dtype={type2})).dtype",
        differs=(Difference.UNLIKE_DTYPES,) if None in kinds else (),
    )


@forms.form(_T + "new_tensor")
def of_its_dtype(match: Match) -> Outcome | None:
    """Create new numbers in a tensor's dtype."""
    if match.given("requires_grad", "layout", "pin_memory") or isinstance(
        match.value("data"), Tensor
    ):
        return None
    dtype = "{dtype}" if match.given("dtype") else "{self}.dtype"
    free = frozenset({"dtype", "requires_grad", "layout", "pin_memory"})
    return Rewrite(f"paddle.tensor({{data}}, dtype={dtype}, device={{device}})", consumed=free)


# Functions that create a tensor to which nothing else refers.
_MAKERS = frozenset({"empty", "new_empty", "empty_like", "zeros", "new_zeros", "zeros_like"})


@forms.form(_T + "bernoulli_")
def drawn_into_new(match: Match) -> Outcome | None:
    """Write `x.new_empty(shape).bernoulli_(p)` for a tensor that nothing else holds yet."""
    made, chance = match.use.receiver, match.value("p")
    is_new = isinstance(made, ast.Call) and ast.unparse(made.func).rpartition(".")[2] in _MAKERS
    if not is_new or match.given("generator") or isinstance(chance, Tensor):
        return None
    if whole_numbers(match.use.receiver_value):
        return None
    return Keep(differs=_DRAWS)
