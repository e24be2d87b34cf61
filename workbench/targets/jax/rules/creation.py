"""Creation of tensors."""

from __future__ import annotations

import ast
from dataclasses import replace

from workbench.rules.difference import unless
from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Refusal, Rewrite
from workbench.source.types.lattice import (
    UNKNOWN,
    Instance,
    Items,
    Plain,
    Tensor,
    Value,
    is_of_numpy,
)
from workbench.targets.jax.writing import PLACED, Functions, T

rules = Functions()
IGNORED = {
    "device": PLACED,
    "requires_grad": "JAX differentiates functions",
    "pin_memory": "JAX moves arrays itself",
    "layout": "JAX arrays are dense",
    "memory_format": "XLA lays out arrays",
    "non_blocking": "JAX copies asynchronously",
}
_OUT = Refusal(
    "JAX arrays cannot be changed in place, so that none can be given as `out`", "y = jnp.zeros(2)"
)


def _made(match: Match, template: str) -> Outcome:
    if match.given("out"):
        return _OUT
    for name in ("names", "generator"):
        if match.given(name):
            return Refusal(f"JAX has no equivalent of the argument `{name}`")
    unseen = {*IGNORED, "out", "names", "generator"} - {"memory_format"} & match.arguments.keys()
    return Rewrite(template, consumed=frozenset(unseen & match.arguments.keys()))


def size_of(match: Match) -> str:
    """Return the placeholder of a size, which may be numbers or a sequence."""
    argument = match.arguments.get("size")
    if argument is None:
        return "()"
    if argument.starred:
        return "{size}"
    if len(argument.nodes) > 1 or match.is_sequence("size") or match.is_number("size"):
        return "{size}"
    return "torch_sizes({size})"


def _sized(name: str) -> None:
    @rules.rule(f"torch.{name}")
    def make(match: Match) -> Outcome:
        return _made(match, f"jnp.{name}({size_of(match)}, dtype={{dtype}})")

    @rules.rule(f"torch.{name}_like")
    def like(match: Match) -> Outcome:
        return _made(match, f"jnp.{name}_like({{input}}, dtype={{dtype}})")

    @rules.rule(f"{T}new_{name}")
    def new(match: Match) -> Outcome:
        return _new(match, name)


def _new(match: Match, name: str, value: str = "") -> Outcome:
    dtype = "{dtype}" if match.given("dtype") else "{self}.dtype"
    found = _made(match, f"jnp.{name}({size_of(match)}, {value}dtype={dtype})")
    if isinstance(found, Rewrite) and "dtype" in match and not match.given("dtype"):
        return Rewrite(found.template, consumed=found.consumed | {"dtype"})
    return found


for _name in ("zeros", "ones", "empty"):
    _sized(_name)


@rules.rule(T + "new_full")
def new_full(match: Match) -> Outcome:
    return _new(match, "full", "{fill_value}, ")


@rules.rule("torch.full_like")
def full_like(match: Match) -> Outcome:
    return _made(match, "jnp.full_like({input}, {fill_value}, dtype={dtype})")


_KINDS = {"bool": "bool", "int": "jnp.int32", "float": "jnp.float32"}


@rules.rule("torch.full")
def full(match: Match) -> Outcome:
    """Name the dtype: a number alone makes an array that takes on the dtype of others."""
    if match.given("dtype"):
        return _made(match, "jnp.full({size}, {fill_value}, dtype={dtype})")
    value = match.value("fill_value")
    kind = _KINDS.get(value.kind) if isinstance(value, Plain) else None
    template = (
        "jnp.full({size}, {fill_value}, dtype=" + kind + ")"
        if kind
        else ("jnp.full({size}, jnp.array({fill_value}))")
    )
    found = _made(match, template)
    if isinstance(found, Rewrite) and "dtype" in match:
        return Rewrite(template, consumed=found.consumed | {"dtype"})
    return found


rules.row(
    "torch.scalar_tensor",
    "jnp.array({s}, dtype={dtype=jnp.float32})",
    ignored={name: IGNORED[name] for name in ("device", "requires_grad", "pin_memory", "layout")},
)


@rules.rule("torch.tensor", T + "new_tensor")
def tensor(match: Match) -> Outcome:
    """Write an array; data that may hold tensors passes no gradients on."""
    new = match.use.name.endswith("new_tensor") and not match.given("dtype")
    dtype = "{self}.dtype" if new else "{dtype}"
    if _holds_halves(match.value("data")):
        return Refusal("which dtype torch gives it is not followed", "jnp.stack(tensors)")
    plain = _is_plain(match.value("data"))
    text = f"jnp.array({{data}}, dtype={dtype})" if plain else f"torch_tensor({{data}}, {dtype})"
    found = _made(match, text)
    consumed = {"dtype"} & match.arguments.keys() if new else set()
    return (
        replace(found, consumed=found.consumed | consumed) if isinstance(found, Rewrite) else found
    )


def _is_plain(value: Value) -> bool:
    """Return whether data is known to hold no tensors."""
    if isinstance(value, Items):
        parts = value.items if value.items is not None else (value.item,)
        return all(map(_is_plain, parts))
    return isinstance(value, Plain) or is_of_numpy(value)


_HALVES = frozenset({None, "float16", "bfloat16"})


def _holds_halves(value: Value) -> bool:
    """Return whether a list may hold tensors of half floats beside other numbers."""
    if not isinstance(value, Items):
        return False
    parts = value.items if value.items is not None else (value.item,)
    return any(
        part.dtype in _HALVES if isinstance(part, Tensor) else _holds_halves(part) for part in parts
    )


def _holds_tensors(value: Value) -> bool:
    if not isinstance(value, Items):
        return False
    parts = value.items if value.items is not None else (value.item,)
    return any(isinstance(part, Tensor) or _holds_tensors(part) for part in parts)


@rules.rule("torch.as_tensor", "torch.asarray", "torch.from_numpy", value="jnp.array")
def as_tensor(match: Match) -> Outcome:
    """Write a copy, and say so where the program may change the array of numpy afterwards."""
    name = next(one for one in ("data", "obj", "ndarray") if one in match)
    if _holds_tensors(match.value(name)):
        return Refusal("which dtype torch gives it is not followed", "jnp.stack(tensors)")
    given = (
        f"jnp.array({{{name}}}, dtype={{dtype}})" if "dtype" in match else f"jnp.array({{{name}}})"
    )
    found = _made(match, given)
    if not isinstance(found, Rewrite):
        return found
    shares = isinstance(match.arguments[name].node, ast.Name | ast.Attribute | ast.Subscript)
    shares = shares and not match.is_sequence(name) and not match.is_number(name)
    shares = shares and not match.is_tensor(name)
    return replace(
        found,
        consumed=found.consumed | ({"copy"} & match.arguments.keys()),
        differs=_COPIED if shares else (),
    )


_COPIED = unless(
    "the numpy array is changed later: torch shares its memory, and the JAX array is a copy"
)


@rules.rule("torch.eye")
def eye(match: Match) -> Outcome:
    return _made(match, "jnp.eye({n}, {m}, dtype={dtype})")


@rules.rule("torch.arange", value="jnp.arange")
def arange(match: Match) -> Outcome:
    if "start" not in match:
        return _made(match, "jnp.arange({end}, dtype={dtype})")
    if "step" in match:
        return _made(match, "jnp.arange({start}, {end}, {step}, dtype={dtype})")
    return _made(match, "jnp.arange({start}, {end}, dtype={dtype})")


@rules.rule("torch.linspace")
def linspace(match: Match) -> Outcome:
    return _made(match, "jnp.linspace({start}, {end}, {steps}, dtype={dtype})")


@rules.rule("torch.logspace")
def logspace(match: Match) -> Outcome:
    return _made(match, "jnp.logspace({start}, {end}, {steps}, base={base}, dtype={dtype})")


for _name in ("tril", "triu"):

    @rules.rule(f"torch.{_name}_indices")
    def indices(match: Match, name: str = _name) -> Outcome:
        text = f"jnp.stack(jnp.{name}_indices({{row}}, {{offset=0}}, {{col}}))"
        if match.given("dtype"):
            text += ".astype({dtype})"
        found = _made(match, text)
        rest = {"dtype"} & match.arguments.keys() if not match.given("dtype") else set()
        return (
            Rewrite(text, consumed=found.consumed | rest) if isinstance(found, Rewrite) else found
        )


_TYPES = {
    "Tensor": "jnp.float32",
    "FloatTensor": "jnp.float32",
    "HalfTensor": "jnp.float16",
    "ByteTensor": "jnp.uint8",
    "IntTensor": "jnp.int32",
    "LongTensor": "jnp.int32",
    "BoolTensor": "bool",
}


def _typed(name: str, dtype: str) -> None:
    @rules.rule(f"torch.{name}", value="jax.Array" if name == "Tensor" else None)
    def legacy(match: Match) -> Outcome:
        """Write data or a size in the dtype of the class."""
        argument = match.arguments.get("args")
        if argument is None:
            return Rewrite(f"jnp.zeros(0, {dtype})")
        unseen = frozenset({"device"}) & match.arguments.keys()
        numbers = all(_is_int(value) for value in argument.values)
        if numbers and not argument.starred:
            return Rewrite(f"jnp.empty({{args}}, {dtype})", consumed=unseen)
        value = argument.value
        data = isinstance(argument.node, ast.List | ast.ListComp) or _is_data(value)
        if len(argument.nodes) > 1 or argument.starred or _holds_tensors(value):
            return Refusal("it is not known whether it is given data or a size", "jnp.array(data)")
        if value == Instance("torch.Size"):
            return Rewrite(f"jnp.empty(*{{args}}, {dtype})", consumed=unseen)
        if not data:
            named = isinstance(argument.node, ast.Name | ast.Attribute | ast.Subscript | ast.Call)
            open_ = named and value is UNKNOWN
            text = f"torch_typed(*{{args}}, dtype={dtype})"
            return Rewrite(text, consumed=unseen, differs=_SIZES if open_ else ())
        return Rewrite(f"jnp.array(*{{args}}, dtype={dtype})", consumed=unseen)


_SIZES = unless("if its argument is a torch.Size: torch makes a tensor of that size")


def _is_int(value: Value) -> bool:
    return isinstance(value, Plain) and value.kind == "int"


def _is_data(value: Value) -> bool:
    return isinstance(value, Items) and value.kind == "list"


for _name, _dtype in _TYPES.items():
    _typed(_name, _dtype)
