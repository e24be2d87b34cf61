"""Contents of containers of layers, and the variables that iterate over them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from workbench.source.traits.traits import Loop

# Classes and functions that hold the layers passed to them.
CONTAINERS = frozenset({"ModuleList", "ModuleDict", "Sequential", "OrderedDict", "list", "dict"})
# Methods that return the layer itself, on another device or with another dtype.
MOVING = frozenset({"to", "cuda", "cpu", "float", "double", "half", "eval", "train"})


def unmoved(node: ast.expr) -> ast.expr:
    """Return the call that creates a layer, from `nn.Linear(3, 4).to(device)`."""
    while (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in MOVING
    ):
        node = node.func.value
    return node


def maker(node: ast.expr) -> str:
    """Return the last name of the function that creates a value; "None" for None, else ""."""
    node = unmoved(node)
    if isinstance(node, ast.Constant) and node.value is None:
        return "None"
    if isinstance(node, ast.IfExp):  # `nn.Linear(3, 4) if deep else None`
        either = {maker(node.body), maker(node.orelse)}
        made = either - {"None"} or either
        return made.pop() if len(made) == 1 else ""
    return (last_name(node.func) or "") if isinstance(node, ast.Call) else ""


def items(node: ast.expr) -> Iterator[str]:
    """Yield the functions that create a new container's items: `nn.Sequential(nn.Linear(3, 4))`."""
    match unmoved(node):
        case ast.Call(func=func, args=args, keywords=keywords) if last_name(func) in CONTAINERS:
            for one in (*args, *(keyword.value for keyword in keywords)):
                if isinstance(one, ast.Starred):
                    one = one.value
                within = list(items(one)) if not isinstance(one, ast.Call) else []
                yield from within or [maker(one)]
        case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Dict(values=parts):
            yield from map(maker, parts)
        case ast.ListComp(elt=part) | ast.GeneratorExp(elt=part) | ast.DictComp(value=part):
            yield maker(part)


def place_in(value: ast.expr, node: ast.AST) -> str | None:
    """Return the path to a layer in a value: `[2]`, `.head[0]`, or "" for the value itself.

    Return None if the layer is in no container, or if its index is unknown.
    """
    value = unmoved(value)
    if value is node:
        return ""
    for where, part in _parts(value):
        within = place_in(part, node)
        if within is not None:
            return where + within
    return None


def _parts(value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """Yield the layers of a container, each with its path."""
    match value:
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            pass
        case ast.Call(func=func, args=[ast.List(elts=parts)], keywords=[]) if (
            last_name(func) == "ModuleList"
        ):
            pass
        case ast.Call(
            func=func,
            args=[ast.Call(func=table, args=[ast.List(elts=pairs)], keywords=[])],
            keywords=[],
        ) if last_name(func) == "Sequential" and last_name(table) == "OrderedDict":
            for pair in pairs:
                match pair:
                    case ast.Tuple(elts=[ast.Constant(value=str(name)), part]):
                        yield f".{name}", part
            return
        case ast.Call(func=func, args=parts, keywords=[]) if last_name(func) == "Sequential":
            pass
        case ast.Call(func=func, args=[ast.Dict(keys=keys, values=values)], keywords=[]) if (
            last_name(func) == "ModuleDict"
        ):
            for key, part in zip(keys, values, strict=True):
                if isinstance(key, ast.Constant):
                    yield f"[{key.value!r}]", part
            return
        case _:
            return
    for index, part in enumerate(parts):
        if isinstance(part, ast.Starred):
            return
        yield f"[{index}]", part


def loops(loop: ast.For) -> Iterator[Loop]:
    """Yield a loop's variables with the containers that they iterate over."""
    yield from _pairs(loop.target, loop.iter)


def _pairs(target: ast.expr, through: ast.expr) -> Iterator[Loop]:
    match target, through:
        case ast.Tuple(elts=[_, inner]), ast.Call(func=ast.Name(id="enumerate"), args=[one, *_]):
            yield from _pairs(inner, one)
        case ast.Tuple(elts=inners), ast.Call(func=ast.Name(id="zip"), args=args):
            for inner, one in zip(inners, args, strict=False):
                yield from _pairs(inner, one)
        case ast.Tuple(elts=[_, inner]), ast.Call(
            func=ast.Attribute(value=one, attr="items" | "named_children")
        ):
            yield from _pairs(inner, one)
        case _, ast.Call(func=ast.Attribute(value=one, attr="values" | "children")):
            yield from _pairs(target, one)
        case _, ast.Subscript(value=one, slice=ast.Slice()):
            yield from _pairs(target, one)
        case ast.Name(id=variable), ast.Name() | ast.Attribute():
            yield Loop(variable, last_name(through) or "")


def last_name(node: ast.expr) -> str | None:
    """Return the last part of a dotted name, or None for another expression."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else None
