"""Conversions of a tensor: casts by name, to(), type(), a contiguous copy, a clone."""

from __future__ import annotations

import ast

from workbench.findings import Certainty
from workbench.rules.family import Family
from workbench.rules.match import Match
from workbench.rules.outcome import Keep, Outcome, Refusal, Rewrite
from workbench.source.types import dtypes
from workbench.source.types.lattice import (
    UNKNOWN,
    UNSURE,
    Instance,
    Plain,
    Tensor,
    TorchObject,
)
from workbench.targets.paddle.common.creating import IGNORED

rules = Family()
_LAID_OUT = {"memory_format": IGNORED["memory_format"]}

_T = "torch.Tensor."

_DTYPES = {
    "half": "float16",
    "bfloat16": "bfloat16",
    "float": "float32",
    "double": "float64",
    "byte": "uint8",
    "char": "int8",
    "short": "int16",
    "int": "int32",
    "long": "int64",
    "bool": "bool",
    "cfloat": "complex64",
    "cdouble": "complex128",
}
_WHOLE = frozenset({"uint8", "int8", "int16", "int32", "int64", "bool"})
_PYTHONS = {"builtins.int": "int64", "builtins.float": "float64", "builtins.bool": "bool"}
_FLOATING_NAMES = frozenset({"torch.float16", "torch.bfloat16", "torch.float64"})
_WHOLE_NAMES = frozenset(f"torch.{name}" for name in (*_WHOLE, "short", "int", "long"))
for _name, _dtype in _DTYPES.items():
    _cast = f"self.detach().{_name}()" if _dtype in _WHOLE else f"self.{_name}()"

    @rules.rule(
        _T + _name,
        value=f"(lambda self, memory_format=None: {_cast})",
        unpacked=f"(lambda self, memory_format=None: {_cast})({{self}}, ...)",
    )
    def cast(match: Match, name: str = _name, dtype: str = _dtype) -> Outcome:
        """Write the cast; integers never require gradients in torch."""
        if dtype in _WHOLE and _asks(match):
            return Rewrite(f"{{self}}.detach().{name}()", consumed=frozenset({"memory_format"}))
        if "memory_format" in match:
            return Rewrite(f"{{self}}.{name}()", consumed=frozenset({"memory_format"}))
        return Keep()


def _asks(match: Match) -> bool:
    """Return whether the receiver asks for gradients, or is floating point that may well do so."""
    value = match.use.receiver_value
    fraction = _is_fraction(match.use.receiver)
    if not isinstance(value, Tensor):
        return value is UNKNOWN and fraction
    floating = dtypes.kind(value.dtype) == 2 or (value.dtype is None and fraction)
    return value.recorded or (UNSURE in value.states and floating)


def _is_fraction(node: ast.expr | None) -> bool:
    """Return True for `x / y` and `x * 0.5`, whatever these are."""
    if not isinstance(node, ast.BinOp):
        return False
    numbers = [one.value for one in (node.left, node.right) if isinstance(one, ast.Constant)]
    return isinstance(node.op, ast.Div) or any(isinstance(one, float) for one in numbers)


def _into_whole(match: Match) -> bool:
    """Return whether a tensor that asks for gradients becomes one of integers, which never does."""
    given = [*match.use.values, *match.use.keywords.values()]
    return _asks(match) and any(
        (isinstance(value, TorchObject) and value.name in _WHOLE_NAMES)
        or (isinstance(value, Tensor) and dtypes.kind(value.dtype) in {0, 1})
        for value in given
    )


def _into_another(match: Match) -> bool:
    """Return whether the only argument is another dtype and the tensor requires gradients.

    Paddle's `to` keeps the flag even if no gradients are recorded.
    """
    given = [*match.use.values, *match.use.keywords.values()]
    value = match.use.receiver_value
    if not (isinstance(value, Tensor) and value.grad and value.dtype and len(given) == 1):
        return False
    name = given[0].name if isinstance(given[0], TorchObject) else ""
    return name in _FLOATING_NAMES and name != f"torch.{value.dtype}"


rules.rule("torch.Tensor.cuda")(lambda match: _cuda(match))


def _cuda(match: Match) -> Outcome:
    unseen = frozenset({"non_blocking", "memory_format"}) & match.arguments.keys()
    if "device" in match and not match.is_number("device"):
        return Rewrite("{self}.to({device})", consumed=unseen)
    return Rewrite("{self}.cuda({device})", consumed=unseen)


@rules.rule(
    "torch.Tensor.to",
    unpacked="(lambda self, *args, device=None, dtype=None, other=None, non_blocking=False,"
    " copy=False, memory_format=None: torch_to(self, [*args], device, dtype, other, copy=copy))"
    "({self}, ...)",
)
def to(match: Match) -> Outcome:
    """Keep forms that Paddle has too; device numbers, copies and memory formats differ."""
    rare = match.given("copy") or "memory_format" in match
    if _into_whole(match) and not rare:
        return Rewrite("{self}.detach().to", callee_only=True)
    if _into_another(match):
        return Rewrite("{self}.astype", callee_only=True)
    given = [*match.use.values, *match.use.keywords.values()]
    kinds = [_PYTHONS[name] for one in given if (name := getattr(one, "name", "")) in _PYTHONS]
    harmless = {"non_blocking", "copy", "memory_format"}
    alone = len(match.use.values) + len(match.use.keywords.keys() - harmless) == 1
    if kinds and alone and not match.given("copy"):
        dtype = kinds[0]
        consumed = frozenset(match.arguments)
        return Rewrite(f"{{self}}.to(paddle.{dtype})", consumed=consumed)
    unseen = frozenset({"non_blocking", "copy", "memory_format"}) & match.arguments.keys()
    if match.arguments.keys() == unseen and not match.given("copy"):
        return Rewrite("{self}", consumed=unseen)
    arguments = match.arguments.get("args")
    values = arguments.values if arguments is not None else []
    if any(isinstance(value, Plain) and value.kind == "int" for value in values):
        return (
            Rewrite("{self}.cuda(*{args})")
            if len(values) == 1 and len(match.arguments) == 1
            else Refusal("pass the device by keyword", "x.to('cuda:0')")
        )
    if rare or len(values) > 2 or (arguments is not None and arguments.starred):
        return Rewrite(
            "torch_to({self}, {args=[]}, {device=None}, {dtype=None}, {other=None}, "
            "copy={copy=False})",
            consumed=frozenset({"non_blocking", "memory_format"}) & match.arguments.keys(),
        )
    if "other" in match:
        return Rewrite(
            "{self}.to({other})",
            consumed=unseen,
        )
    if (given_dtype := _for_a_module(match)) is not None:
        text = f"{{self}}.to(dtype=paddle.{given_dtype})"
        return Rewrite(text, consumed=frozenset(match.arguments))
    return Keep()


def _for_a_module(match: Match) -> str | None:
    """Return the dtype that is the only argument, if the object may be a module.

    `x.to(torch.float64)` fails for a module of Paddle, whose first argument is a device.
    """
    arguments = match.arguments.get("args")
    if match.use.certainty is Certainty.PROVED or len(match.arguments) != 1:
        return None
    if isinstance(match.use.receiver, ast.BinOp | ast.UnaryOp):
        return None
    if arguments is None or len(arguments.nodes) != 1:
        return None
    [node], [value] = arguments.nodes, arguments.values
    spelled = isinstance(node, ast.Attribute) and isinstance(value, TorchObject)
    return dtypes.of_value(value) if spelled else None


@rules.rule(
    "torch.Tensor.type",
    unpacked="(lambda self, dtype=None, non_blocking=False: torch_type_name(self) if dtype is None"
    " else torch_as_type(self, dtype))({self}, ...)",
)
def type_(match: Match) -> Outcome:
    """Write the name of the tensor's type, or a conversion if there is a dtype."""
    if "dtype" not in match or match.constant("dtype") is None:
        return Rewrite("torch_type_name({self})", consumed=frozenset(match.arguments))
    consumed = frozenset({"non_blocking"}) & match.arguments.keys()
    value = match.value("dtype")
    kinds = isinstance(value, TorchObject) and value.name.endswith("Tensor")
    known = (isinstance(value, TorchObject) and not kinds) or (
        isinstance(value, Instance) and value.cls == "torch.dtype"
    )
    if isinstance(value, TorchObject) and kinds and not value.indirect:
        name = value.name.removeprefix("torch.")
        return Rewrite(f"torch_as_type({{self}}, 'torch.{name}')", consumed=consumed | {"dtype"})
    if known and _into_whole(match):
        return Rewrite("{self}.detach().astype({dtype})", consumed=consumed)
    if known:
        return Rewrite("{self}.astype({dtype})", consumed=consumed)
    return Rewrite("torch_as_type({self}, {dtype})", consumed=consumed)


@rules.rule(
    _T + "type_as", unpacked="(lambda self, other: torch_as_type(self, other.dtype))({self}, ...)"
)
def type_as(match: Match) -> Outcome:
    """Write the cast; integers never require gradients in torch."""
    return Rewrite("{self}.detach().type_as({other})") if _into_whole(match) else Keep()


@rules.rule("torch.Tensor.contiguous")
def contiguous(match: Match) -> Outcome:
    """Keep the call, or copy a view: Paddle's makes the view itself contiguous."""
    value = match.use.receiver_value
    if isinstance(match.use.receiver, ast.Name) and isinstance(value, Tensor) and value.spread:
        return Rewrite("torch_contiguous({self})", consumed=frozenset({"memory_format"}))
    if "memory_format" in match:
        return Rewrite("{self}.contiguous()", consumed=frozenset({"memory_format"}))
    return Keep()


rules.row("torch.Tensor.clone", "{self}.clone()", ignored=_LAID_OUT)
rules.row(
    "torch.clone",
    "{input}.clone()",
    value="(lambda input, *, memory_format=None: input.clone())",
    ignored=_LAID_OUT,
)
