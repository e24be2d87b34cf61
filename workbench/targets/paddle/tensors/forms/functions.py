"""Functions of tensors that Paddle has under another name, or under torch's in `paddle.compat`."""

from __future__ import annotations

import ast

from workbench.rules.difference import Differs, at, unless
from workbench.rules.forms import FormSet
from workbench.rules.match import NOT_CONSTANT, Argument, Match
from workbench.rules.outcome import Keep, Outcome, Rewrite
from workbench.rules.same import shows_views
from workbench.source.tree import is_path
from workbench.source.types import dtypes
from workbench.source.types.lattice import (
    HALVES,
    UNKNOWN,
    ForeignInstance,
    Items,
    Plain,
    Tensor,
    Value,
    has_unlike_tensors,
)
from workbench.targets.paddle.common.either import (
    first,
    is_bool,
    tensor_of,
    unless_bool,
)
from workbench.targets.paddle.common.promotion import LOUD
from workbench.targets.paddle.tensors.forms.inplace import whole_numbers
from workbench.targets.paddle.tensors.forms.operators import cast_of
from workbench.targets.paddle.tensors.rules.operators import dtype_of

forms = FormSet(since="3.3")
_T = "torch.Tensor."
_CORNER = at("the maximum or minimum along a dimension ignores NaN in {target}; in torch it is NaN")
_BOUND = at("a bound of clamp that is a tensor raises an error in {target}")
_UNEVEN = unless(
    "if the length is not divisible by the number of chunks: chunk raises an error in {target}"
)
UNBOUNDED = at("the gradient of clamp with one bound at infinity is 0 in {target}, 1 in torch")
_ONE_COUNT = unless(
    "if the tensor of repeats has one element for several values: {target} raises an error"
)
_WHOLE = at("einsum of integers, or of operands with different dtypes, raises an error in {target}")
_BYTES = at("a uint8 or int8 tensor raises an error in {target} if its indices are requested")
_TIES = at("the gradient of a maximum or minimum is divided differently among equal values")
# Dtypes for which Paddle has no kernel that repeats values.
_WITHOUT_PLACES = frozenset({"uint8", "int8"})
_NEVER_REPEATED = frozenset(
    {"bool", "uint8", "int8", "int16", "complex", "complex64", "complex128"}
)


@forms.form("torch.einsum")
def einsum(match: Match) -> Outcome | None:
    """Return the same einsum for floating operands, which may be separate or in a list."""
    given = match.arguments.get("operands")
    operands = given.values if given is not None else []
    listed: list[ast.expr] = []
    if len(operands) == 1 and given is not None and isinstance(given.node, ast.List | ast.Tuple):
        listed = given.node.elts
        operands = list(operands[0].items or ()) if isinstance(operands[0], Items) else []
    if given is not None and not listed and _is_listed(given):
        texts, consumed = {"all": ast.unparse(given.node)}, frozenset({"operands"})
        return Rewrite("paddle.einsum({equation}, *{all})", texts, consumed, differs=_WHOLE)
    nodes = listed or (given.nodes if given is not None else [])
    if (cast := _of_integers(nodes, operands)) is not None:
        return cast
    if not operands or any(isinstance(one, Items) or whole_numbers(one) for one in operands):
        return None
    if any(dtypes.may_differ(operands[0], one) for one in operands[1:]):
        return None
    letters = {letter for letter in str(match.constant("equation", "")) if letter.isalpha()}
    if isinstance(match.value("equation"), Tensor):
        return None
    equation = str(match.constant("equation", ""))
    summed, _, kept = equation.partition("->")
    if "->" in equation and "..." in summed and "..." not in kept:
        return None  # Paddle does not sum over the dimensions of an ellipsis
    large = {letter for letter in letters if letter.isupper()}
    if large and ("->" not in equation or not letters.isdisjoint(map(str.lower, large))):
        return None  # Paddle does not distinguish `i` and `I`
    known = all(isinstance(one, Tensor) and one.dtype is not None for one in operands)
    differs = () if known else _WHOLE
    if not listed:
        return Rewrite("paddle.einsum", callee_only=True, differs=differs)
    if any(isinstance(one, ast.Starred) for one in listed):
        return None
    return Rewrite("paddle.einsum({equation}, **{operands})", differs=differs)


def _of_integers(nodes: list[ast.expr], operands: list[Value]) -> Rewrite | None:
    """Return an einsum of floats and variables of integers, which are cast."""
    if len(nodes) != len(operands):
        return None
    kinds = [dtypes.kind(one.dtype) if isinstance(one, Tensor) else None for one in operands]
    named = [dtype_of(node) for node, kind in zip(nodes, kinds, strict=True) if kind == 2]
    if set(kinds) != {1, 2} or named[0] is None:
        return None
    texts = {}
    for place, (node, kind) in enumerate(zip(nodes, kinds, strict=True)):
        if any(isinstance(part, ast.Call | ast.Starred) for part in ast.walk(node)):
            return None  # a call may be one of torch
        cast = f".astype({named[0]})" if kind == 1 else ""
        texts[f"part{place}"] = f"{ast.unparse(node)}{cast}"
    parts = ", ".join(f"{{{name}}}" for name in texts)
    text = f"paddle.einsum({{equation}}, {parts})"
    return Rewrite(text, texts, consumed=frozenset({"operands"}))


def _is_listed(given: Argument) -> bool:
    """Return whether one variable holds all operands in a list."""
    value = given.value
    if len(given.nodes) > 1 or not isinstance(given.node, ast.Name):
        return False
    return isinstance(value, Items) and value.kind == "list" and not whole_numbers(value.item)


_ADDED = at("index_add of bools, short integers and complex numbers raises an error in {target}")


@forms.form("torch.index_add", _T + "index_add")
def index_add(match: Match) -> Outcome | None:
    """Write the places before the dimension, and the factor at the values that are added."""
    value, source = match.use.receiver_value, match.value("source")
    value = value if match.use.receiver is not None else match.value("input")
    dtype = value.dtype if isinstance(value, Tensor) else None
    plain = {None, dtypes.FLOATING, "float32", "float64", "int32", "int64"}
    if dtype not in plain or match.given("out") or type(match.constant("dim")) is not int:
        return None
    if getattr(value, "scalar", False) or (match.given("alpha") and whole_numbers(source)):
        return None
    added = "{source} * {alpha}" if match.given("alpha") else "{source}"
    text = f"paddle.index_add({first(match)}, {{index}}, {{dim}}, {added})"
    consumed = frozenset({"alpha", "out"})
    return Rewrite(text, consumed=consumed, differs=_ADDED if dtype is None else ())


@forms.form("torch.meshgrid")
def meshgrid(match: Match) -> Outcome | None:
    """Keep meshgrid; Paddle ends the process if one of two grids with gradients is unused."""
    operands = match.arguments["tensors"].values if "tensors" in match else []
    if any(isinstance(one, Tensor) and one.recorded for one in operands):
        return None
    return Rewrite("paddle.meshgrid", callee_only=True)


@forms.form("torch.clamp", "torch.clip", value="paddle.clip", partial=True)
def clamp(match: Match) -> Outcome | None:
    """Write a clamp between numbers; Paddle accepts torch's names for them."""
    if "out" in match or not _clamps(match, match.value("input")):
        return None
    text = f"paddle.{match.use.name.rpartition('.')[2]}"
    return Rewrite(text, callee_only=True, differs=one_sided(match))


@forms.form(_T + "clamp", _T + "clip")
def clamp_of(match: Match) -> Outcome | None:
    """Write the method of a tensor."""
    if not _clamps(match, match.use.receiver_value):
        return None
    return Keep(differs=one_sided(match))


def one_sided(match: Match) -> Differs:
    """Return the differences of a clamp: without one bound, Paddle uses the largest number."""
    whole = whole_numbers(match.value("input")) or whole_numbers(match.use.receiver_value)
    both = match.given("min") and match.given("max")
    known = all(match.is_number(name) for name in ("min", "max") if match.given(name))
    return (*(() if both or whole else UNBOUNDED), *(() if known else _BOUND))


def _clamps(match: Match, tensor: Value) -> bool:
    """Return whether the bounds are numbers, which whole numbers have to be for whole numbers."""
    bounds = [match.value(name) for name in ("min", "max") if name in match]
    if any(isinstance(one, Tensor) for one in bounds):
        return False
    return not whole_numbers(tensor) or Plain("float") not in bounds


def _places(match: Match) -> Outcome | None:
    """Return the positions of nonzero values; Paddle lacks a kernel for uint8, as of old masks."""
    condition = match.value("condition")
    dtype = condition.dtype if isinstance(condition, Tensor) else None
    if dtype in _WITHOUT_PLACES or (dtype is None and match.program.calls("byte", "ByteTensor")):
        return Rewrite("paddle.where({condition} != 0)")
    return Rewrite("paddle.where({condition})", differs=_BYTES if dtype is None else ())


@forms.form("torch.where")
def where(match: Match) -> Outcome | None:
    """Return Paddle's `where`, with an integer next to a floating tensor written as a float."""
    if match.arguments.keys() == {"condition"}:
        return _places(match)
    if "out" in match or not match.arguments.keys() >= {"condition", "input", "other"}:
        return None
    first, second = match.value("input"), match.value("other")
    condition = match.value("condition")
    if isinstance(condition, Tensor) and condition.dtype not in (None, "bool"):
        return None
    if dtypes.unlike(first, second):
        return _of_unlike(match)
    texts = {}
    for name, opposite in (("input", second), ("other", first)):
        number = match.constant(name, None)
        if type(number) is not int or match.is_number("other" if name == "input" else "input"):
            continue
        if not isinstance(opposite, Tensor) or opposite.dtype is None:
            filled, mask = ("{other}", "") if name == "input" else ("{input}", "~")
            return Rewrite(f"{filled}.masked_fill({mask}{{condition}}, {{{name}}})")
        if dtypes.kind(opposite.dtype) == 2:
            texts[name] = repr(float(number))
        elif opposite.dtype != "int64":
            return None
    if Plain("float") in (first, second) and (whole_numbers(first) or whole_numbers(second)):
        return None
    kinds = {dtypes.kind(one.dtype) for one in (first, second) if isinstance(one, Tensor)}
    numbers = any(isinstance(one, Plain) for one in (first, second))
    differs = LOUD if None in kinds and kinds != {None, 3} and not numbers else ()
    return Rewrite("paddle.where({condition}, {input}, {other})", texts=texts, differs=differs)


def _of_unlike(match: Match) -> Outcome | None:
    """Return a choice between tensors of different dtypes, one of which is cast."""
    names = ("input", "other")
    nodes = [match.arguments[name].node for name in names]
    values = [match.value(name) for name in names]
    written = [f"{{{name}}}" for name in names]
    cast = cast_of(nodes, values)
    if cast is None:
        return None
    written[cast[0]] += f".astype({cast[1]})"
    return Rewrite(f"paddle.where({{condition}}, {', '.join(written)})")


_UNKNOWN_LIST = unless(
    "tensors of several dtypes in the list, or `torch.tensor([])` next to tensors of more"
    " dimensions, raise an error in {target}"
)


@forms.form("torch.cat", "torch.concat", "torch.concatenate", value="paddle.cat", partial=True)
def cat(match: Match) -> Outcome | None:
    """Join tensors of one dtype."""
    tensors = match.value("tensors")
    items = tensors.items or (tensors.item,) if isinstance(tensors, Items) else ()
    if "out" in match or any(isinstance(one, Tensor) and one.empty for one in items):
        return None
    if any(dtypes.unlike(one, other) for one in items for other in items):
        return None
    if has_unlike_tensors(tensors):
        return None
    open_ = tensors is UNKNOWN or isinstance(tensors, ForeignInstance)
    differs = _UNKNOWN_LIST if open_ and match.given("tensors") else ()
    return Rewrite("paddle.cat", callee_only=True, differs=differs)


def _has_no_order(value: Value) -> bool:
    """Return whether Paddle refuses to find the extremes of a tensor by dimension."""
    return isinstance(value, Tensor) and (value.dtype == "bool" or value.dtype in HALVES)


def extreme(match: Match) -> Outcome | None:
    """Write `paddle.compat`, which has values and indices by dimension, or takes two tensors."""
    name = match.use.name.rpartition(".")[2]
    if "out" in match:
        return _written_larger(match, name)
    if is_bool(match.value("input")):
        return None
    if not match.arguments.keys() - {"input"}:
        return Rewrite(f"paddle.{name}({{input}})")
    if _has_no_order(match.value("input")):
        return None
    if "other" in match or isinstance(match.value("dim"), Tensor):
        other = match.value("other" if "other" in match else "dim")
        if dtypes.may_differ(match.value("input"), other):
            return None
        parameter = "other" if "other" in match else "dim"
        return Rewrite(f"paddle.{name}imum({{input}}, {{{parameter}}})")
    if match.use.keywords.keys() & {"axis", "keepdims"}:  # NumPy's names, which torch accepts too
        text = f"paddle.compat.{name}({{input}}, dim={{dim}}, keepdim={{keepdim}})"
        return Rewrite(text, differs=_CORNER)
    return _compat(name)


for _name in ("max", "min"):
    forms.form(f"torch.{_name}", value=f"paddle.compat.{_name}")(extreme)


def _written_larger(match: Match, name: str) -> Outcome | None:
    """Write `torch.max(x, y, out=x)` for two tensors, one of which is the output."""
    into = ast.dump(match.arguments["out"].node)
    other = next((one for one in ("other", "dim") if one in match), None)
    one = "other" in match or into == ast.dump(match.arguments["input"].node)
    if other is None or not one or "keepdim" in match:
        return None
    if dtypes.may_differ(match.value("input"), match.value(other)):
        return None
    return Rewrite(f"paddle.{name}imum({{input}}, {{{other}}}, out={{out}})")


def _compat(name: str) -> Outcome:
    return Rewrite(f"paddle.compat.{name}", callee_only=True, differs=_CORNER)


@forms.form(_T + "max", _T + "min")
def extreme_of(match: Match) -> Outcome | None:
    """Return `max` or `min` of a tensor; Paddle's own method returns values only."""
    name = match.use.name.rpartition(".")[2]
    mine = match.use.receiver_value
    if is_bool(mine):
        return None
    if not match.arguments:
        return Keep()
    if _has_no_order(mine):
        return None
    if "other" in match or isinstance(match.value("dim"), Tensor):
        other = "other" if "other" in match else "dim"
        if dtypes.may_differ(mine, match.value(other)):
            return None
        return Rewrite(f"paddle.{name}imum({{self}}, {{{other}}})")
    known = match.is_number("dim") or match.constant("dim", 0) is not None
    text = f"paddle.compat.{name}({{self}}, dim={{dim}}, keepdim={{keepdim}})"
    return Rewrite(text, differs=_CORNER) if known and "dim" in match else None


@forms.form("torch.amax", "torch.amin")
def largest(match: Match) -> Outcome | None:
    """Reduce one dimension; over several, Paddle's gradient may be arbitrary."""
    if match.given("out") or is_bool(match.value("input")):
        return None
    if not _along_one(match):
        return _one_by_one(match)
    name = match.use.name.rpartition(".")[2]
    if "keepdims" in match.use.keywords:
        text = f"paddle.{name}({{input}}, {{dim}}, keepdim={{keepdim}})"
        return Rewrite(text, differs=unless_bool(match))
    return Rewrite(f"paddle.{name}", callee_only=True, differs=unless_bool(match))


@forms.form(_T + "amax", _T + "amin")
def largest_of(match: Match) -> Outcome | None:
    """Write the method of a tensor."""
    if is_bool(match.use.receiver_value):
        return None
    if not _along_one(match):
        return _one_by_one(match)
    if "keepdims" in match.use.keywords:
        text = f"{{self}}.{match.use.name.rpartition('.')[2]}({{dim}}, keepdim={{keepdim}})"
        return Rewrite(text, differs=unless_bool(match))
    return Keep(differs=unless_bool(match))


def _one_by_one(match: Match) -> Outcome | None:
    """Write `x.amax((-2, -1))` as `x.amax(-2).amax(-1)`; gradients of equal values differ."""
    dims = match.constant("dim")
    if not isinstance(dims, tuple | list) or len({dim < 0 for dim in dims}) != 1:
        return None
    name = match.use.name.rpartition(".")[2]
    # The last dimension goes first, so that the others keep their numbers.
    ordered = sorted(dims, key=abs, reverse=True)
    text = "".join(f".{name}({dim}, keepdim={{keepdim}})" for dim in ordered)
    return Rewrite(first(match) + text, consumed=frozenset({"dim", "out"}), differs=_TIES)


def _along_one(match: Match) -> bool:
    """Return whether it is the largest of one dimension, or of all values."""
    return match.is_number("dim") or not match.arguments.keys() - {"input"}


@forms.form("torch.split", _T + "split")
def split(match: Match) -> Outcome | None:
    """Split by sizes, as torch does; the parts are copies."""
    if shows_views(match):
        return None
    if match.use.receiver is None:
        return Rewrite("paddle.compat.split", callee_only=True)
    size = next((one for one in ("split_size", "split_sizes") if one in match), None)
    if size is None:
        return None
    return Rewrite(f"paddle.compat.split({{self}}, {{{size}}}, dim={{dim}})")


@forms.form("torch.chunk", _T + "chunk")
def chunk(match: Match) -> Outcome | None:
    """Split into the given number of parts; they are copies.

    A count that the text does not show often does not divide the length.
    """
    if shows_views(match):
        return None
    if match.constant("chunks") is NOT_CONSTANT and (split := _split_evenly(match)) is not None:
        return split
    function = match.use.receiver is None
    chunks = Rewrite("paddle.chunk", callee_only=True, differs=_UNEVEN)
    return chunks if function else Keep(differs=_UNEVEN)


def _split_evenly(match: Match) -> Rewrite | None:
    """Split by the length of a part, as torch does, if the text may name the tensor twice."""
    tensor = match.arguments["input"].node if "input" in match else match.use.receiver
    dim = match.arguments["dim"].node if "dim" in match else ast.Constant(0)
    along = dim.operand if isinstance(dim, ast.UnaryOp) else dim
    if tensor is None or not is_path(tensor):
        return None
    if not isinstance(along, ast.Constant) and not is_path(along):
        return None
    size = f"-(-{first(match)}.shape[{ast.unparse(dim)}] // ({{chunks}}))"
    return Rewrite(f"paddle.compat.split({first(match)}, {size}, dim={{dim}})")


@forms.form("torch.sort", _T + "sort")
def sort(match: Match) -> Outcome | None:
    """Sort with values and indices, as `paddle.compat` returns them."""
    function = match.use.receiver is None
    mine = match.value("input") if function else match.use.receiver_value
    if isinstance(mine, Tensor) and mine.dtype in {"bool", "int8"}:
        return None
    if "out" in match:
        return None
    differs = unless_bool(match)
    if function and "axis" not in match.use.keywords:
        return Rewrite("paddle.compat.sort", callee_only=True, differs=differs)
    given = f"{first(match)}, dim={{dim}}, descending={{descending}}, stable={{stable}}"
    return Rewrite(f"paddle.compat.sort({given})", differs=differs)


@forms.form("torch.repeat_interleave", _T + "repeat_interleave")
def repeated(match: Match) -> Outcome | None:
    """Keep the call; Paddle raises for zero repeats and for short integers."""
    function = match.use.receiver is None
    mine = match.value("input") if function else match.use.receiver_value
    if "repeats" not in match or match.constant("repeats", 1) == 0:
        return None
    if isinstance(repeats := match.value("repeats"), Tensor) and repeats.scalar:
        return None
    if isinstance(mine, Tensor) and mine.dtype in _NEVER_REPEATED:
        return None
    if _is_of_one(match.arguments["repeats"].node):
        return None
    differs = _ONE_COUNT if isinstance(repeats, Tensor) else ()
    if function:
        return Rewrite("paddle.repeat_interleave", callee_only=True, differs=differs)
    return Keep(differs=differs)


def _is_of_one(node: ast.expr) -> bool:
    """Return whether an expression makes a tensor of one element: `torch.tensor([2])`."""
    match node:
        case ast.Call(args=[ast.List(elts=[_])]):
            return True
    return False


@forms.form("torch.randint")
def random_integers(match: Match) -> Outcome | None:
    """Rename the size to Paddle's shape and drop the device."""
    if match.given("generator", "out", "layout", "requires_grad", "pin_memory"):
        return None
    low, high, size = (name in match for name in ("low", "high", "size"))
    if size and low and high:
        text = "paddle.randint({low}, {high}, {size}"
    elif size and low:  # torch.randint(10, size=(3,))
        text = "paddle.randint(0, {low}, {size}"
    elif size and high:
        text = "paddle.randint(0, {high}, {size}"
    elif low and high and _is_size(match, "high"):
        text = "paddle.randint(0, {low}, {high}"
    else:
        return None
    if match.constant("device", None) not in (None, "cpu") and not _of_program(match):
        return None
    wide = not match.given("dtype") or dtypes.of_value(match.value("dtype")) in {"int32", "int64"}
    made = ", dtype={dtype})" if wide else ").astype({dtype})"
    return Rewrite(text + made, consumed=frozenset({"device"}))


def _is_size(match: Match, parameter: str) -> bool:
    node = match.arguments[parameter].node
    return match.is_sequence(parameter) or isinstance(node, ast.Tuple | ast.List)


def _of_program(match: Match) -> bool:
    """Return whether a device comes from the program, which makes everything where it runs."""
    return not isinstance(match.arguments["device"].node, ast.Constant)


@forms.form("torch.multinomial", "torch.bernoulli")
def sampled(match: Match) -> Outcome | None:
    """Keep the call."""
    if match.given("generator", "out") or getattr(match.value("input"), "recorded", False):
        return None
    return Rewrite(f"paddle.{match.use.name.rpartition('.')[2]}", callee_only=True)


@forms.form("torch.addcmul", "torch.addcdiv", _T + "addcmul", _T + "addcdiv")
def with_product(match: Match) -> Outcome | None:
    """Write `x.addcmul(a, b, value=v)` as the sum."""
    if "out" in match or match.arguments.keys() - {"input", "tensor1", "tensor2", "value"}:
        return None
    operands = (tensor_of(match), match.value("tensor1"), match.value("tensor2"))
    if any(dtypes.unlike(one, other) for one in operands for other in operands):
        return None
    tensor = first(match)
    sign = "*" if "mul" in match.use.name else "/"
    if "value" in match:
        return Rewrite(f"{tensor} + {{value}} * {{tensor1}} {sign} {{tensor2}}")
    return Rewrite(f"{tensor} + {{tensor1}} {sign} {{tensor2}}")
