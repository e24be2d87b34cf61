"""Finds the calls of models in a notebook that a graph can be made from.

A candidate is the text of a call such as `net(images)`: the person can read it, change it, or write
another. First come calls in the cell itself, then, for models that the cell only names or makes,
calls in other cells, and last a call with inputs that are guessed from the model's first layer.
"""

from __future__ import annotations

import ast
import sys
from dataclasses import dataclass
from types import FunctionType
from typing import TYPE_CHECKING, Any

from .guess import guess_inputs

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

# Functions of torch that only create a tensor: evaluating them again does no harm.
_MAKERS = {
    *("arange", "empty", "eye", "full", "linspace", "ones", "rand", "randint", "randn"),
    *("ones_like", "rand_like", "randn_like", "tensor", "zeros", "zeros_like"),
}
# Methods of tensors that neither change them nor return a Python value.
_VIEWS = {
    *("bool", "chunk", "clone", "cpu", "cuda", "detach", "double", "expand", "flatten", "float"),
    *("half", "int", "long", "permute", "reshape", "squeeze", "t", "to", "transpose", "type"),
    *("unsqueeze", "view"),
}


@dataclass(frozen=True)
class Call:
    """One call that can be traced; `line` is its line in the cell, or None for another cell's."""

    text: str
    line: int | None
    note: str

    def content(self) -> dict[str, Any]:
        """Return the call for the panel."""
        return {"text": self.text, "line": self.line, "note": self.note}


def candidates(source: str, others: Sequence[str], names: Mapping[str, object]) -> list[Call]:
    """Return the calls of torch modules that can be traced for a cell, most likely first."""
    torch = sys.modules.get("torch")
    tree = parse(source)
    if torch is None or tree is None:
        return []
    here = [found for found in calls(tree, names) if is_offered(found.model, found.values)]
    here.sort(key=lambda found: -parameter_count(found.model))
    offered = [Call(found.text, found.line, "called in this cell") for found in here]
    called = {id(found.model) for found in here}
    elsewhere = [parse(text) for text in others]
    for name, model in modules(tree, names):
        if id(model) in called:
            continue
        called.add(id(model))
        uses = (call for other in elsewhere if other for call in calls(other, names))
        use = next((call for call in uses if call.model is model), None)
        if use is not None:
            offered.append(Call(use.text, None, "called in another cell"))
        elif inputs := guess_inputs(model):
            note = f"inputs guessed from its first layer, {inputs.layer}"
            offered.append(Call(f"{name}({inputs.text})", None, note))
    return list({call.text: call for call in offered}.values())


def parse(source: str) -> ast.Module | None:
    """Return the cell as Python, line for line; magics count as empty lines."""
    lines = source.splitlines()
    if lines and lines[0].startswith("%%") and not lines[0].startswith("%%convert"):
        return None
    plain = ["" if line.lstrip().startswith(("%", "!")) else line for line in lines]
    try:
        return ast.parse("\n".join(plain))
    except (SyntaxError, ValueError):
        return None


@dataclass(frozen=True)
class Found:
    """A call whose function and arguments are all at hand."""

    text: str
    line: int
    model: Any
    values: list[object]


def calls(tree: ast.Module, names: Mapping[str, object]) -> Iterator[Found]:
    """Yield the calls outside of functions whose function and arguments are live objects."""
    for node in own_level(tree):
        if not isinstance(node, ast.Call):
            continue
        model = resolve(node.func, names)
        arguments = [*node.args, *(keyword.value for keyword in node.keywords)]
        if callable(model) and all(harmless(argument, names) for argument in arguments):
            values = [resolve(argument, names) for argument in arguments]
            yield Found(ast.unparse(node), node.lineno - 1, model, values)


def own_level(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes outside of functions and classes, inside of which names differ."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            continue
        yield node
        yield from own_level(node)


def resolve(node: ast.AST, names: Mapping[str, object]) -> object:
    """Return the live object of a name, its attribute or a plain container's item, or None.

    Nothing of the user's is called: attributes are read as they are stored.
    """
    if isinstance(node, ast.Name):
        return names.get(node.id)
    if isinstance(node, ast.Attribute):
        return stored(resolve(node.value, names), node.attr)
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        holder = resolve(node.value, names)
        if type(holder) in (list, tuple, dict):
            try:
                return holder[node.slice.value]  # type: ignore[index]
            except (KeyError, IndexError, TypeError):
                return None
    return None


def stored(holder: object, name: str) -> object:
    """Return an attribute stored on the object, or what a torch module keeps under the name."""
    kept: dict[str, Any] = getattr(holder, "__dict__", {})
    for place in (kept, kept.get("_modules"), kept.get("_parameters"), kept.get("_buffers")):
        if isinstance(place, dict) and name in place:
            return place[name]
    return None


def harmless(node: ast.AST, names: Mapping[str, object]) -> bool:
    """Return whether evaluating an argument again changes nothing, and can work at all."""
    if isinstance(node, ast.Name):
        return node.id in names
    if isinstance(node, ast.Call):
        return harmless_call(node, names)
    if isinstance(node, ast.Attribute):
        return harmless(node.value, names)
    if isinstance(node, ast.keyword):
        return harmless(node.value, names)
    allowed = (
        *(ast.Constant, ast.Subscript, ast.Slice, ast.Tuple, ast.List, ast.Dict, ast.Starred),
        *(ast.UnaryOp, ast.BinOp, ast.Compare),
    )
    if not isinstance(node, allowed):
        return False
    return all(harmless(child, names) for child in ast.iter_child_nodes(node) if is_value(child))


def harmless_call(node: ast.Call, names: Mapping[str, object]) -> bool:
    """Return whether a call is harmless, such as `torch.randn(…)` or `tensor.view(…)`."""
    if not isinstance(node.func, ast.Attribute):
        return False
    holder = node.func.value
    torch = sys.modules.get("torch")
    makes = resolve(holder, names) is torch and node.func.attr in _MAKERS
    views = node.func.attr in _VIEWS and harmless(holder, names)
    return (makes or views) and all(harmless(part, names) for part in [*node.args, *node.keywords])


def is_value(node: ast.AST) -> bool:
    return not isinstance(node, (ast.expr_context, ast.operator, ast.unaryop, ast.cmpop))


def is_offered(model: object, values: Iterable[object]) -> bool:
    """Return whether it is a module, or a function of the notebook's own that is given a tensor."""
    import torch

    if isinstance(model, torch.nn.Module):
        return True
    own = isinstance(model, FunctionType) and model.__module__ == "__main__"
    return own and any(isinstance(value, torch.Tensor) for value in values)


def parameter_count(model: object) -> int:
    """Count a model's parameters, by which a network ranks before its loss."""
    import torch

    if not isinstance(model, torch.nn.Module):
        return 0
    # A lazy parameter has no size before its first call.
    is_lazy = torch.nn.parameter.is_lazy
    return sum(each.numel() for each in model.parameters() if not is_lazy(each))


def modules(tree: ast.Module, names: Mapping[str, object]) -> Iterator[tuple[str, Any]]:
    """Yield modules that the cell names, and instances of the classes that it defines."""
    import torch

    for node in own_level(tree):
        if isinstance(node, ast.Name) and isinstance(names.get(node.id), torch.nn.Module):
            yield node.id, names[node.id]
    classes = {node.name for node in tree.body if isinstance(node, ast.ClassDef)}
    for name, value in names.items():
        if isinstance(value, torch.nn.Module) and not name.startswith("_"):
            kind = type(value)
            if kind.__module__ == "__main__" and kind.__name__ in classes:
                yield name, value
