"""Operators between tensors of different dtypes, for which Paddle raises: one operand is cast."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from workbench.rules.difference import at, unless
from workbench.rules.forms import FormSet
from workbench.rules.match import Match
from workbench.rules.outcome import Keep, Outcome, Rewrite
from workbench.source.types import dtypes
from workbench.source.types.lattice import (
    MIXED,
    UNKNOWN,
    ForeignInstance,
    Plain,
    Tensor,
    Value,
    of_halves,
)
from workbench.source.uses import UseKind
from workbench.targets.paddle.common.either import is_bool
from workbench.targets.paddle.common.promotion import LOUD, kind_of, unless_known
from workbench.targets.paddle.narrow import SHORT
from workbench.targets.paddle.tensors.forms import sparse
from workbench.targets.paddle.tensors.forms.inplace import whole_numbers
from workbench.targets.paddle.tensors.rules.operators import dtype_of

forms = FormSet()

_SIGNS = {
    "add": "+",
    "sub": "-",
    "subtract": "-",
    "mul": "*",
    "multiply": "*",
    "div": "/",
    "divide": "/",
    "true_divide": "/",
}
_COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">="})
_OPERATORS = {
    "add": "+",
    "radd": "+",
    "sub": "-",
    "rsub": "-",
    "mul": "*",
    "rmul": "*",
    "truediv": "/",
    "rtruediv": "/",
    "floordiv": "//",
    "mod": "%",
    "pow": "**",
    "eq": "==",
    "ne": "!=",
    "lt": "<",
    "le": "<=",
    "gt": ">",
    "ge": ">=",
}
_REFLECTED = frozenset({"radd", "rsub", "rmul", "rtruediv"})
_FLOORED = at(
    "a quotient that is rounded down has no gradient in {target}; in torch its gradient is zero"
)
_FLOATING_MASK = unless(
    "the mask counts as float32 here: {target} raises an error if the other operand is a tensor of"
    " integers; with half precision, or with one Python integer, the result is float32"
)


@forms.form(*(f"torch.Tensor.{name}" for name in _SIGNS))
def arithmetic(match: Match) -> Outcome | None:
    """Write `grad.mul(group["lr"])` as an operator; Paddle's methods accept only tensors."""
    mine, other = match.use.receiver_value, match.value("other")
    sign = _SIGNS[match.use.name.rpartition(".")[2]]
    if match.use.kind is not UseKind.CALL or (isinstance(mine, Tensor) and mine.dtype == "bool"):
        return None
    if match.given("rounding_mode"):
        return _floored(match) if match.constant("rounding_mode") == "floor" else None
    if isinstance(other, Plain) and sign != "/":
        return None
    if isinstance(other, Tensor) or match.given("alpha"):
        if dtypes.may_differ(mine, other):
            return None if match.given("alpha") else cast_operands(match, sign, "self", "other")
        differs = unless_known(mine, other)
        if _factor_comes_first(match):
            name = match.use.name.rpartition(".")[2]
            return Rewrite(f"{{self}}.{name}({{other}}, alpha={{alpha}})", differs=differs)
        return Keep(differs=differs)
    return Rewrite(f"{{self}} {sign} {{other}}", consumed=frozenset(match.arguments) - {"other"})


def _factor_comes_first(match: Match) -> bool:
    """Return whether it is called as it once was: `x.add(2, y)` for `x + 2 * y`."""
    factor, other = match.arguments.get("alpha"), match.arguments.get("other")
    return bool(factor and other and factor.indexes[0] < other.indexes[0])


@forms.form(
    *(f"torch.{name}" for name in _SIGNS if "div" not in name),
    tried=True,
)
def of_functions(match: Match) -> Outcome | None:
    """Write `torch.mul(mask, x)` of different dtypes as an operator; others are the same call."""
    if not {"input", "other"} <= match.arguments.keys() or match.given("out", "alpha"):
        return None
    sign = _SIGNS[match.use.name.rpartition(".")[2]]
    return cast_operands(match, sign, "input", "other")


@forms.form("torch.div", "torch.divide", "torch.true_divide")
def quotient(match: Match) -> Outcome | None:
    """Divide with an operator; Paddle rejects plain numbers, as in `torch.div(1.0, x)`."""
    pair = (match.value("input"), match.value("other"))
    if match.given("out") or any(map(is_bool, pair)):
        return None
    if dtypes.unlike(*pair):
        return None if match.given("rounding_mode") else cast_operands(match, "/", "input", "other")
    if not match.given("rounding_mode"):
        return Rewrite("{input} / {other}", consumed=frozenset({"rounding_mode", "out"}))
    if match.constant("rounding_mode") != "floor":
        return None
    whole = whole_numbers(match.value("input"))
    differs = () if whole else _FLOORED
    return Rewrite("{input} // {other}", consumed=frozenset({"rounding_mode"}), differs=differs)


def _floored(match: Match) -> Outcome:
    """Write `x.div(n, rounding_mode="floor")` as an operator."""
    differs = () if whole_numbers(match.use.receiver_value) else _FLOORED
    return Rewrite(
        "{self} // {other}", consumed=frozenset(match.arguments) - {"other"}, differs=differs
    )


@forms.form(*(f"torch.Tensor.__{name}__" for name in _OPERATORS))
def operate(match: Match) -> Outcome | None:
    """Cast integers and bools in `x * mask`, since Paddle promotes only other kinds.

    No cast is right for an unknown dtype. A product with a probable mask takes a form that promotes
    any dtype; other operators stay and are reported.
    """
    use = match.use
    if use.kind is not UseKind.OPERATOR or use.receiver is None or "other" not in match:
        return None
    name = use.name.rpartition(".")[2].strip("_")
    sign = _OPERATORS[name]
    nodes = [use.receiver, match.arguments["other"].node]
    values = [use.receiver_value, match.value("other")]
    if name in _REFLECTED:
        nodes.reverse()
        values.reverse()
    written = ["{self}", "{other}"] if nodes[0] is use.receiver else ["{other}", "{self}"]
    of_sparse = sparse.operator(sign, values, written)
    if of_sparse is not None:
        return of_sparse
    if any(map(of_halves, values)) or _is_left_to_the_rule(sign, values):
        return None
    cast = cast_of(nodes, values)
    if cast is not None:
        side, dtype = cast
        if _lacks_kernel(sign, values[1 - side]):
            return None
        written[side] += f".astype({dtype})"
        return Rewrite(f" {sign} ".join(written))
    return _of_unknown(match, sign, nodes, values, written)


def _is_left_to_the_rule(sign: str, values: list[Value]) -> bool:
    """Return whether an operand is of NumPy, or of a dtype that Paddle divides differently."""
    kinds = [dtypes.kind(one.dtype) for one in values if isinstance(one, Tensor)]
    if sign == "//" or any(isinstance(one, ForeignInstance) for one in values):
        return True
    if sign in {"%", "**"}:
        return None in kinds or kinds.count(2) != 1
    return sign == "/" and kinds == [0, 0]


def _of_unknown(
    match: Match, sign: str, nodes: list[ast.expr], values: list[Value], written: list[str]
) -> Outcome | None:
    """Return an operator of values of which at least one dtype is unknown."""
    kinds = [kind_of(value) for value in values]
    tensors = [value for value in values if isinstance(value, Tensor)]
    if None not in kinds:
        return Keep() if 3 in kinds else None
    if all(map(_is_of_truths, nodes, kinds)):
        return Keep()
    likely = any(map(_is_masklike, nodes, values)) or _outer(*nodes) or 0 in kinds or 1 in kinds
    if sign == "/" and (isinstance(values[0], Plain) or not isinstance(values[1], Tensor)):
        return None if match.program.calls("set_default_dtype") else Keep()
    for side in (0, 1):
        other_floats = kinds[1 - side] == 2 and kinds[side] is None
        whole = any(one.whole for one in tensors)
        scales = sign == "*" or (sign == "/" and side == 1)
        if other_floats and ((scales and likely) or (sign in "+-" and whole)):
            written[side] = f"({written[side]} * 1.0)" if side else f"{written[side]} * 1.0"
            return Rewrite(f" {sign} ".join(written))
    if sign == "*" and _have_one_dtype(*nodes):
        return Keep()
    if sign in "*/" and (masked := _of_a_mask(sign, nodes, values, written)) is not None:
        return masked
    if sign in _COMPARISONS or sign in "+-" or not likely:
        known = len(tensors) == 2 and not any(MIXED in one.states for one in tensors)
        return Keep(differs=LOUD) if known else None
    if len(tensors) == 2 and any(one.scalar for one in tensors):
        return Keep()  # Paddle promotes any dtype of a tensor without dimensions
    helper = {"*": "torch_multiplied", "/": "torch_divided"}[sign]
    return Rewrite(f"{helper}({', '.join(written)})")


# Names of values that are often whole numbers.
_WHOLE_NUMBERS = re.compile(
    r"(^|_)(y|gt|seg|ids?|idx|ind(ex|exes|ices)|labels?|targets?|tokens?|classes|counts?|lengths?"
    r"|lens?|steps?|n|num|pos|positions?|masks|valid|done|dones|one_?hot)\d*(_|$)"
)


def _of_a_mask(
    sign: str, nodes: list[ast.expr], values: list[Value], written: list[str]
) -> Rewrite | None:
    """Return a product of a mask by its name and a factor of a usual name, or such a quotient."""
    named = [_names_mask(node, counted=sign == "/") for node in nodes]
    if sign == "/" and named[0]:
        return None
    if named.count(True) != 1 or not all(map(_may_be_floating, values)):
        return None
    side = named.index(True)
    other = nodes[1 - side]
    while isinstance(other, ast.Subscript | ast.Call):
        other = other.value if isinstance(other, ast.Subscript) else other.func
    if not isinstance(other, ast.Name | ast.Attribute | ast.BinOp) or kind_of(values[1 - side]):
        return None
    parts = [part for part in ast.walk(other) if isinstance(part, ast.Name | ast.Attribute)]
    names = [getattr(part, "attr", getattr(part, "id", "")) for part in parts]
    names = [name for name in names if not name.endswith("mask")]
    if not names or any(map(_WHOLE_NUMBERS.search, names)):
        return None
    text = list(written)
    text[side] = f"({text[side]} * 1.0)" if side else f"{text[side]} * 1.0"
    return Rewrite(f" {sign} ".join(text), differs=_FLOATING_MASK)


def _names_mask(node: ast.expr, *, counted: bool) -> bool:
    """Return whether a name says that this is a mask, or what its places amount to (`counted`)."""
    methods = _RESHAPING | _COUNTING if counted else _RESHAPING
    while isinstance(node, ast.Subscript | ast.Call | ast.UnaryOp):
        if isinstance(node, ast.Subscript):
            if str(getattr(node.slice, "value", "")).endswith("mask"):
                return True
            node = node.value
        elif isinstance(node, ast.UnaryOp):
            if not isinstance(node.op, ast.Invert):
                return False
            node = node.operand
        elif isinstance(node.func, ast.Attribute) and node.func.attr in methods:
            node = node.func.value
        else:
            return False
    return str(getattr(node, "attr", getattr(node, "id", ""))).endswith("mask")


_RESHAPING = frozenset({"unsqueeze", "squeeze", "view", "reshape", "expand", "expand_as"})
_COUNTING = frozenset({"sum", "clamp", "clamp_min"})


def _may_be_floating(value: Value) -> bool:
    """Return whether nothing but the name of a mask says that a value is of whole numbers."""
    return value is UNKNOWN or (
        isinstance(value, Tensor) and value.dtype in {None, "bool"} and MIXED not in value.states
    )


def _have_one_dtype(first: ast.expr, second: ast.expr) -> bool:
    """Return whether one factor is cast to the dtype of the other: `mask.to(x) * x`."""
    for node, other in ((first, second), (second, first)):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        given = [*node.args, *(one.value for one in node.keywords)]
        if node.func.attr not in {"to", "type_as", "type"} or len(given) != 1:
            continue
        if ast.unparse(given[0]) in {ast.unparse(other), f"{ast.unparse(other)}.dtype"}:
            return isinstance(other, ast.Name | ast.Attribute)
    return False


def _lacks_kernel(sign: str, value: Value) -> bool:
    """Return whether Paddle lacks the operator for a tensor's dtype, of short integers."""
    short = isinstance(value, Tensor) and value.dtype in SHORT
    return short and sign not in _COMPARISONS and sign != "+"


def cast_operands(match: Match, sign: str, first: str, second: str) -> Rewrite | None:
    """Return an operator between two arguments of which one is cast, or None if none may be."""
    given = match.arguments
    receiver = match.use.receiver if first == "self" else None
    nodes = [given[first].node if receiver is None else receiver, given[second].node]
    values = [match.use.receiver_value if receiver else match.value(first), match.value(second)]
    written = [f"{{{first}}}", f"{{{second}}}"]
    if sign == "/" and 2 not in set(map(kind_of, values)):
        return None
    cast = cast_of(nodes, values)
    if cast is None or _lacks_kernel(sign, values[1 - cast[0]]):
        return None
    written[cast[0]] += f".astype({cast[1]})"
    return Rewrite(f"({f' {sign} '.join(written)})", consumed=frozenset(given) - {first, second})


def cast_of(nodes: Sequence[ast.expr], values: Sequence[Value]) -> tuple[int, str] | None:
    """Return which of two operands torch promotes and to which dtype, or None if both may stay."""
    for side in (0, 1):
        dtype = _cast_to(nodes[side], values[side], nodes[1 - side], values[1 - side])
        if dtype is not None:
            return side, dtype
    return None


def _cast_to(node: ast.expr, value: Value, other: ast.expr, other_value: Value) -> str | None:
    """Return the dtype to which torch promotes one operand, or None if it may stay."""
    mine, its = kind_of(value), kind_of(other_value)
    if not isinstance(value, Tensor) or not isinstance(other_value, Tensor):
        return None
    if mine not in {0, 1} or its == 3:
        return None
    # A tensor with dimensions keeps its dtype.
    if mine == its and other_value.scalar and not value.scalar:
        return None
    if its is None:
        alike = mine == 1 or MIXED in other_value.states
        return None if alike else dtype_of(other)  # all other dtypes are wider than bool
    if its == 2:
        literal = "float32" if other_value.dtype == dtypes.FLOATING else other_value.dtype
        return dtype_of(other) or f'"{literal}"'
    wider = dtypes.promote(value.dtype, other_value.dtype)
    return dtype_of(other) or f'"{wider}"' if wider == other_value.dtype != value.dtype else None


def _outer(*nodes: ast.expr) -> bool:
    """Return whether both sides are given a dimension: `t[:, None] * frequencies[None, :]`."""
    return all(
        isinstance(node, ast.Subscript)
        and isinstance(node.slice, ast.Tuple)
        and any(isinstance(one, ast.Constant) and one.value is None for one in node.slice.elts)
        for node in nodes
    )


def _is_masklike(node: ast.expr, value: Value) -> bool:
    """Return whether a name says that these are truth values, or integers as labels are.

    What is inverted, as in `~done`, is one or the other.
    """
    if isinstance(value, Tensor) and (value.whole or MIXED in value.states):
        return True
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert):
        return True
    while isinstance(node, ast.Subscript):
        if str(getattr(node.slice, "value", "")).endswith("mask"):
            return True
        node = node.value
    named = str(getattr(node, "attr", getattr(node, "id", ""))).endswith("mask")
    return named or isinstance(node, ast.Compare)


def _is_of_truths(node: ast.expr, kind: int | None) -> bool:
    """Return whether truth values come out: `x > 0`, `~mask`."""
    inverted = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert)
    return kind == 0 or (kind is None and (inverted or isinstance(node, ast.Compare)))
