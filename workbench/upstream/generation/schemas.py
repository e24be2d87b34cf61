"""Signatures of compiled functions, from torch's operator schemas or from docstrings."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Any

import torch

from workbench.upstream.generation.typetext import Resolve, type_node, type_text

if TYPE_CHECKING:
    from collections.abc import Iterator

_TYPES = {
    "Device": "torch.device | str | int",
    "Generator": "torch.Generator",
    "Layout": "torch.layout",
    "MemoryFormat": "torch.memory_format",
    "ScalarType": "torch.dtype",
    "number": "int | float | bool",
}
_TENSOR_OPTIONS = frozenset({"dtype", "layout", "device", "pin_memory"})


def from_schemas(operator: str) -> list[str]:
    """Return a signature for each overload of an operator such as `linalg_norm`."""
    schemas = torch._C._jit_get_schemas_for_operator(f"aten::{operator}")
    takes_out = any(len(_outs(schema)) == 1 for schema in schemas)
    texts = (_schema_text(schema, takes_out, operator) for schema in schemas if not _outs(schema))
    return list(dict.fromkeys(texts))


def _outs(schema: Any) -> list[Any]:
    return [argument for argument in schema.arguments if argument.is_out]


def _schema_text(schema: Any, takes_out: bool, operator: str) -> str:
    parts = []
    keyword_only = False
    for argument in schema.arguments:
        if argument.kwarg_only and not keyword_only:
            keyword_only = True
            parts.append("*")
        # Operators that are bound as functions name their receiver `input`.
        name = "input" if argument.name == "self" else argument.name
        text = f"{name}: {_schema_type(argument.real_type)}"
        parts.append(f"{text}={argument.default_value!r}" if argument.has_default_value() else text)
    extra = []
    if takes_out:
        extra.append("out: Tensor | None=None")
    if {argument.name for argument in schema.arguments} >= _TENSOR_OPTIONS:
        extra.append("requires_grad: bool=False")
    if extra and not keyword_only:
        parts.append("*")
    return f"({', '.join(parts + extra)}) -> {_schema_returns(schema, operator)}"


def _schema_returns(schema: Any, operator: str) -> str:
    if hasattr(torch.return_types, operator):
        return f"torch.return_types.{operator}"
    types = [_schema_type(result.type) for result in schema.returns]
    if len(types) == 1:
        return types[0]
    return f"tuple[{', '.join(types)}]" if types else "None"


def _schema_type(kind: Any) -> str:
    text = str(kind)
    if match := re.fullmatch(r"Optional\[(.*)\]", text):
        return f"{_schema_type(match[1])} | None"
    if match := re.fullmatch(r"List\[(.*)\]", text):
        return f"Sequence[{_schema_type(match[1])}]"
    return _TYPES.get(text, text)


def from_docstring(doc: str | None, name: str, resolve: Resolve) -> list[str]:
    """Return the signatures at the start of a docstring, as in those of compiled functions."""
    return [text for found in _headings(doc or "", name) if (text := _heading_text(found, resolve))]


def _headings(doc: str, name: str) -> Iterator[str]:
    # pybind11 numbers the overloads, and torch writes "linalg.norm(" for "linalg_norm(".
    short = re.escape(name.rpartition("_")[2] or name)
    opening = re.compile(rf"^\s*(?:\d+\. )?(?:[\w.]+[._])?{short}\(")
    lines = doc.strip().splitlines()
    numbered = [line for line in lines if re.match(r"\d+\. ", line)]
    for line in numbered or ["\n".join(lines[:8])]:
        if match := opening.match(line):
            end = _closing(line, match.end())
            yield line[match.end() - 1 : end] + line[end:].partition("\n")[0]


def _closing(text: str, start: int) -> int:
    depth = 1
    for index in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[index], 0)
        if not depth:
            return index + 1
    return len(text)


def _heading_text(heading: str, resolve: Resolve) -> str | None:
    end = _closing(heading, 1)
    parameters, rest = " ".join(heading[:end].split()), heading[end:]
    try:
        function = ast.parse(f"def _{parameters}: ...").body[0]
    except SyntaxError:
        return None
    assert isinstance(function, ast.FunctionDef)
    arguments = function.args
    for owner in (arguments.posonlyargs, arguments.args):
        if owner and owner[0].arg == "self":
            del owner[0]
    for argument in ast.walk(arguments):
        if isinstance(argument, ast.arg):
            argument.annotation = type_node(argument.annotation, resolve)
    text = f"({ast.unparse(arguments)})"
    returns = _doc_type(rest.partition("->")[2].strip(" .:"), resolve)
    return f"{text} -> {returns}" if returns else text


def _doc_type(text: str, resolve: Resolve) -> str:
    try:
        node = ast.parse(text.replace(" or ", " | "), mode="eval").body
    except SyntaxError:
        return ""
    return type_text(_tuples(node), resolve)


def _tuples(node: ast.expr) -> ast.expr:
    """Return the type that `(Tensor, Tensor)` denotes."""
    if isinstance(node, ast.BinOp):
        return ast.BinOp(_tuples(node.left), node.op, _tuples(node.right))
    if isinstance(node, ast.Tuple):
        parts = ast.Tuple([_tuples(part) for part in node.elts], ast.Load())
        return ast.Subscript(ast.Name("tuple", ast.Load()), parts, ast.Load())
    if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript, ast.Constant)):
        return node
    return ast.Constant("")
