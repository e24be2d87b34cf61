"""Members of a tensor, casts and conversions."""

from __future__ import annotations

import ast

from workbench.rules.difference import Difference
from workbench.rules.match import Match
from workbench.rules.outcome import Keep, Outcome, Refusal, Rewrite
from workbench.source.types import dtypes
from workbench.source.types.lattice import Instance, Plain, Tensor, TorchObject, Value
from workbench.targets.jax.writing import NOWHERE, PLACED, SHARED, Functions, T

rules = Functions()
LAID_OUT = {"memory_format": NOWHERE["memory_format"]}
# Casts of floats to integers that do not hold them all.
NARROW = frozenset({"byte", "char", "short"})
_CASTS = {
    "half": "jnp.float16",
    "bfloat16": "jnp.bfloat16",
    "float": "jnp.float32",
    "byte": "jnp.uint8",
    "char": "jnp.int8",
    "short": "jnp.int16",
    "int": "jnp.int32",
    "double": "jnp.float64",
    "bool": "bool",
    "cfloat": "jnp.complex64",
    "cdouble": "jnp.complex128",
}
for _name, _dtype in _CASTS.items():
    _text = f"torch_cast({{self}}, {_dtype})" if _name in NARROW else f"{{self}}.astype({_dtype})"
    rules.row(T + _name, _text, ignored=LAID_OUT)


@rules.rule(T + "long")
def long(match: Match) -> Outcome:
    """Cast to the whole numbers of 32 bits that JAX has by default."""
    left = frozenset(match.arguments)
    return Rewrite("{self}.astype(jnp.int32)", consumed=left, differs=(Difference.NARROW,))


_WIDE = frozenset(
    {
        *("float16", "bfloat16", "float32", "float64", "floating", "int32", "int64", "bool"),
        *("complex64", "complex128"),
    }
)
_UNCLEAR = Refusal(
    "it is not known whether it converts to a dtype or to a device", "x.astype(dtype)"
)


@rules.rule(T + "to")
def to(match: Match) -> Outcome:
    """Write a cast; devices are left to JAX."""
    unseen = frozenset({"device", "non_blocking", "copy", "memory_format"}) & match.arguments.keys()
    if "other" in match:
        return Rewrite("torch_cast({self}, {other})", consumed=unseen)
    argument = match.arguments.get("args")
    if argument is not None and argument.starred:
        return _UNCLEAR
    nodes = argument.nodes if argument is not None else []
    values = argument.values if argument is not None else []
    kinds = [_kind_of(*pair) for pair in zip(nodes, values, strict=True)]
    if kinds == ["dtype"]:
        plain = dtypes.of_value(values[0]) in _WIDE
        text = "{self}.astype(*{args})" if plain else "torch_cast({self}, *{args})"
        return Rewrite(text, consumed=unseen)
    if kinds == ["other"]:
        return Rewrite("torch_cast({self}, *{args})", consumed=unseen)
    if kinds == ["device", "dtype"]:
        return Rewrite("torch_cast({self}, *{args})", consumed=unseen)
    if any(kind != "device" for kind in kinds):
        return _UNCLEAR
    unseen |= frozenset({"args"}) & match.arguments.keys()
    if match.given("dtype"):
        plain = dtypes.of_value(match.value("dtype")) in _WIDE
        text = "{self}.astype({dtype})" if plain else "torch_cast({self}, {dtype})"
        return Rewrite(text, consumed=unseen)
    unseen |= frozenset({"dtype"}) & match.arguments.keys()
    return Rewrite("{self}", consumed=unseen, note=PLACED)


def _kind_of(node: ast.expr, value: Value) -> str:
    """Return whether an argument is a dtype, a device or another tensor, or "" if unknown."""
    if isinstance(value, Tensor):
        return "other"
    if dtypes.of_value(value) or getattr(value, "name", "") in {"builtins.int", "builtins.bool"}:
        return "dtype"
    text = ast.unparse(node)
    if isinstance(value, Plain):
        return "device" if value.kind in {"str", "int"} else ""
    if value == Instance("torch.device") or text.lower().endswith(("device", "rank")):
        return "device"
    return "dtype" if text.lower().endswith("dtype") else ""


rules.row(T + "type_as", "torch_cast({self}, {other})")


@rules.rule(T + "type")
def type_(match: Match) -> Outcome:
    given = match.value("dtype")
    if isinstance(given, TorchObject) and not given.name.endswith("Tensor"):
        unseen = frozenset({"non_blocking"}) & match.arguments.keys()
        return Rewrite("torch_cast({self}, {dtype})", consumed=unseen)
    return Refusal("JAX has no tensor types by name", "x.astype(dtype)")


rules.row(T + "cpu", "{self}", ignored=LAID_OUT, note=PLACED)
rules.row(T + "cuda", "{self}", ignored={**NOWHERE, "device": PLACED}, note=PLACED)


@rules.rule(T + "shape", T + "ndim", T + "item", T + "tolist")
def kept(match: Match) -> Outcome:
    return Keep()


@rules.rule(T + "dtype", T + "device")
def described(match: Match) -> Outcome:
    """Keep a dtype or device that is passed on or compared by value, but not its text."""
    name = match.use.name.rpartition(".")[2]
    if _is_printed(match):
        return Keep(differs=(Difference.PRINTED_TEXT,))
    for node in ast.walk(match.use.statement):
        text = isinstance(node, ast.JoinedStr) or _reads_text(node)
        same = isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Is | ast.IsNot)
        if not (text or same) or not _holds(node, match.use.node):
            continue
        if text:
            return Refusal(f"the text of a {name} differs in JAX")
        return Refusal(f"JAX has several objects for one {name}", f"x.{name} == y")
    return Keep()


def _is_printed(match: Match) -> bool:
    """Return whether the statement does nothing but print."""
    statement = match.use.statement
    call = statement.value if isinstance(statement, ast.Expr) else None
    called = call.func if isinstance(call, ast.Call) else None
    return isinstance(called, ast.Name) and called.id == "print"


def _reads_text(node: ast.AST) -> bool:
    called = node.func if isinstance(node, ast.Call) else None
    return isinstance(called, ast.Name) and called.id in {"str", "repr", "print", "format"}


def _holds(node: ast.AST, part: ast.AST) -> bool:
    return any(one is part for one in ast.walk(node))


_HALVED = frozenset({"int64", "float64", "complex128", None})


@rules.rule(T + "itemsize", T + "nbytes", T + "element_size")
def counted(match: Match) -> Outcome:
    """Count bytes, unless the dtype may be one of 64 bits, of which JAX keeps 32."""
    value = match.use.receiver_value
    if not isinstance(value, Tensor) or value.dtype in _HALVED:
        return Refusal("numbers of 64 bits have 32 in JAX")
    name = match.use.name.rpartition(".")[2]
    return Rewrite("{self}.itemsize") if name == "element_size" else Keep()


@rules.rule(
    T + "size",
    unpacked="(lambda self, dim=None: self.shape if dim is None else self.shape[dim])({self}, ...)",
)
def size(match: Match) -> Outcome:
    if match.given("dim"):
        return Rewrite("{self}.shape[{dim}]")
    return Rewrite("{self}.shape", consumed=frozenset({"dim"}) & match.arguments.keys())


for _name in ("numel", "nelement"):
    rules.both(_name, "{input}.size")
for _name in ("dim", "ndimension"):
    rules.row(T + _name, "{self}.ndim")
rules.row(T + "numpy", "np.asarray({self})", ignored={"force": "a JAX array needs none"})
rules.both("detach", "lax.stop_gradient({input})")
rules.row("torch.is_tensor", "isinstance({obj}, jax.Array)")
rules.row("torch.dtype.is_floating_point", "jnp.issubdtype({self}, jnp.floating)")
rules.both("is_floating_point", "jnp.issubdtype({input}.dtype, jnp.floating)")
rules.both("is_complex", "jnp.iscomplexobj({input})")


@rules.rule(T + "data")
def data(match: Match) -> Outcome:
    """Write the value without its gradient, unless the statement changes the tensor by it."""
    statement = match.use.statement
    if isinstance(statement, ast.AugAssign) and match.use.node is statement.target:
        return SHARED
    if isinstance(getattr(match.use.node, "ctx", None), ast.Store):
        return SHARED
    return Rewrite("lax.stop_gradient({self})")


rules.both("resolve_conj", "{input}")
rules.both("resolve_neg", "{input}")


@rules.rule("torch.finfo", "torch.iinfo")
def limits(match: Match) -> Outcome:
    """Write JAX's limits, unless they may be those of 64 bits."""
    whole = match.use.name.endswith("iinfo")
    dtype = dtypes.of_value(match.value("type"))
    if dtype in {"int64", "float64"} or (whole and dtype is None):
        return Refusal("integers and floats of 64 bits have 32 in JAX, so that limits differ")
    return Rewrite("jnp.iinfo({type})" if whole else "jnp.finfo({type=jnp.float32})")


for _kind in ("finfo", "iinfo"):
    _number = "float" if _kind == "finfo" else "int"
    for _name in ("min", "max", *(("eps", "tiny") if _kind == "finfo" else ())):
        rules.row(f"torch.{_kind}.{_name}", f"{_number}({{self}}.{_name})")
    rules.keep(f"torch.{_kind}.bits")


@rules.rule("torch.device")
def device(match: Match) -> Outcome:
    """Write JAX's first device, on which it computes."""
    if any(_reads_text(one) for one in ast.walk(match.use.statement)):
        return Refusal("the text of a device differs in JAX")
    return Rewrite("jax.devices()[0]", consumed=frozenset(match.arguments), note=PLACED)


rules.row("torch.cuda.is_available", "jax.default_backend() == 'gpu'")
_TAPE = "JAX differentiates functions instead of recording tensors"
rules.refuse(
    T + "grad",
    T + "backward",
    T + "requires_grad",
    T + "requires_grad_",
    T + "retain_grad",
    T + "register_hook",
    T + "is_leaf",
    T + "grad_fn",
    reason=_TAPE,
    instead="jax.value_and_grad(f)(x)",
)
