"""Annotations: what they say of a value, and the torch names in them."""

from __future__ import annotations

import ast
from dataclasses import replace

from workbench.source.inference.expressions import Expressions
from workbench.source.inference.modules import OwnModule
from workbench.source.types.builtin_types import never_tensors
from workbench.source.types.lattice import (
    TENSOR,
    UNKNOWN,
    Foreign,
    ForeignInstance,
    Instance,
    Items,
    Plain,
    Table,
    TorchObject,
    UserClass,
    UserObject,
    Value,
    items_of,
    join,
)
from workbench.source.types.scopes import Scope
from workbench.source.uses import Quoted, UseKind
from workbench.upstream.facts import PREFIXES, Facts

_SIMPLE = {name: Plain(name) for name in ("int", "float", "str", "bool", "bytes", "complex")}
_TENSORS = frozenset(
    {
        "torch.Tensor",
        "torch.nn.Parameter",
        "torch.FloatTensor",
        "torch.LongTensor",
        "torch.BoolTensor",
    }
)
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


class Annotations(Expressions):
    """The part of the walk that reads annotations."""

    quoted: dict[int, Quoted]

    def annotation(self, node: ast.expr | None) -> Value:
        """The value that an annotation describes; its torch names are noted as uses."""
        if node is None:
            return UNKNOWN
        kept, self.uses = self.uses, {}
        try:
            value = self._described(node, self.scope)
            self._note_names(node)
            found = self.uses
        finally:
            self.uses = kept
        for use in found.values():
            if use.kind is UseKind.READ:
                use.kind = UseKind.ANNOTATION
        self.uses.update(found)
        return value

    def annotated(self, node: ast.expr | None, scope: Scope) -> Value:
        """The value that an annotation describes, without noting anything."""
        return UNKNOWN if node is None else self._described(node, scope)

    def _note_names(self, node: ast.expr) -> None:
        if isinstance(node, ast.Subscript):
            self._note_names(node.value)
            if getattr(node.value, "attr", getattr(node.value, "id", "")) != "Literal":
                self._note_names(node.slice)
        elif isinstance(node, ast.Tuple | ast.List):
            for item in node.elts:
                self._note_names(item)
        elif isinstance(node, ast.BinOp):
            self._note_names(node.left)
            self._note_names(node.right)
        elif isinstance(node, ast.Name | ast.Attribute):
            self.eval(node)
        elif isinstance(node, ast.Constant):
            quoted = self._unquoted(node)
            if quoted is not None and quoted.exact:
                self._note_names(quoted.tree)

    def _unquoted(self, node: ast.Constant) -> Quoted | None:
        """The expression in a quoted annotation."""
        if not isinstance(node.value, str):
            return None
        if id(node) not in self.quoted:
            try:
                tree = ast.parse(node.value, mode="eval").body
            except (SyntaxError, ValueError):
                return None
            self.quoted[id(node)] = Quoted(self.statement, node, node.value, tree)
        return self.quoted[id(node)]

    def _described(self, node: ast.expr, scope: Scope) -> Value:
        if isinstance(node, ast.Constant):
            if node.value is None:
                return Plain("NoneType")
            quoted = self._unquoted(node)
            return UNKNOWN if quoted is None else self._described(quoted.tree, scope)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            return join(self._described(node.left, scope), self._described(node.right, scope))
        if isinstance(node, ast.Subscript):
            return self._generic(node, scope)
        return self._instance(self._meant(node, scope), node)

    def _generic(self, node: ast.Subscript, scope: Scope) -> Value:
        name = (
            node.value.id if isinstance(node.value, ast.Name) else getattr(node.value, "attr", "")
        )
        inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if name == "Optional":
            return self._described(inner[0], scope)
        if name == "Union":
            value = self._described(inner[0], scope)
            for option in inner[1:]:
                value = join(value, self._described(option, scope))
            return value
        if name in {"tuple", "Tuple"}:
            if len(inner) == 2 and isinstance(inner[1], ast.Constant) and inner[1].value is ...:
                return Items("tuple", self._described(inner[0], scope))
            return items_of("tuple", [self._described(part, scope) for part in inner])
        if name in _SEQUENCES:
            return Items(_SEQUENCES[name], self._described(inner[0], scope))
        if name in _TABLES and len(inner) == 2:
            return Table(self._described(inner[1], scope))
        if name in {"Annotated", "Final", "ClassVar"}:
            return self._described(inner[0], scope)
        return UNKNOWN

    def _meant(self, node: ast.expr, scope: Scope) -> Value:
        if isinstance(node, ast.Name):
            return scope.lookup(node.id) or UNKNOWN
        if isinstance(node, ast.Attribute):
            base = self._meant(node.value, scope)
            if isinstance(base, TorchObject):
                return TorchObject(self.facts.canonical(f"{base.name}.{node.attr}"))
            if isinstance(base, OwnModule):
                return base.get(node.attr)
            if isinstance(base, Foreign):
                return Foreign(f"{base.name}.{node.attr}")
        return UNKNOWN

    def _instance(self, value: Value, node: ast.expr) -> Value:
        if isinstance(value, TorchObject):
            return TENSOR if value.name in _TENSORS else Instance(value.name)
        if isinstance(value, UserClass):
            return UserObject(value)
        if value is UNKNOWN and isinstance(node, ast.Name):
            return _SIMPLE.get(node.id, UNKNOWN)
        if isinstance(value, Foreign):
            return ForeignInstance(value.name) if never_tensors(value.name) else UNKNOWN
        return UNKNOWN


def type_value(name: str, facts: Facts) -> Value:
    """The value of an object whose type has this qualified name, such as `builtins.int`.

    A tensor's may tell its dtype, and that it has no dimensions: `torch.Tensor[int64, scalar]`.
    """
    name, _, told = name.partition("[")
    canonical = facts.canonical(name)
    if canonical in _TENSORS:
        dtype, _, scalar = told.rstrip("]").partition(", ")
        return replace(TENSOR, dtype=dtype or None, scalar=bool(scalar))
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
