"""Creation of tensors from data and constants."""

from __future__ import annotations

import ast

from workbench.rules.family import Family
from workbench.rules.match import Match
from workbench.rules.outcome import Keep, Outcome, Rewrite
from workbench.source.types.lattice import Items, Plain, Tensor, Value
from workbench.targets.paddle.common.creating import (
    IGNORED,
    LIKE,
    MAKING,
    UNSEEN,
    into_out,
    problem,
    single,
    sizes,
)

rules = Family()


@rules.rule(
    "torch.tensor",
    unpacked="(lambda data, *, dtype=None, device=None, requires_grad=False, pin_memory=False: "
    "torch_tensor(data, dtype, device, not requires_grad))(...)",
)
def tensor(match: Match) -> Outcome:
    """Write Paddle's function for Python data, of which it infers torch's dtypes, else a helper."""
    data, grad = match.value("data"), match.constant("requires_grad", False)
    gradient = {True: ", stop_gradient=False", False: ""}.get(grad)
    consumed = {"pin_memory"}
    if gradient is None:
        gradient = ", stop_gradient=not {requires_grad}"
    else:
        consumed.add("requires_grad")
    callee = (
        "paddle.to_tensor"
        if not _ranges(match)
        and (match.given("dtype") or _plain(data))
        and not _may_hold_bfloat16(data)
        else "torch_tensor"
    )
    return Rewrite(
        callee + "({data}, dtype={dtype}, place={device}" + gradient + ")",
        consumed=frozenset(consumed & match.arguments.keys()),
    )


def _ranges(match: Match) -> bool:
    """Return True for `range(3)`, which Paddle makes no tensor of."""
    data = match.value("data")
    return isinstance(data, Items) and data.kind not in {"list", "tuple"}


def _may_hold_bfloat16(value: Value) -> bool:
    """Return whether a list may hold bfloat16 tensors, whose values Paddle does not read."""
    if not isinstance(value, Items):
        return False
    parts = value.items if value.items is not None else (value.item,)
    halves = {None, "floating", "bfloat16"}
    return any(
        part.dtype in halves if isinstance(part, Tensor) else _may_hold_bfloat16(part)
        for part in parts
    )


def _plain(value: Value) -> bool:
    """Return True for data of which Paddle makes the dtype that torch makes."""
    if isinstance(value, Items):
        parts = value.items if value.items is not None else (value.item,)
        tensors = [part for part in parts if isinstance(part, Tensor)]
        mixed = len(tensors) < len(parts) or len({part.dtype for part in tensors}) > 1
        return not (tensors and mixed) and all(_plain(part) for part in parts)
    return isinstance(value, Tensor) or (
        isinstance(value, Plain) and value.kind in {"int", "float", "bool", "complex"}
    )


rules.row(
    "torch.scalar_tensor",
    "paddle.full([], {s}, dtype={dtype=paddle.get_default_dtype()}, device={device}, "
    "requires_grad={requires_grad})",
    ignored=UNSEEN,
)
rules.row("torch.as_tensor", "torch_as_tensor({data}, dtype={dtype}, place={device})")
rules.row(
    "torch.asarray",
    "torch_asarray({obj}, dtype={dtype}, place={device}, copy={copy}, "
    "requires_grad={requires_grad})",
)
rules.row("torch.from_numpy", "torch_from_numpy({ndarray})")


def _sized(match: Match, callee: str) -> Outcome:
    if (refusal := problem(match)) is not None:
        return refusal
    if (refusal := single(match, "size")) is not None:
        return refusal
    made = Rewrite(
        f"{callee}({sizes(match)}{MAKING}", consumed=frozenset(IGNORED) & match.arguments.keys()
    )
    return into_out(match, made)


@rules.rule("torch.zeros", unpacked="paddle.zeros(...)")
def zeros(match: Match) -> Outcome:
    return _sized(match, "paddle.zeros")


@rules.rule("torch.ones", unpacked="paddle.ones(...)")
def ones(match: Match) -> Outcome:
    return _sized(match, "paddle.ones")


@rules.rule("torch.empty", unpacked="paddle.empty(...)")
def empty(match: Match) -> Outcome:
    return _sized(match, "paddle.empty")


rules.row("torch.zeros_like", "paddle.zeros_like({input}" + LIKE, ignored=IGNORED)
rules.row("torch.ones_like", "paddle.ones_like({input}" + LIKE, ignored=IGNORED)
rules.row("torch.empty_like", "paddle.empty_like({input}" + LIKE, ignored=IGNORED)
rules.row("torch.full_like", "paddle.full_like({input}, {fill_value}" + LIKE, ignored=IGNORED)


@rules.rule("torch.full", unpacked="torch_full(...)")
def full(match: Match) -> Outcome:
    """Name the dtype of the fill value: Paddle would use the default one."""
    if (refusal := problem(match)) is not None:
        return refusal
    consumed = frozenset(IGNORED) & match.arguments.keys()
    value = match.value("fill_value")
    kind = value.kind if isinstance(value, Plain) else ""
    if match.given("dtype") or kind in {"float", "bool"}:
        return into_out(
            match, Rewrite("paddle.full({size}, {fill_value}" + MAKING, consumed=consumed)
        )
    if kind == "int":
        template = (
            "paddle.full({size}, {fill_value}, dtype=paddle.int64, device={device}, "
            "requires_grad={requires_grad})"
        )
    else:
        template = (
            "torch_full({size}, {fill_value}, device={device}, requires_grad={requires_grad})"
        )
    made = Rewrite(template, consumed=consumed | {"dtype"} & match.arguments.keys())
    return into_out(match, made)


@rules.rule(
    "torch.eye",
    unpacked="(lambda n, m=None, *, layout=None, pin_memory=False, **options: "
    "paddle.eye(n, m, **options))(...)",
)
def eye(match: Match) -> Outcome:
    """Cast an identity to a dtype for which Paddle has no kernel."""
    if (refusal := problem(match)) is not None:
        return refusal
    consumed = frozenset(IGNORED) & match.arguments.keys()
    made = not match.given("dtype") or _dtype_name(match) in _EYE_DTYPES
    if made or match.constant("requires_grad", False) is not False:
        return into_out(match, Rewrite("paddle.eye({n}, {m}" + MAKING, consumed=consumed))
    cast = Rewrite(
        "paddle.eye({n}, {m}, device={device}).astype({dtype})",
        consumed=consumed | ({"requires_grad"} & match.arguments.keys()),
    )
    return into_out(match, cast)


_EYE_DTYPES = frozenset({"int32", "int64", "long", "float", "float32", "float64", "double"})


def _dtype_name(match: Match) -> str:
    """Return the last part of a written dtype, such as `float32` of `torch.float32`."""
    node = match.arguments["dtype"].node
    return node.attr if isinstance(node, ast.Attribute) else ""


def new(match: Match) -> Outcome:
    if (refusal := problem(match)) is not None:
        return refusal
    unseen = frozenset({"pin_memory", "layout"}) & match.arguments.keys()
    if not unseen:
        return Keep()
    value = "{fill_value}, " if match.use.name.endswith("full") else ""
    callee = "{self}." + match.use.name.rpartition(".")[2]
    return Rewrite(f"{callee}({{size}}, {value}{MAKING.removeprefix(', ')}", consumed=unseen)


for _name in ("new_zeros", "new_ones", "new_full", "new_empty"):
    rules.rule(f"torch.Tensor.{_name}", unpacked=f"{{self}}.{_name}(...)")(new)

rules.row(
    "torch.Tensor.new_tensor",
    "torch_new_tensor({self}, {data}, dtype={dtype}, place={device}, "
    "requires_grad={requires_grad})",
)
