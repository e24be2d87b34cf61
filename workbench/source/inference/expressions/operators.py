"""Operators: their results, and which are uses of torch.

`x + y` has the same meaning in most frameworks if both have one dtype, so it is not recorded. If
the dtypes differ, or `in` tests membership in a tensor, the operator is a call of the tensor's
method. `+` and `*` of containers and datasets are calls too.
"""

from __future__ import annotations

import ast
import re
from dataclasses import replace

from workbench.findings import Certainty
from workbench.source.inference.context import Context
from workbench.source.inference.evidence.tensor_states import SPARSE, sparse_operation
from workbench.source.inference.expressions.names import tested
from workbench.source.inference.expressions.numbers import note_formatted, note_repeated
from workbench.source.inference.expressions.printing import note_inserted
from workbench.source.inference.functions import function_walked
from workbench.source.tree import inside
from workbench.source.types import dtypes
from workbench.source.types.lattice import (
    ARRAY_OF_NUMPY,
    ASSUMED_TENSOR,
    MIXED,
    NONE,
    TRUTHS_OF_NUMPY,
    UNKNOWN,
    ForeignInstance,
    Instance,
    OneOf,
    Plain,
    Tensor,
    UserObject,
    Value,
    is_of_numpy,
    join,
    of_whole,
)
from workbench.source.uses import OpenOperator, UseKind

METHODS: dict[type, str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "truediv",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.Pow: "pow",
    ast.MatMult: "matmul",
    ast.BitAnd: "and",
    ast.BitOr: "or",
    ast.BitXor: "xor",
    ast.LShift: "lshift",
    ast.RShift: "rshift",
    ast.Eq: "eq",
    ast.NotEq: "ne",
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
    ast.In: "contains",
    ast.NotIn: "contains",
}
_MEMBERSHIP = (ast.In, ast.NotIn)
_NUMBERS = frozenset({"int", "float", "bool"})
_COMPUTING = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Mod, ast.Pow)
_NARROW = frozenset({"uint8", "int8", "int16", "float16"})
_DEFAULT_DTYPE = frozenset({"torch.set_default_dtype", "torch.set_default_tensor_type"})
NARROW_FLOATS = frozenset({"numpy.float32", "numpy.float16"})  # not Python floats
_FACTORS = (ast.Mult, ast.Div)
_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div)
_CASTING = (*_COMPUTING, ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_BITS = (ast.BitAnd, ast.BitOr, ast.BitXor)
# Comparisons with their operands exchanged.
_MIRRORED = {"eq": "eq", "ne": "ne", "lt": "gt", "gt": "lt", "le": "ge", "ge": "le"}
# Functions of Python's that compute numbers.
_OF_NUMBERS = frozenset({"abs", "float", "int", "len", "max", "min", "pow", "round", "sum"})
_TRUTHS = (ast.Is, ast.IsNot, ast.In, ast.NotIn)
_CONTAINERS = ("torch.nn.", "torch.utils.data.")


def binary(context: Context, node: ast.BinOp) -> Value:
    left, right = context.eval(node.left), context.eval(node.right)
    noted = _unless_alternatives(left), _unless_alternatives(right)
    if any(isinstance(value, Tensor) for value in noted) or noted == (UNKNOWN, UNKNOWN):
        _note_operator(context, node, noted)
    elif isinstance(left, Instance | UserObject):
        joined = _note_concatenation(context, node, left)
        if joined is not UNKNOWN:
            return joined
    note_formatted(context, node, right)
    note_inserted(context, node, left, right)
    note_repeated(context, node, left, right)
    result = context.members.binary(left, right, isinstance(node.op, ast.Div))
    result = sparse_operation(result, (left, right))
    counts = result == TRUTHS_OF_NUMPY and not isinstance(node.op, _BITS)
    return ARRAY_OF_NUMPY if counts else result


def _unless_alternatives(value: Value) -> Value:
    """Return a value, or UNKNOWN for one that is a tensor in some calls and not in others."""
    some = isinstance(value, OneOf) and any(isinstance(one, Tensor) for one in value.options)
    return UNKNOWN if some else value


def unary(context: Context, node: ast.UnaryOp) -> Value:
    operand = context.eval(node.operand)
    if isinstance(node.op, ast.Invert) and isinstance(operand, Tensor) and operand.dtype is None:
        return replace(operand, whole=True)  # no float can be inverted
    if not isinstance(node.op, ast.Not):
        return operand
    tested(context, node.operand)
    return Plain("bool")


def boolean(context: Context, node: ast.BoolOp) -> Value:
    value = context.eval(node.values[0])
    for other in node.values[1:]:
        value = join(value, context.eval(other))
    for condition in node.values[:-1]:
        tested(context, condition)
    return value


def comparison(context: Context, node: ast.Compare) -> Value:
    values = [context.eval(node.left), *(context.eval(other) for other in node.comparators)]
    if any(isinstance(op, _TRUTHS) for op in node.ops):
        if values[1:] == [NONE]:
            tested(context, node.left)
        if isinstance(node.ops[0], ast.In | ast.NotIn) and len(values) == 2:
            _note_operator(context, node, (values[0], values[1]))
        return Plain("bool")
    tensors = [value for value in values if isinstance(value, Tensor)]
    if tensors:
        if len(values) == 2:
            _note_operator(context, node, (values[0], values[1]))
        return Tensor(tensors[0].certainty, "bool", all(_is_scalar(value) for value in values))
    if any(map(is_of_numpy, values)):
        return TRUTHS_OF_NUMPY
    return UNKNOWN if UNKNOWN in values else Plain("bool")


def conditional(context: Context, node: ast.IfExp) -> Value:
    context.eval(node.test)
    tested(context, node.test)
    return join(context.eval(node.body), context.eval(node.orelse))


def _note_operator(
    context: Context, node: ast.BinOp | ast.Compare, values: tuple[Value, Value]
) -> None:
    """Record a use if the operator needs torch's type promotion, or an operand is sparse."""
    left = node.left
    right = node.comparators[0] if isinstance(node, ast.Compare) else node.right
    op: type = type(node.ops[0] if isinstance(node, ast.Compare) else node.op)
    method = METHODS.get(op)
    if op in _MEMBERSHIP and values[1] is UNKNOWN and _slices_dimensions(right):
        values = values[0], Tensor(Certainty.ASSUMED)
    context.found.open_operators.pop(id(node), None)  # an earlier walk may have known less
    context.found.uses.pop(id(node), None)
    if method is None or not (
        _promotes(op, *values)
        or _may_promote(op, left, right, values)
        or _is_narrow(op, *values)
        or (op is ast.Div and _are_whole(values) and _sets_the_default(context))
        or (op is ast.FloorDiv and _gains_dimension(left, right, values))
        or (op is ast.FloorDiv and any(map(_is_recorded, values)))
        or (any(map(_is_sparse, values)) and not _is_scaled_parameter(context, op, left, right))
    ):
        if isinstance(node, ast.BinOp) and _is_open(context, op, left, right, values):
            context.found.open_operators[id(node)] = OpenOperator(node)
        return
    receiver, argument = (left, right), values
    if op in _MEMBERSHIP or not isinstance(values[0], Tensor):
        receiver, argument = (right, left), (values[1], values[0])
        method = method if op in _MEMBERSHIP else _MIRRORED.get(method, f"r{method}")
    tensor = argument[0] if isinstance(argument[0], Tensor) else ASSUMED_TENSOR
    use = context.use(
        f"torch.Tensor.__{method}__",
        UseKind.OPERATOR,
        node,
        tensor.certainty,
        receiver[0],
        tensor,
    )
    use.owner, use.values = "torch.Tensor", [argument[1]]
    context.keep(use)


def _sets_the_default(context: Context) -> bool:
    """Return whether the program sets the dtype of quotients of integers."""
    return any(use.name in _DEFAULT_DTYPE for use in context.found.uses.values())


def _note_concatenation(context: Context, node: ast.BinOp, left: Value) -> Value:
    """Record `+` or `*` of a container of layers or of a dataset, and return its result."""
    symbol = METHODS.get(type(node.op), "")
    owner, certainty = context.members.owner(left, f"__{symbol}__")
    if symbol not in {"add", "mul"} or owner is None or not owner.startswith(_CONTAINERS):
        return UNKNOWN
    name = context.facts.member(owner, f"__{symbol}__")
    entry = context.facts.get(name) if name is not None else None
    if name is None or entry is None:
        return UNKNOWN
    use = context.use(name, UseKind.OPERATOR, node, certainty, node.left, left)
    use.owner, use.values = owner, [UNKNOWN]
    context.keep(use)
    return context.members.from_type(entry.signatures[0].returns.partition("[")[0])


def _may_promote(op: type, left: ast.expr, right: ast.expr, values: tuple[Value, Value]) -> bool:
    """Return whether promotion is likely, though one dtype is unknown.

    In `positions[:, None] * frequencies[None, :]`, an outer product with a floating tensor, the
    other operand often holds integers. An integer tensor may meet a floating one, or integers of
    another width. Booleans are rarely combined arithmetically.
    """
    if any(isinstance(value, Plain) for value in values):
        return False
    if op in _CASTING and any(_is_mixed(value) for value in values):
        return not _are_alike(left, right, values)
    if any(isinstance(value, Tensor) and value.scalar for value in values):
        return False
    if op in _FACTORS and any(isinstance(value, Tensor) and value.whole for value in values):
        return True
    if op in _FACTORS and any(map(_may_be_a_mask, (left, right), values)):
        return any(isinstance(value, Tensor) for value in values) or op is ast.Mult
    known = [value for value in values if isinstance(value, Tensor) and value.dtype is not None]
    if len(known) == 1 and op in _ARITHMETIC and known[0].dtype == "bool":
        other = values[values[0] is known[0]]
        return other is UNKNOWN or isinstance(other, Tensor)
    if op not in _CASTING or len(known) != 1:
        return False
    other = values[values[0] is known[0]]
    if dtypes.kind(known[0].dtype) == 1:
        return isinstance(other, Tensor) or op is ast.Div
    return op is ast.Mult and _adds_dimension(left) and _adds_dimension(right)


def _is_open(
    context: Context, op: type, left: ast.expr, right: ast.expr, values: tuple[Value, Value]
) -> bool:
    """Return whether the text does not show if an operand holds integers or floats.

    A value computed from the other operand usually has its dtype: `x + self.conv(x)`.
    """
    sides = list(zip((left, right), values, strict=True))
    if op is ast.FloorDiv or op in _BITS:
        return _are_integers_and_unknown(values) and not _comes_from(left, _root(right))
    if op not in _COMPUTING or not all(_may_be_several(value) for value in values):
        return False
    unknown = [node for node, value in sides if not isinstance(value, Tensor) or not value.dtype]
    if UNKNOWN in values and any(map(of_whole, values)):
        return _computes_tensor(unknown[0]) and not _is_parameter(context, unknown[0])
    if not all(isinstance(value, Tensor) or _is_parameter(context, node) for node, value in sides):
        return False
    if len(unknown) == 1:
        other = left if unknown[0] is right else right
        return op in _FACTORS and not _comes_from(other, _root(unknown[0]))
    return len(unknown) == 2 and _root(left) != _root(right)


def _are_integers_and_unknown(values: tuple[Value, Value]) -> bool:
    """Return whether one value is a tensor of integers, the other one of an unknown dtype."""
    tensors = [one for one in values if isinstance(one, Tensor) and not one.scalar]
    kinds = {dtypes.kind(one.dtype) for one in tensors}
    return len(tensors) == 2 and kinds == {1, None} and not any(one.whole for one in tensors)


def _computes_tensor(node: ast.expr) -> bool:
    """Return whether an unknown value may be a tensor: a variable, an item, or made by a call."""
    if isinstance(node, ast.Name | ast.Subscript):
        return True
    called = (part.func for part in inside(node) if isinstance(part, ast.Call))
    return isinstance(node, ast.BinOp | ast.Call) and any(
        getattr(function, "id", "") not in _OF_NUMBERS for function in called
    )


def _may_be_several(value: Value) -> bool:
    """Return whether it is a non-complex tensor with dimensions, or of unknown type."""
    if not isinstance(value, Tensor):
        return value is UNKNOWN
    return not value.scalar and dtypes.kind(value.dtype) != 3


def _root(node: ast.expr) -> str:
    """Return the tensor to which items and methods are applied: `batch["x"]` in
    `batch["x"][0].mean(1)`.
    """
    while isinstance(node, ast.Subscript | ast.Call):
        if isinstance(node, ast.Subscript):
            if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
                break
            node = node.value
        elif isinstance(node.func, ast.Attribute):
            node = node.func.value
        else:
            break
    return ast.unparse(node)


def _are_alike(left: ast.expr, right: ast.expr, values: tuple[Value, Value]) -> bool:
    """Return whether one operand is computed from the other's tensor and keeps its dtype.

    Examples are `x[1:] - x[:-1]` and `x - x.mean(0)`, for which torch requires floating point.
    """
    if not all(isinstance(one, Tensor) and one.dtype in {None, dtypes.FLOATING} for one in values):
        return False
    return _comes_from(right, _root(left)) or _comes_from(left, _root(right))


def _comes_from(node: ast.expr, root: str) -> bool:
    """Return whether an expression mentions a tensor: `x` in `x.max(0)`, not in `y.max(0)`."""
    return re.search(rf"(?<![\w.]){re.escape(root)}(?!\w)", ast.unparse(node)) is not None


def _is_parameter(context: Context, node: ast.expr) -> bool:
    """Return whether an expression is an unchanged parameter of the function, of unknown type.

    `options["scale"]` is one of a function that takes `**options`.
    """
    function = function_walked(context)
    if function is None:
        return False
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
        named = function.args.kwarg
        return named is not None and named.arg == node.value.id
    if not isinstance(node, ast.Name):
        return False
    return any(node.id == one.arg for one in function.args.args)


def _is_mixed(value: Value) -> bool:
    return isinstance(value, Tensor) and MIXED in value.states


def _may_be_a_mask(node: ast.expr, value: Value) -> bool:
    """Return whether a name such as `mask` of unknown dtype suggests booleans or integers.

    Also True for `u < 2`, which is boolean if `u` is a tensor, and for `~u`, which is no float.
    """
    inverted = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert)
    if value is UNKNOWN and (inverted or isinstance(node, ast.Compare)):
        return True
    while isinstance(node, ast.Subscript):
        node = node.value
    name = getattr(node, "attr", getattr(node, "id", ""))
    known = isinstance(value, Tensor) and value.dtype is not None
    return name.endswith("mask") and not known and (value is UNKNOWN or isinstance(value, Tensor))


def _are_whole(values: tuple[Value, Value]) -> bool:
    """Return whether all are integers, at least one of which is a tensor."""
    return all(
        dtypes.kind(value.dtype) in {0, 1}
        if isinstance(value, Tensor)
        else isinstance(value, Plain) and value.kind in {"int", "bool"}
        for value in values
    )


def _is_narrow(op: type, left: Value, right: Value) -> bool:
    """Return whether it is arithmetic of short integers or half floats, which few frameworks
    support.
    """
    kinds = [value.dtype for value in (left, right) if isinstance(value, Tensor)]
    if op not in _COMPUTING or not any(kind in _NARROW for kind in kinds):
        return False
    number = any(isinstance(value, Plain) and value.kind in _NUMBERS for value in (left, right))
    lacking = (ast.Mod, ast.Pow, ast.Div) if "float16" in kinds else (ast.Mod, ast.Pow)
    return len(kinds) == 2 or (number and op in lacking)


def _is_sparse(value: Value) -> bool:
    return isinstance(value, Tensor) and SPARSE in value.states


def _is_scaled_parameter(context: Context, op: type, left: ast.expr, right: ast.expr) -> bool:
    """Return whether a parameter, which may be dense in other calls, is scaled or added."""
    return op is not ast.MatMult and any(_is_parameter(context, one) for one in (left, right))


def _is_recorded(value: Value) -> bool:
    return isinstance(value, Tensor) and value.recorded


def _gains_dimension(left: ast.expr, right: ast.expr, values: tuple[Value, Value]) -> bool:
    """Return whether it is `//` of a number and a tensor that has, or may have, no dimensions."""
    for node, value, other in ((left, *values), (right, *values[::-1])):
        number = isinstance(other, Plain) and other.kind in _NUMBERS
        if number and isinstance(value, Tensor):
            return value.scalar or isinstance(node, ast.Subscript)
    return False


def _slices_dimensions(node: ast.expr) -> bool:
    """Return whether it is like `x[:, 0]`, which only tensors and arrays support."""
    if not isinstance(node, ast.Subscript) or not isinstance(node.slice, ast.Tuple):
        return False
    return any(isinstance(part, ast.Slice) for part in node.slice.elts)


def _adds_dimension(node: ast.expr) -> bool:
    """Return whether it is like `x[:, None]` or `x.unsqueeze(1)`, for tensors and arrays only."""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple):
        parts = node.slice.elts
        return any(isinstance(part, ast.Constant) and part.value is None for part in parts)
    function = node.func if isinstance(node, ast.Call) else None
    return isinstance(function, ast.Attribute) and function.attr == "unsqueeze"


def _promotes(op: type, left: Value, right: Value) -> bool:
    """Return whether the operands are known to have different kinds of dtypes, which torch
    promotes.
    """
    if op in _MEMBERSHIP:
        return isinstance(right, Tensor)
    if isinstance(left, Tensor) and isinstance(right, Tensor):
        if op is ast.MatMult or None in (left.dtype, right.dtype):
            return False
        unlike = not dtypes.alike(left.dtype, right.dtype)
        if op not in _BITS and (left.scalar or right.scalar):
            return unlike and op is ast.FloorDiv
        return unlike or (op is ast.Div and left.dtype == "bool")
    tensor, other = (left, right) if isinstance(left, Tensor) else (right, left)
    if not isinstance(tensor, Tensor):
        return False
    if op in _BITS:  # which floats do not have
        return isinstance(other, Plain) and other.kind in {"int", "bool"}
    narrow = isinstance(other, ForeignInstance) and other.name in NARROW_FLOATS
    return dtypes.kind(tensor.dtype) in {0, 1} and op in _ARITHMETIC and narrow


def _is_scalar(value: Value) -> bool:
    return value.scalar if isinstance(value, Tensor) else isinstance(value, Plain)
