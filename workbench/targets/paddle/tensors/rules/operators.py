"""Operators, by their method names.

`x + y` itself stays in the program if Paddle computes what torch does. Paddle raises if both have
dimensions and only one holds integers or bools: the one of the lower kind is then cast.
"""

from __future__ import annotations

import ast
from typing import TypeGuard

from workbench.findings import Certainty
from workbench.rules.difference import unless
from workbench.rules.family import Family
from workbench.rules.match import Match
from workbench.rules.outcome import Keep, Outcome, Rewrite
from workbench.source.inference.evidence.tensor_states import FOUND
from workbench.source.tree import is_negated
from workbench.source.types import dtypes
from workbench.source.types.lattice import ForeignInstance, Items, Tensor, Value
from workbench.source.types.views import adds_in_front, gathers, may_be_empty, steps_back, takes_all
from workbench.source.uses import UseKind
from workbench.targets.paddle.parts import IN_A_PART

rules = Family()

_T = "torch.Tensor."
_BINARY = {
    "add": ("torch_add", "+"),
    "sub": ("torch_sub", "-"),
    "mul": ("torch_mul", "*"),
    "truediv": ("torch_div", "/"),
    "div": ("torch_div", "/"),
    "floordiv": ("torch_floor_divide", "//"),
    "mod": ("torch_remainder", "%"),
    "pow": ("torch_pow", "**"),
    "matmul": ("paddle.matmul", "@"),
}
_LOGIC = {
    "and": "bitwise_and",
    "or": "bitwise_or",
    "xor": "bitwise_xor",
    "lshift": "bitwise_left_shift",
    "rshift": "bitwise_right_shift",
}
_COMPARE = {
    "eq": ("equal", "=="),
    "ne": ("not_equal", "!="),
    "lt": ("less_than", "<"),
    "le": ("less_equal", "<="),
    "gt": ("greater_than", ">"),
    "ge": ("greater_equal", ">="),
}


# Conditions of a conversion to a number, whose argument may be a tensor or a number.
_SMALL_TENSOR = (
    "other code in this program passes a tensor here: if it has one value but also dimensions,"
    " Paddle raises TypeError; write `x.item()` if it is always a tensor"
)
_BOOL_OF_TENSOR = (
    "other code in this program passes a tensor here: Paddle's `bool` is False for a float tensor"
    " that holds NaN or a value between -1 and 0; write `x != 0` if it is always a tensor"
)

# Indices that a list does not accept, or for which it returns a list.
_OF_TENSORS = (ast.Slice, ast.Tuple, ast.Compare, ast.List)


def dtype_of(node: ast.expr | None) -> str | None:
    """Return the dtype of a name, a member or an item, which may be evaluated twice.

    A part has the dtype of the whole tensor, unless it is one of several in a list.
    """
    while isinstance(node, ast.Subscript) and isinstance(node.slice, _OF_TENSORS):
        node = node.value
    root = node
    while isinstance(root, ast.Attribute) or _is_item(root):
        root = root.value
    return f"{ast.unparse(node)}.dtype" if node is not None and isinstance(root, ast.Name) else None


def _is_item(node: ast.expr | None) -> TypeGuard[ast.Subscript]:
    """Return whether a node is an item of a list, tuple or tensor at a plain index."""
    if not isinstance(node, ast.Subscript):
        return False
    index = node.slice
    if is_negated(index):
        index = index.operand
    return isinstance(index, ast.Name | ast.Constant)


def _cast(match: Match, symbol: str) -> Rewrite | None:
    """Return the operator with the operand of lower kind cast to the other's floating dtype."""
    mine, other = match.use.receiver_value, match.value("other")
    if isinstance(other, ForeignInstance):
        return Rewrite(f"{{self}} {symbol} float({{other}})")
    if match.use.kind is not UseKind.OPERATOR or not isinstance(other, Tensor):
        return None
    assert isinstance(mine, Tensor)
    if symbol == "//" and (mine.grad or other.grad):
        return None  # Paddle's own result requires no gradients
    if "float16" in (mine.dtype, other.dtype):
        return None  # a CPU has no kernel for it
    kinds = dtypes.kind(mine.dtype), dtypes.kind(other.dtype)
    if kinds[0] == 2 and kinds[1] in {0, 1} and (dtype := dtype_of(match.use.receiver)):
        return Rewrite(f"{{self}} {symbol} {{other}}.astype({{dtype}})", texts={"dtype": dtype})
    if kinds[1] == 2 and kinds[0] in {0, 1} and (dtype := dtype_of(match.arguments["other"].node)):
        return Rewrite(f"{{self}}.astype({{dtype}}) {symbol} {{other}}", texts={"dtype": dtype})
    return None


def _operator(name: str, symbol: str, helper: str) -> None:
    """Add an operator's method, and the operator for operands of different kinds."""

    called = helper.replace("{self}", "self").replace("{other}", "other")

    @rules.rule(f"{_T}__{name}__", unpacked=f"(lambda self, other: {called})({{self}}, ...)")
    def decide(match: Match) -> Outcome:
        return _cast(match, symbol) or Rewrite(helper)


for _name, (_helper, _symbol) in _BINARY.items():
    if _name != "div":
        _operator(_name, _symbol, f"{_helper}({{self}}, {{other}})")
        rules.row(f"{_T}__r{_name}__", f"{_helper}({{other}}, {{self}})")
    if _name in {"floordiv", "mod", "pow", "div"}:
        rules.row(f"{_T}__i{_name}__", f"torch_inplace({_helper}, {{self}}, {{other}})")
for _name, _function in _LOGIC.items():
    rules.row(f"{_T}__{_name}__", f"torch_binary({{self}}, {{other}}, paddle.{_function})")
    rules.row(f"{_T}__r{_name}__", f"torch_binary({{other}}, {{self}}, paddle.{_function})")
    rules.row(
        f"{_T}__i{_name}__", f"torch_inplace(torch_binary, {{self}}, {{other}}, paddle.{_function})"
    )
for _name, (_function, _symbol) in _COMPARE.items():
    _operator(_name, _symbol, f"torch_compare({{self}}, {{other}}, paddle.{_function})")
rules.row(_T + "__rdiv__", "torch_div({other}, {self})")
rules.row(_T + "__div__", "torch_div({self}, {other})")
for _name, _template in (
    ("neg", "-{self}"),
    ("pos", "torch_positive({self})"),
    ("invert", "~{self}"),
    ("abs", "abs({self})"),
):
    rules.row(f"{_T}__{_name}__", _template)
for _name, _function in (
    ("index", "int"),
    ("len", "len"),
    ("iter", "iter"),
    ("hash", "hash"),
):
    rules.row(f"{_T}__{_name}__", f"{_function}({{self}})")
_NUMBERS = {f"{_T}__{_name}__": _name for _name in ("int", "float", "complex", "bool")}


@rules.rule(*_NUMBERS)
def number(match: Match) -> Outcome:
    """Keep `int(x)` where some calls of the function may pass numbers, which have no `item`."""
    name = _NUMBERS[match.use.name]
    if match.use.certainty is not Certainty.PROVED:
        condition = _BOOL_OF_TENSOR if name == "bool" else _SMALL_TENSOR
        return Rewrite(f"{name}({{self}})", differs=unless(condition))
    if name == "bool":
        return Rewrite("bool({self} != 0)")
    return Rewrite(
        f"{name}({{self}}.item())",
        note="Paddle's own conversion accepts only tensors without dimensions",
    )


rules.row(_T + "__reversed__", "paddle.flip({self}, [0])")


@rules.rule(_T + "__contains__")
def contains(match: Match) -> Outcome:
    """Write a helper, since Paddle's tensors compare their rows one by one."""
    node = match.use.node
    found = "torch_contains({element}, {self})"
    lacks = isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.NotIn)
    return Rewrite(f"not {found}" if lacks else found)


rules.row(_T + "__array__", "numpy.asarray({self}.numpy(), {dtype})")
rules.row(_T + "__deepcopy__", "{self}.__deepcopy__({memo})")
rules.row(_T + "__format__", "format({self}, {format_spec})")


_BACKWARDS = "a slice with a step below 1 raises ValueError in torch; in Paddle it reads backwards"


@rules.rule(_T + "__getitem__", _T + "__setitem__")
def item(match: Match) -> Outcome:
    """Keep the operator's method, which has the same name in Paddle."""
    name = match.use.name.rpartition(".")[2]
    if match.use.kind is UseKind.OPERATOR and name == "__setitem__":
        receiver, value = match.use.receiver, match.use.receiver_value
        whole = isinstance(receiver, ast.Name) or (
            isinstance(receiver, ast.Attribute) and receiver.attr not in {"T", "mT", "real", "imag"}
        )
        shared = isinstance(value, Tensor) and value.part not in {
            None,
            getattr(receiver, "id", None),
        }
        node = match.use.node
        everywhere = isinstance(node, ast.Subscript) and takes_all(node.slice)
        if not everywhere and not gathers(match.use.values[0]):
            item = isinstance(receiver, ast.Subscript) and not getattr(value, "part", None)
            return Keep(caveat=None if (whole and not shared) or item else IN_A_PART)
        part = not whole or shared or (isinstance(value, Tensor) and value.spread)
        return Rewrite("TorchPlaces({self})", caveat=IN_A_PART if part else None, callee_only=True)
    node = match.use.node
    if isinstance(node, ast.Subscript) and steps_back(node.slice):
        return Keep(caveat=_BACKWARDS)
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.List):
        return Rewrite(f"{{self}}{ast.unparse(node.slice)}", consumed=frozenset({"key"}))
    if isinstance(node, ast.Subscript) and _is_list(match.use.values[0]):
        index = ast.unparse(node.slice)  # one list or tensor for each dimension
        return Rewrite(f"{{self}}[tuple({index})]", consumed=frozenset({"key"}))
    open_ = _may_have_no_places(match)
    in_front = isinstance(node, ast.Subscript) and adds_in_front(node.slice, match.use.values[0])
    if match.use.kind is UseKind.OPERATOR and not in_front and not open_:
        # For a view with gaps between its values, Paddle reads other positions.
        return Rewrite("torch_contiguous({self})", callee_only=True)
    if match.use.kind is UseKind.OPERATOR:
        return Rewrite("TorchPlaces({self})", callee_only=True)
    return Rewrite(f"{{self}}.{name}({{key}}, {{value}})")


def _may_have_no_places(match: Match) -> bool:
    """Return whether an index has a list, or the result of a search, that may be empty."""
    node, at = match.use.node, match.use.values[0]
    if not isinstance(node, ast.Subscript) or not isinstance(node.slice, ast.Tuple):
        return False
    values = at.items if isinstance(at, Items) and at.items else ()
    return any(
        may_be_empty(part, value)
        and (isinstance(value, Items) or FOUND in getattr(value, "states", ()))
        for part, value in zip(node.slice.elts, values, strict=False)
    )


def _is_list(value: Value) -> bool:
    return isinstance(value, Items) and value.kind == "list"


rules.refuse(
    _T + "__delitem__",
    _T + "__array_priority__",
    _T + "__cuda_array_interface__",
    _T + "__setstate__",
    _T + "__torch_function__",
    reason="it is internal to torch",
)
rules.refuse(
    _T + "__array_wrap__",
    reason="this function of NumPy or SciPy returns a tensor for a tensor of torch, and does not"
    " accept one of Paddle",
    instead="x.numpy()",
)
rules.row(_T + "__dlpack__", "{self}.__dlpack__()")
rules.refuse(
    _T + "__dlpack_device__",
    reason="Paddle represents the device of a tensor differently",
    instead="tensor.place",
)
