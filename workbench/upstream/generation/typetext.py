"""Type annotations as short texts, with one spelling per type and names for torch's classes."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Final

Resolve = Callable[[str], str | None]
"""A function that returns the canonical name of the torch class of a dotted name, or None."""

_OPTIONAL: Final = {
    "_size_2_opt_t": "int | None | tuple[int | None, int | None]",
    "_size_3_opt_t": "int | None | tuple[int | None, int | None, int | None]",
    "_size_any_opt_t": "int | None | tuple[int | None, ...]",
}
_SPELLED_OUT: Final = {
    "_bool": "bool",
    "_bytes": "bytes",
    "_complex": "complex",
    "_device": "torch.device",
    "_dispatchkey": "str",
    "_dtype": "torch.dtype",
    "_float": "float",
    "_int": "int",
    "_layout": "torch.layout",
    "_qscheme": "torch.qscheme",
    "_str": "str",
    "_size": "Sequence[int]",
    "_symsize": "Sequence[int]",
    "_TensorOrTensors": "Tensor | Sequence[Tensor]",
    "_TensorOrOptionalTensors": "Tensor | Sequence[Tensor | None]",
    "_ratio_any_t": "float | tuple[float, ...]",
    "_size_any_t": "int | tuple[int, ...]",
    **_OPTIONAL,
    **{
        f"_{of}_{count}_t": f"{kind} | tuple[{', '.join([kind] * count)}]"
        for of, kind in (("size", "int"), ("ratio", "float"))
        for count in range(1, 7)
    },
    "BoolLikeType": "bool",
    "Device": "torch.device | str | int | None",
    "DeviceLikeType": "torch.device | str | int",
    "FileLike": "str | PathLike[str] | IO[bytes]",
    "FloatLikeType": "float",
    "IntLikeType": "int",
    "Number": "int | float | bool",
    "_Number": "int | float | bool",
    "Dict": "dict",
    "FrozenSet": "frozenset",
    "List": "list",
    "Set": "set",
    "Tuple": "tuple",
    "Type": "type",
    "NoneType": "None",
    # Names of types in docstrings.
    "LongTensor": "Tensor",
    "Scalar": "int | float | bool",
    "boolean": "bool",
    "string": "str",
    "integer": "int",
    "seq": "Sequence",
}
_MODULES: Final = ("typing.", "typing_extensions.", "collections.abc.", "builtins.", "types.", "t.")
# Stand-ins for numbers during tracing; programs pass numbers.
_SYMBOLIC: Final = frozenset({"torch.SymInt", "torch.SymFloat", "torch.SymBool"})


def type_text(annotation: ast.expr | None, resolve: Resolve) -> str:
    """Return the text of an annotation, or "" if there is none or it is uninformative."""
    node = type_node(annotation, resolve)
    return "" if node is None else ast.unparse(node)


def type_node(annotation: ast.expr | None, resolve: Resolve) -> ast.expr | None:
    """Return the annotation in the standard spelling, or None if it is uninformative."""
    if annotation is None:
        return None
    node: ast.expr = _Speller(resolve).visit(annotation)
    return None if isinstance(node, ast.Constant) and node.value == "" else node


class _Speller(ast.NodeTransformer):
    def __init__(self, resolve: Resolve) -> None:
        self._resolve = resolve

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        if not isinstance(node.value, str) or not node.value:
            return node
        inner = _parse(node.value)
        return node if inner is None else self._spell(inner)

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._named(node.id)

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        return self._named(ast.unparse(node))

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        generic = self._spell(node.value)
        name = ast.unparse(generic)
        if name == "Literal":
            return ast.Subscript(generic, node.slice, ast.Load())
        arguments = self._spell(node.slice)
        parts = arguments.elts if isinstance(arguments, ast.Tuple) else [arguments]
        if name.startswith("BroadcastingList"):
            of = "size" if ast.unparse(arguments) == "int" else "ratio"
            return _parsed(_SPELLED_OUT[f"_{of}_{name[-1]}_t"])
        if name == "Optional":
            return _union([arguments, ast.Constant(None)])
        if name == "Union":
            return _union(parts)
        if name in ("Annotated", "Final", "ClassVar", "Required", "NotRequired"):
            return parts[0]
        return ast.Subscript(generic, arguments, ast.Load())

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        if not isinstance(node.op, ast.BitOr):
            return node
        return _union([self._spell(node.left), self._spell(node.right)])

    def _spell(self, node: ast.expr) -> ast.expr:
        spelled: ast.expr = self.visit(node)
        return spelled

    def _named(self, name: str) -> ast.expr:
        for module in _MODULES:
            name = name.removeprefix(module)
        if (known := _SPELLED_OUT.get(name.rpartition(".")[2])) and not name.startswith("torch.D"):
            return _parsed(known)
        resolved = self._resolve(name) or name
        return _parsed("Tensor" if resolved == "torch.Tensor" else resolved)


def _union(parts: list[ast.expr]) -> ast.expr:
    """Return `a | b` as a flat union without repetitions, with None last."""
    flat: dict[str, ast.expr] = {}
    waiting = parts[::-1]
    while waiting:
        part = waiting.pop()
        if isinstance(part, ast.BinOp):
            waiting += [part.right, part.left]
        else:
            flat[ast.unparse(part)] = part
    if "None" in flat:
        flat["None"] = flat.pop("None")
    kept = [part for text, part in flat.items() if text not in _SYMBOLIC] or parts
    union = kept[0]
    for part in kept[1:]:
        union = ast.BinOp(union, ast.BitOr(), part)
    return union


def _parse(text: str) -> ast.expr | None:
    try:
        return ast.parse(text, mode="eval").body
    except SyntaxError:
        return None


def _parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body
