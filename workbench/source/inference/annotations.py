"""Annotations: the values that they describe, and the torch names in them."""

from __future__ import annotations

import ast
from dataclasses import replace

from workbench.source.inference.context import Context
from workbench.source.inference.modules import OwnModule
from workbench.source.inference.target_names import name_of_target, spelled_as_target
from workbench.source.types import dtypes
from workbench.source.types.builtin_types import never_tensors
from workbench.source.types.lattice import (
    TENSOR,
    UNKNOWN,
    Foreign,
    ForeignInstance,
    Instance,
    Items,
    Plain,
    Scope,
    Table,
    Tensor,
    TorchObject,
    UserClass,
    UserObject,
    Value,
    items_of,
    join,
)
from workbench.source.uses import Quoted, UseKind
from workbench.upstream.facts import PREFIXES, Facts

_SIMPLE = {name: Plain(name) for name in ("int", "float", "str", "bool", "bytes", "complex")}
_NAMED_RESULTS = "torch.return_types."
_TENSORS = frozenset({"torch.Tensor", "torch.nn.Parameter", *dtypes.TENSOR_TYPES})
_BYTES = Tensor(dtype="uint8")
_SEQUENCES = {
    "list": "list",
    "List": "list",
    "Sequence": "list",
    "Iterable": "generator",
    "Iterator": "generator",
    "set": "set",
    "Set": "set",
}
_TABLES = frozenset({"dict", "Dict", "Mapping", "MutableMapping", "OrderedDict", "defaultdict"})


def annotation(context: Context, node: ast.expr | None) -> Value:
    """Return the value that an annotation describes, and record its torch names as uses."""
    if node is None:
        return UNKNOWN
    kept, context.found.uses = context.found.uses, {}
    try:
        value = _described(context, node, context.scope)
        _note_names(context, node)
        found = context.found.uses
    finally:
        context.found.uses = kept
    for use in found.values():
        if use.kind is UseKind.READ:
            use.kind = UseKind.ANNOTATION
    context.found.uses.update(found)
    return value


def annotated(context: Context, node: ast.expr | None, scope: Scope) -> Value:
    """Return the value that an annotation describes, without recording uses."""
    return UNKNOWN if node is None else _described(context, node, scope)


def _note_names(context: Context, node: ast.expr) -> None:
    if isinstance(node, ast.Subscript):
        _note_names(context, node.value)
        if getattr(node.value, "attr", getattr(node.value, "id", "")) != "Literal":
            _note_names(context, node.slice)
    elif isinstance(node, ast.Tuple | ast.List):
        for item in node.elts:
            _note_names(context, item)
    elif isinstance(node, ast.BinOp):
        _note_names(context, node.left)
        _note_names(context, node.right)
    elif isinstance(node, ast.Name | ast.Attribute):
        context.eval(node)
    elif isinstance(node, ast.Constant):
        quoted = _unquoted(context, node)
        if quoted is not None and quoted.exact:
            _note_names(context, quoted.tree)


def _unquoted(context: Context, node: ast.Constant) -> Quoted | None:
    """Return the expression in a quoted annotation, or None."""
    if not isinstance(node.value, str):
        return None
    if id(node) not in context.found.quoted:
        try:
            tree = ast.parse(node.value, mode="eval").body
        except (SyntaxError, ValueError):
            return None
        context.found.quoted[id(node)] = Quoted(context.statement, node, node.value, tree)
    return context.found.quoted[id(node)]


def _described(context: Context, node: ast.expr, scope: Scope) -> Value:
    if isinstance(node, ast.Constant):
        if node.value is None:
            return Plain("NoneType")
        quoted = _unquoted(context, node)
        return UNKNOWN if quoted is None else _described(context, quoted.tree, scope)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return join(_described(context, node.left, scope), _described(context, node.right, scope))
    if isinstance(node, ast.Subscript):
        return _generic(context, node, scope)
    return _instance(_meant(context, node, scope), node)


def _generic(context: Context, node: ast.Subscript, scope: Scope) -> Value:
    name = node.value.id if isinstance(node.value, ast.Name) else getattr(node.value, "attr", "")
    inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if name == "Optional":
        return _described(context, inner[0], scope)
    if name == "Union":
        value = _described(context, inner[0], scope)
        for option in inner[1:]:
            value = join(value, _described(context, option, scope))
        return value
    if name in {"tuple", "Tuple"}:
        if len(inner) == 2 and isinstance(inner[1], ast.Constant) and inner[1].value is ...:
            return Items("tuple", _described(context, inner[0], scope))
        return items_of("tuple", [_described(context, part, scope) for part in inner])
    if name in _SEQUENCES:
        return Items(_SEQUENCES[name], _described(context, inner[0], scope))
    if name in _TABLES and len(inner) == 2:
        return Table(_described(context, inner[1], scope))
    if name in {"Annotated", "Final", "ClassVar"}:
        return _described(context, inner[0], scope)
    return UNKNOWN


def _meant(context: Context, node: ast.expr, scope: Scope) -> Value:
    if isinstance(node, ast.Name):
        return scope.lookup(node.id) or UNKNOWN
    if isinstance(node, ast.Attribute):
        base = _meant(context, node.value, scope)
        if (spelled := spelled_as_target(context, base)) is not None:
            return name_of_target(context, f"{spelled}.{node.attr}")
        if isinstance(base, TorchObject):
            return TorchObject(context.facts.canonical(f"{base.name}.{node.attr}"))
        if isinstance(base, OwnModule):
            return base.get(node.attr)
        if isinstance(base, Foreign):
            return Foreign(f"{base.name}.{node.attr}")
    return UNKNOWN


def _instance(value: Value, node: ast.expr) -> Value:
    if isinstance(value, TorchObject):
        if value.name == "torch.ByteTensor":
            return _BYTES  # few functions accept its dtype; other old type names are used loosely
        return TENSOR if value.name in _TENSORS else Instance(value.name)
    if isinstance(value, UserClass):
        return UserObject(value)
    if value is UNKNOWN and isinstance(node, ast.Name):
        return _SIMPLE.get(node.id, UNKNOWN)
    if isinstance(value, Foreign):
        return ForeignInstance(value.name) if never_tensors(value.name) else UNKNOWN
    return UNKNOWN


def type_value(name: str, facts: Facts) -> Value:
    """Return the value of an object of a type with a qualified name, such as `builtins.int`.

    A tensor may have its dtype and the lack of dimensions added: `torch.Tensor[int64, scalar]`.
    """
    name, _, details = name.partition("[")
    canonical = facts.canonical(name)
    if canonical in _TENSORS:
        dtype, _, scalar = details.rstrip("]").partition(", ")
        return replace(TENSOR, dtype=dtype or None, scalar=bool(scalar))
    if canonical.startswith(_NAMED_RESULTS):
        return Items("tuple", TENSOR)
    if canonical.startswith(PREFIXES):
        return Instance(canonical)
    package, _, rest = name.partition(".")
    if package == "builtins":
        if rest in _SEQUENCES or rest == "tuple":
            return Items(rest, UNKNOWN)
        if rest == "dict":
            return Table(UNKNOWN)
        if rest in {"function", "type", "module", "object"}:
            return UNKNOWN
        return Plain(rest)
    return ForeignInstance(name) if never_tensors(name) else UNKNOWN
