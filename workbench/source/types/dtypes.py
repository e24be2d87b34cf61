"""The dtypes of tensors: how torch promotes them, and which dtype a call gives.

A dtype is its torch name without `torch.`, or `floating` where it is floating point of unknown
width, as everything is that follows `torch.set_default_dtype`; None where nothing is known.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from workbench.source.types.dtype_tables import (
    CASTS,
    FACTORIES,
    JOINING,
    LOSSES,
    OF_FLOATING,
    OF_INDEXES,
    OF_OPERATORS,
    OF_REAL,
    OF_THE_SAME,
    OF_TRUTHS,
    OF_VECTORS,
    OPERANDS,
    PARTS,
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
    UNKNOWN,
    DtypeOf,
    ForeignInstance,
    Items,
    OneOf,
    Plain,
    Tensor,
    TorchObject,
    Value,
    items_of,
)

FLOATING: Final = "floating"
_KINDS = {"bool": 0, "complex64": 3, "complex128": 3, "complex32": 3, FLOATING: 2}
_INTEGERS = frozenset({"uint8", "int8", "int16", "int32", "int64"})
_NUMBERS = {"bool": 0, "int": 1, "float": 2, "complex": 3}
_DEFAULTS = ("bool", "int64", FLOATING, "complex64")
# Dtypes, where known, that another tensor of which less is known hardly widens.
USUAL: Final = frozenset({None, FLOATING, "float32"})
_NARROW = frozenset({FLOATING, "float32", "float16", "bfloat16"})
# What torch's old types of tensors hold.
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
    """0 for bool, 1 for integers, 2 for floating point, 3 for complex; None where not known."""
    if dtype in _INTEGERS:
        return 1
    if dtype is not None and "float" in dtype:
        return 2
    return _KINDS.get(dtype or "")


def alike(first: str | None, second: str | None) -> bool:
    """True where arithmetic on two tensors needs no promotion beyond that of floating widths."""
    if first is None or second is None:
        return False
    return first == second or kind(first) == kind(second) == 2


def differ(first: str | None, second: str | None) -> bool:
    """True where two dtypes are known to be unlike; the default width is taken to be 32 bits."""
    if first is None or second is None or first == second:
        return False
    return {first, second} != {FLOATING, "float32"}


def promote(first: str | None, second: str | None) -> str | None:
    """The dtype of arithmetic on two tensors."""
    if first == second:
        return first
    kinds = kind(first), kind(second)
    if None in kinds:
        return FLOATING if 2 in kinds else None
    if kinds[0] == kinds[1]:
        return FLOATING if kinds[0] == 2 else None
    higher, lower = (first, second) if (kinds[0] or 0) > (kinds[1] or 0) else (second, first)
    if kind(higher) == 3 and kind(lower) == 2:
        return higher if higher == "complex128" or lower in _NARROW else None
    return higher


def with_number(dtype: str | None, number: str) -> str | None:
    """The dtype of arithmetic on a tensor and a Python number of this type."""
    own, other = kind(dtype), _NUMBERS[number]
    if own is None:
        return FLOATING if other == 2 else None
    return dtype if own >= other else _DEFAULTS[other]


def arithmetic(left: Value, right: Value, quotient: bool = False) -> str | None:
    """The dtype of an operator with a tensor on at least one side."""
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
    return FLOATING if quotient and (dtype == "bool" or dtype in _INTEGERS) else dtype


def of_value(value: Value) -> str | None:
    """The dtype that an argument such as `torch.long`, `x.dtype` or `x` names."""
    if isinstance(value, TorchObject):
        name = TENSOR_TYPES.get(value.name, value.name.removeprefix("torch."))
        return name if kind(name) is not None else None
    return value.dtype if isinstance(value, DtypeOf | Tensor) else None


def refined(
    name: str, result: Value, receiver: Value | None, values: list[Value], named: dict[str, Value]
) -> Value:
    """The result of calling a torch function or a tensor's method, with its dtype."""
    short = _plain(name.rpartition(".")[2])
    arguments = values if receiver is None else [receiver, *values]
    if short == "where" and receiver is not None:  # the function's condition comes first
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
    """Whether what torch makes of these may be of one dtype here and another there."""
    unlike = len(operands) > 1 and all(one.dtype is not None for one in operands)
    return unlike or any(MIXED in one.states for one in operands)


def unlike(one: Value, other: Value) -> bool:
    """Whether two tensors are known to be of two dtypes; one that is not known tells nothing."""
    if not isinstance(one, Tensor) or not isinstance(other, Tensor):
        return False
    return MIXED in one.states | other.states or differ(one.dtype, other.dtype)


def may_differ(mine: Value, other: Value) -> bool:
    """Whether two tensors are known to be, or likely are, of two dtypes."""
    if not isinstance(mine, Tensor) or not isinstance(other, Tensor):
        return False
    if MIXED in mine.states | other.states:
        return True
    if mine.dtype is None:
        return kind(other.dtype) in {0, 1}
    return (other.dtype is None and mine.dtype not in USUAL) or differ(mine.dtype, other.dtype)


def _is_array(short: str, arguments: list[Value]) -> bool:
    """Whether a tensor is made of an array of NumPy's, which often has another width or kind."""
    first = arguments[0] if arguments else UNKNOWN
    made = short in {"from_numpy", "as_tensor", "tensor", "asarray"}
    return made and isinstance(first, ForeignInstance) and first.name.startswith("numpy.")


def _plain(short: str) -> str:
    """`add` of `__radd__`, `add_` of `__iadd__`; other names as they are."""
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
        first = first.item  # the tensors of `torch.meshgrid` may come as a list
    own = first.dtype if isinstance(first, Tensor) else None
    certainty = result.item.certainty
    if short in WITH_INDEXES:
        pair: list[Value] = [Tensor(certainty, own), Tensor(certainty, "int64")]
        return items_of(result.kind, pair)
    return Items(result.kind, Tensor(certainty, own)) if short in OF_THE_SAME and own else result


def _dtype(short: str, arguments: list[Value], named: dict[str, Value]) -> str | None:
    if "dtype" in named and named["dtype"] != Plain("NoneType"):
        return of_value(named["dtype"])
    first = arguments[0] if arguments else named.get("input", UNKNOWN)
    own = first.dtype if isinstance(first, Tensor) else None
    if short in CASTS:
        return CASTS[short]
    if short == "view" and len(arguments) == 2 and of_value(arguments[1]) is not None:
        return of_value(arguments[1])
    if short in OF_THE_SAME:
        return own
    if short.endswith("_") and not short.endswith("__") and isinstance(first, Tensor):
        return own
    if short in OF_REAL and own in PARTS:
        return PARTS[own]
    if short in OF_FLOATING or short in LOSSES:
        return own if kind(own) in {2, 3} else FLOATING
    if short in FACTORIES:
        return FLOATING
    if short in OF_TRUTHS or (short in {"any", "all"} and own != "uint8"):
        return "bool"
    if short in OF_INDEXES:
        weights = [*arguments[1:2], named.get("weights", Plain("NoneType"))][0]
        weighted = short == "bincount" and weights != Plain("NoneType")
        return "int64" if "out_int32" not in named and not weighted else None
    if short in SUMS:
        return "int64" if kind(own) in {0, 1} else own
    if short in {"max", "min"}:
        others = [*arguments[1:], *(named[name] for name in ("other",) if name in named)]
        return arithmetic(first, others[0]) if others else own
    if short in WITH_INDEXES or short in {"unique", "unique_consecutive"}:
        return own
    if short == "float_power":
        operands = [*arguments, *named.values()]
        return None if any(_is_complex(value) for value in operands) else "float64"
    if short in {"to", "type", "type_as"}:
        return _cast(short, own, arguments[1:])
    if short in PROMOTING or short in QUOTIENTS:
        rounded = named.get("rounding_mode", Plain("NoneType")) != Plain("NoneType")
        operands = arguments[1:] if short == "where" else arguments
        operands = [*operands, *(value for key, value in named.items() if key in OPERANDS)]
        return _of_all(operands, short in QUOTIENTS and not rounded)
    if short in JOINING:
        return _joined(first)
    if short == "arange":
        return _of_range([*arguments, *named.values()])
    if short in {"tensor", "as_tensor", "full"}:
        given = arguments[1:] if short == "full" else arguments
        return _of_numbers(given or [named.get("fill_value", UNKNOWN)])
    if short in {"clamp", "clip"}:
        bounds = [*arguments[1:], *named.values()]
        return _of_all([first, *bounds], quotient=False) if own else None
    return own if short in {"abs", "absolute"} else None


def _is_complex(value: Value) -> bool:
    own = isinstance(value, Tensor) and kind(value.dtype) == 3
    return own or value == Plain("complex")


def _cast(short: str, own: str | None, arguments: list[Value]) -> str | None:
    """`x.to(...)`, `x.type(...)`: the dtype among the arguments, else the tensor's own."""
    for value in arguments:
        if isinstance(value, Tensor | DtypeOf):
            return value.dtype
        if isinstance(value, TorchObject):
            return of_value(value)
        if value is UNKNOWN:
            return None
    return own if short == "to" else None


def _of_all(operands: list[Value], quotient: bool) -> str | None:
    operands = [value for value in operands if value != Plain("NoneType")]
    if not operands or not any(isinstance(value, Tensor) for value in operands):
        return None
    result = operands[0]
    for value in operands[1:]:
        result = Tensor(dtype=arithmetic(result, value, quotient))
    return result.dtype if isinstance(result, Tensor) else None


def _joined(value: Value) -> str | None:
    if not isinstance(value, Items):
        return None
    if value.items:
        return _of_all(list(value.items), quotient=False)
    return value.item.dtype if isinstance(value.item, Tensor) else None


def _of_numbers(values: list[Value]) -> str | None:
    """The dtype that torch gives Python numbers, alone or in lists."""
    highest = -1
    for leaf in [leaf for value in values for leaf in _leaves(value)]:
        if isinstance(leaf, Tensor):
            return leaf.dtype
        if not isinstance(leaf, Plain) or leaf.kind not in _NUMBERS:
            return None
        highest = max(highest, _NUMBERS[leaf.kind])
    return _DEFAULTS[highest] if highest >= 0 else None


def _leaves(value: Value) -> Iterator[Value]:
    """What nested lists hold, one for all where all are alike: `[1.0, 2, 3]` has unlike ones."""
    if not isinstance(value, Items):
        yield value
    elif value.items and isinstance(value.item, Items | OneOf):
        for item in value.items:
            yield from _leaves(item)
    else:
        yield from _leaves(value.item)


def _of_range(values: list[Value]) -> str | None:
    """The dtype of `torch.arange`: its bounds are lengths unless one is known to be floating."""
    if any(value == Plain("float") for value in values):
        return FLOATING
    if len(values) > 2 and not isinstance(values[2], Plain):
        return None
    return None if any(isinstance(value, Tensor) for value in values) else "int64"


def _is_scalar(short: str, arguments: list[Value], named: dict[str, Value]) -> bool:
    """True for tensors without dimensions: whole reductions, losses, tensors of one number."""
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
    """The tensor that a module of this torch class gives."""
    short = cls.rpartition(".")[2]
    if short in UNTYPED_MODULES:
        return certain
    if short in PASSING_MODULES:
        first = values[0] if values else UNKNOWN
        return Tensor(certain.certainty, first.dtype if isinstance(first, Tensor) else None)
    return Tensor(certain.certainty, FLOATING, short.endswith("Loss"))
