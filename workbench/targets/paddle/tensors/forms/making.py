"""Creation of tensors from numbers, arrays, sizes."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from workbench.rules.difference import Difference, at, unless
from workbench.rules.forms import FormSet
from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Rewrite
from workbench.source.traits.sharing import holders_of
from workbench.source.types import dtypes
from workbench.source.types.lattice import (
    UNKNOWN,
    Instance,
    Items,
    OneOf,
    Plain,
    Tensor,
    Value,
    is_of_numpy,
)
from workbench.source.types.views import root

forms = FormSet(since="3.3")
_DISPLAYS = (ast.List, ast.Tuple, ast.ListComp)
_REST_OF_TENSOR = ", dtype={dtype}, device={device}, requires_grad={requires_grad})"


@forms.form("torch.tensor", value="paddle.tensor", value_differs=(Difference.FLOAT_DTYPE,))
def tensor(match: Match) -> Outcome | None:
    """Keep the call; Paddle gives NumPy's floats in a list the default dtype."""
    data = match.value("data")
    node = match.arguments["data"].node if "data" in match else None
    if node is None or isinstance(data, Tensor) or match.given("pin_memory"):
        return None
    if _is_no_list(data, node):
        return Rewrite(f"paddle.tensor(list({{data}}){_REST_OF_TENSOR}")
    literal = match.constant("data") is not None and not _names(node)
    numbers = isinstance(data, Plain) and data.kind in {"int", "float", "bool"}
    numbers = numbers or (isinstance(node, ast.Call) and ast.unparse(node.func)[:5] == "math.")
    items = isinstance(data, Items) and _plain_items(data)
    known = (data.items or (data.item,)) if isinstance(data, Items) else ()
    if any(map(is_of_numpy, known)):
        return None
    dtype_is_known = match.given("dtype") or (
        known and all(isinstance(one, Tensor) for one in known)
    )
    if any(isinstance(one, Tensor) and one.dtype == "bfloat16" for one in known):
        return None  # Paddle reads the bits of such items as integers
    if not match.given("dtype") and (dtype := _dtype_of_items(match)) is not None:
        free = frozenset({"dtype"})
        text = f'paddle.tensor({{data}}, dtype="{dtype}", device={{device}}'
        return Rewrite(f"{text}, requires_grad={{requires_grad}})", consumed=free)
    if any(isinstance(one, Tensor) for one in known) and not dtype_is_known:
        return Rewrite("paddle.tensor", callee_only=True, differs=(Difference.FLOAT_DTYPE,))
    if is_of_numpy(data):
        return Rewrite("paddle.tensor", callee_only=True)
    differs = _OF_SEQUENCE if not (literal or numbers or isinstance(data, Items | Plain)) else ()
    if literal or numbers or items or dtype_is_known or not (_uses_numpy(match) or _mixes(node)):
        return Rewrite("paddle.tensor", callee_only=True, differs=differs)
    return Rewrite("paddle.tensor", callee_only=True, differs=(Difference.FLOAT_DTYPE, *differs))


_OF_SEQUENCE = at(
    "a range, an array.array or another sequence that is no list raises an error in {target}: "
    "pass list(...)"
)


def _is_no_list(data: Value, node: ast.expr) -> bool:
    """Return whether data is a sequence of which Paddle makes no tensor."""
    if isinstance(data, Items):
        return data.kind in {"deque", "range"}
    return _calls(node, "bytearray") or _calls(node, "array.array")


_OF_NUMBERS = {"bool": "bool", "int": "int64", "float": "float32", "complex": "complex64"}


def _dtype_of_items(match: Match) -> str | None:
    """Return the dtype of a list of tensors of several dtypes, or of tensors and numbers.

    Paddle takes the one that NumPy gives the list. Return None if it is the same, or unknown.
    """
    leaves = list(_leaves(match.value("data")))
    if not any(isinstance(one, Tensor) for one in leaves):
        return None
    if match.program.calls("set_default_dtype", "set_default_tensor_type"):
        return None
    found: set[str | None] = set()
    for one in leaves:
        number = _OF_NUMBERS.get(one.kind) if isinstance(one, Plain) else None
        found.add(one.dtype if isinstance(one, Tensor) else number)
    first, *others = found
    for other in others:
        first = _wider_of(first, other)
    alike = len(found) == 1 and all(isinstance(one, Tensor) for one in leaves)
    return None if alike or first == dtypes.FLOATING else first


def _wider_of(one: str | None, other: str | None) -> str | None:
    if dtypes.kind(one) == dtypes.kind(other) == 2 and dtypes.FLOATING not in (one, other):
        return "float64" if "float64" in (one, other) else "float32"
    return dtypes.promote(one, other)


def _leaves(value: Value) -> Iterator[Value]:
    """Yield the items of nested lists of known length; of others, a value of unknown type."""
    if not isinstance(value, Items):
        yield value
    elif value.items is None:
        yield UNKNOWN
    else:
        for one in value.items:
            yield from _leaves(one)


def _names(node: ast.expr) -> bool:
    return any(isinstance(part, ast.Name | ast.Attribute | ast.Call) for part in ast.walk(node))


def _calls(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func) == name


def _uses_numpy(match: Match) -> bool:
    return "numpy" in match.program.traits.modules


def _mixes(node: ast.expr) -> bool:
    """Return whether a list holds both numbers and possible tensors, as `[loss, 0.5]` does."""
    listed = node.elts if isinstance(node, ast.List | ast.Tuple) else []
    return len({_names(one) for one in listed}) > 1


def _plain_items(value: Value) -> bool:
    if isinstance(value, Items):
        return all(map(_plain_items, value.items or (value.item,)))
    return isinstance(value, Plain) and value.kind in {"int", "float", "bool"}


@forms.form("torch.as_tensor")
def as_tensor(match: Match) -> Outcome | None:
    """Return a copy of data that is not a tensor; later writes to an array do not change it."""
    data = match.value("data")
    if "data" in match and isinstance(match.arguments["data"].node, _DISPLAYS):
        return tensor(match)
    if "data" in match and _is_no_list(data, match.arguments["data"].node):
        return Rewrite("paddle.as_tensor(list({data}), dtype={dtype}, device={device})")
    array = is_of_numpy(data)
    # Tensors with an integer dtype lose no gradients, since they have none.
    dtype = dtypes.of_value(match.value("dtype")) if "dtype" in match else None
    whole = dtypes.kind(dtype) in {0, 1} and not isinstance(data, Tensor)
    if array or whole or isinstance(data, Plain) or _plain_items(data):
        copied = (array or whole) and _is_shared(match, "data")
        return None if copied else Rewrite("paddle.as_tensor", callee_only=True)
    may_be_any = data is UNKNOWN or isinstance(data, OneOf | Tensor)
    if not may_be_any or _is_shared(match, "data"):
        return None
    # A tensor keeps its gradients, which Paddle's own call drops.
    given = [name for name in ("dtype", "device") if name in match]
    made = ", ".join(["{data}", *(f"{name}={{{name}}}" for name in given)])
    moved = ", ".join(f"{{{name}}}" for name in reversed(given))
    kept = f"{{data}}.to({moved})" if given else "{data}"
    if isinstance(data, Tensor):
        return Rewrite(kept)
    if not _is_path(match.arguments["data"].node):
        return None
    dtype_is_known = "dtype" in match or not _uses_numpy(match)
    differs = () if dtype_is_known else (Difference.FLOAT_DTYPE,)
    return Rewrite(
        f"({kept} if paddle.is_tensor({{data}}) else paddle.tensor({made}))",
        differs=(*differs, *_OF_SEQUENCE),
    )


def _is_path(node: ast.expr) -> bool:
    """Return whether an expression is a name with members and entries, which may be repeated."""
    while isinstance(node, ast.Attribute) or (
        isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant)
    ):
        node = node.value
    return isinstance(node, ast.Name)


@forms.form("torch.get_default_dtype")
def default_dtype(match: Match) -> Outcome | None:
    """Write a dtype; Paddle's own function returns its name."""
    return Rewrite("paddle.tensor(0.0).dtype")


@forms.form("torch.full")
def full(match: Match) -> Outcome | None:
    """Keep a fill value of unknown type, whose dtype torch takes."""
    if not {"size", "fill_value"} <= match.arguments.keys():
        return None
    value = match.value("fill_value")
    if isinstance(value, Plain) or match.arguments.keys() - {"size", "fill_value", "device"}:
        return None
    if isinstance(value, Tensor):
        return None
    placed = ", device={device}" if "device" in match else ""
    differs = _OF_NUMPY if is_of_numpy(value) else ()
    return Rewrite(f"paddle.tensor({{fill_value}}{placed}).expand({{size}})", differs=differs)


_OF_NUMPY = unless(
    "for a float64 value of NumPy the result is float64; in torch it has the default dtype"
)


@forms.form("torch.from_numpy")
def from_numpy(match: Match) -> Outcome | None:
    """Write a copy; later writes to the array do not change it.

    An array that a call has just created has no name, so nothing can write to it.
    """
    shared = _is_shared(match, "ndarray")
    made = isinstance(match.arguments["ndarray"].node, ast.Call) or _is_copied(match)
    note = (
        None
        if made
        else (
            "the tensor is a copy: a write to the tensor or to the array does not change the other"
        )
    )
    return None if shared else Rewrite("paddle.from_numpy", callee_only=True, note=note)


_CASTS = frozenset({"float", "double", "half", "long", "int", "bool", "clone"})


def _is_shared(match: Match, parameter: str) -> bool:
    """Return whether an array and the tensor that shares its memory in torch are seen to do so.

    That requires a write to one of them while the other still has its own name.
    """
    array, statement = match.arguments[parameter].node, match.use.statement
    gone = isinstance(statement, ast.Return) and isinstance(array, ast.Name)
    if gone or isinstance(array, ast.Call | ast.BinOp) or _is_copied(match):
        return False
    mine, targets = root(array), _named(match)
    if targets == {mine}:
        return False
    if not match.program.traits.changed.isdisjoint(filter(None, {mine, *targets})):
        return True
    holders = holders_of(match.use.node, statement, match.use.function)
    return match.program.may_change_in_place(holders)


def _is_copied(match: Match) -> bool:
    """Return whether the tensor is cast or cloned at once: `torch.from_numpy(x).float()`."""
    return any(
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.value is match.use.node
        and (call.func.attr in _CASTS or (call.func.attr == "to" and _to_dtype(call)))
        for call in ast.walk(match.use.statement)
    )


def _to_dtype(call: ast.Call) -> bool:
    """Return whether a call of `to` names a dtype: `.to(torch.long)`, `.to(dtype=torch.half)`."""
    named = any(one.arg == "dtype" for one in call.keywords)
    return named or any(
        isinstance(one, ast.Attribute) and (one.attr in _CASTS or dtypes.kind(one.attr) is not None)
        for one in call.args
    )


def _named(match: Match) -> set[str | None]:
    """Return the names that a statement binds to the tensor, or to the result of a call on it."""
    statement = match.use.statement
    if not isinstance(statement, ast.Assign):
        return set()
    made = statement.value
    while made is not match.use.node:
        if isinstance(made, ast.Call) and isinstance(made.func, ast.Attribute):
            made = made.func.value
        elif isinstance(made, ast.Subscript):
            made = made.value
        else:
            return set()
    return {root(one) for one in statement.targets if isinstance(one, ast.Name | ast.Attribute)}


_LEGACY = {
    "DoubleTensor": "float64",
    "IntTensor": "int32",
    "LongTensor": "int64",
    "BoolTensor": "bool",
}


@forms.form("torch.FloatTensor", "torch.Tensor", *(f"torch.{name}" for name in _LEGACY))
def legacy(match: Match) -> Outcome | None:
    """Write a tensor from a list of numbers; sizes give uninitialized memory in both."""
    arguments = match.arguments.get("args")
    placed = ", device={device}" if "device" in match else ""
    name = match.use.name.rpartition(".")[2]
    dtype = _LEGACY.get(name, "float32")
    if arguments is None:
        typed = "" if name == "Tensor" else f', dtype="{dtype}"'
        return Rewrite(f"paddle.empty([0]{typed}{placed})")
    if arguments.starred:
        return None
    if len(arguments.nodes) > 1:
        return Rewrite(f'paddle.empty({{args}}, dtype="{dtype}"{placed})')
    listed = isinstance(arguments.node, ast.List | ast.ListComp | ast.Tuple) or isinstance(
        arguments.value, Items
    )
    if not listed:
        return None if placed else _from_data(match, name, dtype)
    callee = "tensor" if placed else "to_tensor"
    data = "list(*{args})" if _calls(arguments.node, "range") else "*{args}"
    return Rewrite(f'paddle.{callee}({data}, dtype="{dtype}"{placed})')


def _from_data(match: Match, name: str, dtype: str) -> Outcome | None:
    """Write a tensor from a list, array or size; Paddle keeps an array's dtype, torch its own."""
    value, text = match.value("args"), ast.unparse(match.arguments["args"].node)
    if isinstance(value, Tensor) or value == Instance("torch.Size"):
        return None
    if text.endswith((".shape", ".size()")) or name in _LEGACY.keys() - {"LongTensor"}:
        return None
    if name == "Tensor" and match.program.calls("set_default_dtype", "set_default_tensor_type"):
        return None
    cast = "" if isinstance(value, Plain) and value.kind == "int" else f'.astype("{dtype}")'
    return Rewrite(f"paddle.{name}(*{{args}}){cast}")


@forms.form(
    *("torch.randn", "torch.rand", "torch.empty", "torch.ones", "torch.zeros"),
    *("torch.randn_like", "torch.rand_like"),
)
def made(match: Match) -> Outcome | None:
    """Keep the call, without the arguments that Paddle lacks."""
    if match.given("generator", "out", "layout", "memory_format", "pin_memory"):
        return None
    if len(match.use.arguments) > 1 and any(isinstance(v, Tensor) for v in match.use.values):
        # `torch.zeros(lengths.max(), 3)`: Paddle interprets the first argument as the whole size.
        return None
    name = match.use.name.rpartition(".")[2]
    if _has_numpys_number(match):
        sizes = ", ".join(map(ast.unparse, match.use.arguments))
        return Rewrite(f"paddle.{name}({{size}}{_REST_OF_TENSOR}", texts={"size": f"[{sizes}]"})
    return Rewrite(f"paddle.{name}", callee_only=True)


def _has_numpys_number(match: Match) -> bool:
    """Return whether one of several sizes is a NumPy number, which Paddle wants in a list."""
    nodes, values = match.use.arguments, match.use.values
    several = len(nodes) > 1 or any(isinstance(node, ast.Starred) for node in nodes)
    return several and any(map(is_of_numpy, values))
