"""The dtypes of tensors: how torch promotes them, and which dtype a call returns.

A dtype is its torch name without `torch.`. It is `floating` if it is floating point of unknown
width, such as a dtype that depends on `torch.set_default_dtype`, `complex` if it is complex of
unknown width, and None if it is unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from workbench.findings import Certainty
from workbench.source.types.dtype_tables import (
    CASTS,
    FACTORIES,
    JOINING,
    LOSSES,
    OF_COMPLEX,
    OF_FLOATING,
    OF_INDEXES,
    OF_OPERATORS,
    OF_REAL,
    OF_THE_SAME,
    OF_TRUTHS,
    OF_VECTORS,
    OPERANDS,
    PASSING_MODULES,
    PROMOTING,
    QUOTIENTS,
    REDUCTIONS,
    SUMS,
    UNTYPED_MODULES,
    WITH_INDEXES,
)
from workbench.source.types.lattice import (
    MIXED,
    TRUTHS_OF_NUMPY,
    UNKNOWN,
    DtypeOf,
    Items,
    OneOf,
    Plain,
    Tensor,
    TorchObject,
    Value,
    array_dtype,
    is_of_numpy,
    items_of,
)

FLOATING: Final = "floating"
_NOTHING: Final = Plain("NoneType")
_COMPLEX: Final = "complex"
_KINDS = {"bool": 0, "complex64": 3, "complex128": 3, "complex32": 3, _COMPLEX: 3, FLOATING: 2}
# The dtypes of the real and the imaginary part.
_PARTS = {"complex64": "float32", "complex128": "float64", _COMPLEX: FLOATING}
_OF_PARTS = {part: whole for whole, part in _PARTS.items()}
_INTEGERS = ("uint8", "int8", "int16", "int32", "int64")
_NUMBERS = {"bool": 0, "int": 1, "float": 2, "complex": 3}
_DEFAULTS = ("bool", "int64", FLOATING, "complex64")
# Dtypes that another tensor of uncertain dtype is unlikely to widen.
USUAL: Final = frozenset({None, FLOATING, "float32"})
_NARROW = frozenset({FLOATING, "float32", "float16", "bfloat16"})
# The dtypes of torch's legacy tensor types.
TENSOR_TYPES: Final = {
    f"torch.{place}{name.title() if name != 'bfloat16' else 'BFloat16'}Tensor": dtype
    for place in ("", "cuda.")
    for name, dtype in (
        ("float", "float32"),
        ("double", "float64"),
        ("half", "float16"),
        ("bfloat16", "bfloat16"),
        ("byte", "uint8"),
        ("char", "int8"),
        ("short", "int16"),
        ("int", "int32"),
        ("long", "int64"),
        ("bool", "bool"),
    )
}


def kind(dtype: str | None) -> int | None:
    """Return 0 for bool, 1 for integers, 2 for floats, 3 for complex; None if unknown."""
    if dtype in _INTEGERS:
        return 1
    if dtype is not None and "float" in dtype:
        return 2
    return _KINDS.get(dtype or "")


def alike(first: str | None, second: str | None) -> bool:
    """Return whether arithmetic on two tensors needs no promotion except of floating widths."""
    if first is None or second is None:
        return False
    return first == second or kind(first) == kind(second) == 2


def differ(first: str | None, second: str | None) -> bool:
    """Return whether two dtypes are known to differ; the default width counts as 32 bits."""
    if first is None or second is None or first == second:
        return False
    return {first, second} != {FLOATING, "float32"}


def promote(first: str | None, second: str | None) -> str | None:
    """Return the dtype of arithmetic on two tensors."""
    if first == second:
        return first
    kinds = kind(first), kind(second)
    if None in kinds:
        return FLOATING if 2 in kinds else None
    if kinds[0] == kinds[1] == 1:
        return _wider(str(first), str(second))
    if kinds[0] == kinds[1]:
        return FLOATING if kinds[0] == 2 else None
    higher, lower = (first, second) if (kinds[0] or 0) > (kinds[1] or 0) else (second, first)
    if kind(higher) == 3 and kind(lower) == 2:
        return higher if higher == "complex128" or lower in _NARROW else None
    return higher


def _wider(first: str, second: str) -> str:
    """Return the integer dtype that holds the values of both dtypes."""
    if {first, second} == {"uint8", "int8"}:
        return "int16"
    return max(first, second, key=_INTEGERS.index)


def with_number(dtype: str | None, number: str) -> str | None:
    """Return the dtype of arithmetic on a tensor and a Python number of this type."""
    own, other = kind(dtype), _NUMBERS[number]
    if own is None:
        return FLOATING if other == 2 else None
    return dtype if own >= other else _DEFAULTS[other]


def arithmetic(left: Value, right: Value, quotient: bool = False) -> str | None:
    """Return the dtype of an operator with a tensor on at least one side."""
    dtype: str | None = None
    if isinstance(left, Tensor) and isinstance(right, Tensor):
        dtype = promote(left.dtype, right.dtype)
        if quotient and {kind(left.dtype), kind(right.dtype)} <= {0, 1}:
            return FLOATING
    else:
        tensor, other = (left, right) if isinstance(left, Tensor) else (right, left)
        if isinstance(tensor, Tensor) and isinstance(other, Plain) and other.kind in _NUMBERS:
            dtype = with_number(tensor.dtype, other.kind)
        elif isinstance(tensor, Tensor) and kind(tensor.dtype) == 2:
            dtype = FLOATING
        elif isinstance(tensor, Tensor) and quotient and kind(tensor.dtype) is not None:
            dtype = FLOATING if kind(tensor.dtype) != 3 else None
    if quotient and dtype is None and not {1, 2}.isdisjoint(map(_kind_of, (left, right))):
        return FLOATING
    return FLOATING if quotient and (dtype == "bool" or dtype in _INTEGERS) else dtype


def _kind_of(operand: Value) -> int | None:
    """Return the kind of a tensor's dtype or of a number, or None."""
    if isinstance(operand, Plain):
        return _NUMBERS.get(operand.kind)
    return kind(operand.dtype) if isinstance(operand, Tensor) else None


def of_value(value: Value) -> str | None:
    """Return the dtype of an argument such as `torch.long`, `x.dtype` or `x`."""
    if isinstance(value, TorchObject):
        name = TENSOR_TYPES.get(value.name, value.name.removeprefix("torch."))
        return name if kind(name) is not None else None
    return value.dtype if isinstance(value, DtypeOf | Tensor) else None


def refined(
    name: str, result: Value, receiver: Value | None, values: list[Value], named: dict[str, Value]
) -> Value:
    """Return the result of a torch function or tensor method with its dtype."""
    short = _plain(name.rpartition(".")[2])
    arguments = values if receiver is None else [receiver, *values]
    # The condition is the first argument of the function.
    if short == "where" and receiver is not None:
        condition, *others = values or [UNKNOWN]
        arguments = [condition, receiver, *others]
    if isinstance(result, Items):
        return _several(short, result, arguments, named)
    if not isinstance(result, Tensor):
        return result
    dtype = _dtype(short, arguments, named)
    scalar = _is_scalar(short, arguments, named)
    given = [one for one in (*arguments, *named.values()) if isinstance(one, Tensor)]
    promoted = given if short in PROMOTING or short in QUOTIENTS else given[:1]
    mixed = is_mixed(promoted) or _is_array(short, arguments)
    mixed = mixed and dtype is None and "dtype" not in named
    if dtype is None and not scalar and not mixed:
        return result
    return Tensor(result.certainty, dtype, scalar, states=frozenset({MIXED} if mixed else ()))


def is_mixed(operands: list[Tensor]) -> bool:
    """Return whether the result of an operation on these tensors may have different dtypes."""
    unlike = len(operands) > 1 and all(one.dtype is not None for one in operands)
    return unlike or any(MIXED in one.states for one in operands)


def unlike(one: Value, other: Value) -> bool:
    """Return whether two tensors are known to have different dtypes."""
    if not isinstance(one, Tensor) or not isinstance(other, Tensor):
        return False
    return MIXED in one.states | other.states or differ(one.dtype, other.dtype)


def may_differ(mine: Value, other: Value) -> bool:
    """Return whether two tensors have, or probably have, different dtypes."""
    if not isinstance(mine, Tensor) or not isinstance(other, Tensor):
        return False
    if MIXED in mine.states | other.states:
        return True
    if mine.dtype is None:
        return kind(other.dtype) in {0, 1}
    return (other.dtype is None and mine.dtype not in USUAL) or differ(mine.dtype, other.dtype)


def _is_array(short: str, arguments: list[Value]) -> bool:
    """Return whether a tensor is created from a NumPy array, which often has another dtype."""
    first = arguments[0] if arguments else UNKNOWN
    made = short in {"from_numpy", "as_tensor", "tensor", "asarray"}
    return made and is_of_numpy(first)


def _plain(short: str) -> str:
    """Return `add` for `__radd__` and `add_` for `__iadd__`; return other names unchanged."""
    core = short.removeprefix("__").removesuffix("__")
    if core == short or len(short) != len(core) + 4:
        return short
    for part, end in ((core, ""), (core[1:], "_" if core[0] == "i" else "")):
        found = OF_OPERATORS.get(part, part)
        if found in PROMOTING | QUOTIENTS | OF_TRUTHS | OF_THE_SAME | OF_REAL:
            return found + end
    return short


def _several(short: str, result: Items, arguments: list[Value], named: dict[str, Value]) -> Items:
    if not isinstance(result.item, Tensor):
        return result
    first = arguments[0] if arguments else named.get("input", UNKNOWN)
    if isinstance(first, Items):
        first = first.item  # the argument of `torch.meshgrid` may be a list
    of_tensor = first if isinstance(first, Tensor) else Tensor()
    certainty = result.item.certainty
    same = Tensor(certainty, of_tensor.dtype, states=of_tensor.states & {MIXED})
    if short in WITH_INDEXES:
        return items_of(result.kind, [same, Tensor(certainty, "int64")])
    if result.items and (short in {"unique", "unique_consecutive"} or "max_pool" in short):
        return items_of(result.kind, [same, *result.items[1:]])
    return Items(result.kind, same) if short in OF_THE_SAME else result


@dataclass(frozen=True, slots=True)
class _Call:
    """A call by the last part of its name, with its arguments; a method's receiver is the first."""

    short: str
    arguments: list[Value]
    named: dict[str, Value]

    @property
    def first(self) -> Value:
        return self.arguments[0] if self.arguments else self.named.get("input", UNKNOWN)

    @property
    def own(self) -> str | None:
        """The dtype of the first argument."""
        first = self.first
        return first.dtype if isinstance(first, Tensor) else None


def _dtype(short: str, arguments: list[Value], named: dict[str, Value]) -> str | None:
    """Return the dtype of the tensor that a call returns, or None if it is unknown."""
    if "dtype" in named and named["dtype"] != _NOTHING:
        return of_value(named["dtype"])
    call = _Call(short, arguments, named)
    find = _DTYPES.get(short)
    if find is not None:
        return find(call)
    in_place = short.endswith("_") and not short.endswith("__")
    return call.own if in_place else None


def _cast_by_name(call: _Call) -> str | None:
    return CASTS[call.short]


def _own(call: _Call) -> str | None:
    return call.own


def _viewed(call: _Call) -> str | None:
    """Return the dtype of `x.view(torch.int32)` or `x.view(2, 3)`."""
    dtype = of_value(call.arguments[1]) if len(call.arguments) == 2 else None
    return call.own if dtype is None else dtype


def _absolute(call: _Call) -> str | None:
    return _PARTS.get(call.own or "", call.own)


def _floating(call: _Call) -> str | None:
    return call.own if kind(call.own) in {2, 3} else FLOATING


def _real(call: _Call) -> str | None:
    return _PARTS.get(call.own or "") or _floating(call)


def _complex(call: _Call) -> str | None:
    return call.own if kind(call.own) == 3 else _OF_PARTS.get(call.own or "", _COMPLEX)


def _made(call: _Call) -> str | None:
    return FLOATING


def _truths(call: _Call) -> str | None:
    return "bool"


def _reduced_truths(call: _Call) -> str | None:
    return None if call.own == "uint8" else "bool"


def _indexes(call: _Call) -> str | None:
    return None if "out_int32" in call.named else "int64"


def _counts(call: _Call) -> str | None:
    weights = [*call.arguments[1:2], call.named.get("weights", _NOTHING)][0]
    return _indexes(call) if weights == _NOTHING else None


def _sum(call: _Call) -> str | None:
    return "int64" if kind(call.own) in {0, 1} else call.own


def _extreme(call: _Call) -> str | None:
    """Return the dtype of `x.max()` or `x.max(y)`."""
    others = [*call.arguments[1:], *([call.named["other"]] if "other" in call.named else [])]
    return arithmetic(call.first, others[0]) if others else call.own


def _wide_power(call: _Call) -> str | None:
    operands = [*call.arguments, *call.named.values()]
    return None if any(map(_is_complex, operands)) else "float64"


def _promoted(call: _Call) -> str | None:
    rounded = call.named.get("rounding_mode", _NOTHING) != _NOTHING
    operands = call.arguments[1:] if call.short == "where" else call.arguments
    operands = [*operands, *(value for key, value in call.named.items() if key in OPERANDS)]
    return _of_all(operands, call.short in QUOTIENTS and not rounded)


def _clamped(call: _Call) -> str | None:
    bounds = [*call.arguments[1:], *call.named.values()]
    first = call.first if isinstance(call.first, Tensor) else Tensor()
    return _of_all([first, *bounds], quotient=False)


def _contracted(call: _Call) -> str | None:
    """Return the dtype of `torch.einsum(equation, x, y)`, which all operands share."""
    operands = call.arguments[1:]
    if len(operands) == 1 and isinstance(operands[0], Items):
        operands = list(operands[0].items or (operands[0].item,))
    known = [one.dtype for one in operands if isinstance(one, Tensor) and one.dtype is not None]
    return known[0] if known else None


def _is_complex(value: Value) -> bool:
    own = isinstance(value, Tensor) and kind(value.dtype) == 3
    return own or value == Plain("complex")


def _cast(call: _Call) -> str | None:
    """Return the dtype of `x.to(...)` or `x.type(...)`: an argument's, or the tensor's own."""
    for value in call.arguments[1:]:
        if isinstance(value, Tensor | DtypeOf):
            return value.dtype
        if isinstance(value, TorchObject):
            return of_value(value)
        if value is UNKNOWN:
            return None
    return call.own if call.short == "to" else None


def _of_all(operands: list[Value], quotient: bool) -> str | None:
    operands = [value for value in operands if value != _NOTHING]
    if not operands or not any(isinstance(value, Tensor) for value in operands):
        return None
    result = operands[0]
    for value in operands[1:]:
        result = Tensor(dtype=arithmetic(result, value, quotient))
    return result.dtype if isinstance(result, Tensor) else None


def _joined(call: _Call) -> str | None:
    """Return the dtype of `torch.cat([x, y])` and similar functions."""
    value = call.first
    if not isinstance(value, Items):
        return None
    if value.items:
        return _of_all(list(value.items), quotient=False)
    return value.item.dtype if isinstance(value.item, Tensor) else None


def _of_numbers(call: _Call) -> str | None:
    """Return the dtype of a tensor of Python numbers, single ones or lists."""
    if call.short != "full" and (known := array_dtype(call.first)) is not None:
        return known
    given = call.arguments[1:] if call.short == "full" else call.arguments
    values = given or [call.named.get("fill_value", UNKNOWN)]
    highest = -1
    for leaf in [leaf for value in values for leaf in _leaves(value)]:
        if isinstance(leaf, Tensor):
            return leaf.dtype
        if leaf == TRUTHS_OF_NUMPY:
            return "bool"
        if not isinstance(leaf, Plain) or leaf.kind not in _NUMBERS:
            return None
        highest = max(highest, _NUMBERS[leaf.kind])
    return _DEFAULTS[highest] if highest >= 0 else None


def _of_array(call: _Call) -> str | None:
    """Return the dtype of `torch.from_numpy(n > 0)`, or None for an array of unknown dtype."""
    return array_dtype(call.first)


def _leaves(value: Value) -> Iterator[Value]:
    """Yield the values in nested lists, once per list if all are alike, unlike `[1.0, 2, 3]`."""
    if not isinstance(value, Items):
        yield value
    elif value.items and isinstance(value.item, Items | OneOf):
        for item in value.items:
            yield from _leaves(item)
    else:
        yield from _leaves(value.item)


def _of_range(call: _Call) -> str | None:
    """Return the dtype of `torch.arange`: int64 unless a bound is known to be a float.

    A bound that is only assumed to be a tensor, as a parameter of `forward` is, is a number.
    """
    values = [*call.arguments, *call.named.values()]
    tensors = [value for value in values if isinstance(value, Tensor)]
    if Plain("float") in values or any(kind(one.dtype) == 2 for one in tensors):
        return FLOATING
    if len(values) > 2 and not isinstance(values[2], Plain):
        return None
    open_ = any(one.dtype is None and one.certainty is Certainty.PROVED for one in tensors)
    return None if open_ else "int64"


def _is_scalar(short: str, arguments: list[Value], named: dict[str, Value]) -> bool:
    """Return whether a result has no dimensions: full reductions, losses, single numbers."""
    if short in REDUCTIONS:
        ordered = short == "norm" and len(arguments) == 2 and isinstance(arguments[1], Plain)
        return (len(arguments) == 1 or ordered) and not named.keys() - {"dtype", "p", "correction"}
    if short in OF_VECTORS:
        return True
    if short in LOSSES:
        return "reduction" not in named and "reduce" not in named
    if short in {"tensor", "as_tensor"}:
        return bool(arguments) and isinstance(arguments[0], Plain)
    first = arguments[0] if arguments else UNKNOWN
    keeps = short in CASTS or short in {"to", "detach", "clone", "cpu", "cuda", "clamp", "sqrt"}
    return keeps and isinstance(first, Tensor) and first.scalar


def of_module(cls: str, certain: Tensor, values: list[Value]) -> Tensor:
    """Return the tensor that a module of this torch class returns."""
    short = cls.rpartition(".")[2]
    if short in UNTYPED_MODULES:
        return certain
    if short in PASSING_MODULES:
        first = values[0] if values else UNKNOWN
        return Tensor(certain.certainty, first.dtype if isinstance(first, Tensor) else None)
    return Tensor(certain.certainty, FLOATING, short.endswith("Loss"))


# Functions that find the dtype of a call's result, by the last part of its name. If a name is in
# several of these, the first counts.
_IN_ORDER: tuple[tuple[Iterable[str], Callable[[_Call], str | None]], ...] = (
    (CASTS, _cast_by_name),
    (("view",), _viewed),
    (("max", "min"), _extreme),
    (("abs", "absolute"), _absolute),
    (("any", "all"), _reduced_truths),
    (("bincount",), _counts),
    (("arange",), _of_range),
    (("float_power",), _wide_power),
    (("to", "type", "type_as"), _cast),
    (("tensor", "as_tensor", "full"), _of_numbers),
    (("from_numpy", "asarray"), _of_array),
    (("clamp", "clamp_min", "clamp_max", "clip"), _clamped),
    (("einsum",), _contracted),
    (OF_COMPLEX, _complex),
    (("unique", "unique_consecutive"), _own),
    (OF_THE_SAME, _own),
    (OF_REAL, _real),
    (OF_FLOATING | LOSSES, _floating),
    (FACTORIES, _made),
    (OF_TRUTHS, _truths),
    (OF_INDEXES, _indexes),
    (SUMS, _sum),
    (WITH_INDEXES, _own),
    (PROMOTING | QUOTIENTS, _promoted),
    (JOINING, _joined),
)
_DTYPES: Final = {name: find for names, find in reversed(_IN_ORDER) for name in names}
