"""Rewrites of operations on one value: leave torch, move, print, draw, count, become a number."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from workbench.capture.hazards.taint import dotted
from workbench.findings import Edit, Fix
from workbench.positions import Range

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from workbench.capture.hazards.source_text import Passage


def moved(text: Passage, node: ast.AST) -> Fix | None:
    """Return the removal of a move to a fixed device, or None."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return None
    plain = len(node.args) + len(node.keywords) <= 1
    if node.func.attr not in ("cuda", "to") or not plain:
        return None
    edit = Edit(text.range(node), text.text(node.func.value))
    return Fix("Stay on the device that the tensor is on", (edit,))


def printed(text: Passage, node: ast.AST) -> Fix | None:
    """Return the removal of a print of a tensor, or None."""
    around = text.ancestors(node)
    if (
        not around
        or not isinstance(around[0], ast.Expr)
        or dotted(getattr(node, "func", None)) != ("print")
    ):
        return None
    return Fix("Remove the print", (Edit(text.range(around[0]), "pass"),))


_RANDOM: dict[str, Callable[[str], str]] = {
    "random.random": lambda _: "torch.rand(())",
    "random.uniform": lambda given: f"torch.empty(()).uniform_({given})",
    "random.gauss": lambda given: f"torch.empty(()).normal_({given})",
    "np.random.rand": lambda given: f"torch.rand({given or '()'})",
    "np.random.randn": lambda given: f"torch.randn({given or '()'})",
    "numpy.random.rand": lambda given: f"torch.rand({given or '()'})",
    "numpy.random.randn": lambda given: f"torch.randn({given or '()'})",
}


def drawn(text: Passage, node: ast.AST) -> Fix | None:
    """Return the rewrite of a Python random number as a tensor that the graph draws, or None."""
    make = _RANDOM.get(dotted(node.func)) if isinstance(node, ast.Call) else None
    if make is None or not isinstance(node, ast.Call) or node.keywords:
        return None
    given = ", ".join(text.text(argument) for argument in node.args)
    title = "Draw with torch, again on each call (a tensor, from torch's stream)"
    return Fix(title, (Edit(text.range(node), make(given)),))


def counted(text: Passage, node: ast.AST) -> Fix | None:
    """Return the rewrite of a counter that `__init__` sets to a number as a buffer, or None."""
    if not isinstance(node, ast.AugAssign) or not isinstance(node.target, ast.Attribute):
        return None
    owner = next((a for a in text.ancestors(node) if isinstance(a, ast.ClassDef)), None)
    methods = owner.body if owner else []
    start = next(
        (m for m in methods if isinstance(m, ast.FunctionDef) and m.name == "__init__"), None
    )
    name = node.target.attr
    for statement in start.body if start else []:
        if (
            isinstance(statement, ast.Assign)
            and [dotted(t) for t in statement.targets] == [f"self.{name}"]
            and isinstance(statement.value, ast.Constant)
            and isinstance(statement.value.value, (int, float))
        ):
            value = f"torch.tensor({text.text(statement.value)})"
            made = f'self.register_buffer("{name}", {value}, persistent=False)'
            title = f"Keep self.{name} in a buffer, which the graph updates"
            return Fix(title, (Edit(text.range(statement), made),))
    return None


def number(text: Passage, node: ast.AST) -> Fix | None:
    """Return the rewrite of `float(x)` as `.item()`, which a graph keeps as a number."""
    if not isinstance(node, ast.Call) or len(node.args) != 1:
        return None
    width = {"int": "long", "float": "double"}[dotted(node.func)]
    owner = text.text(node.args[0])
    if not isinstance(node.args[0], (ast.Name, ast.Attribute, ast.Call, ast.Subscript)):
        owner = f"({owner})"
    edit = Edit(text.range(node), f"{owner}.{width}().item()")
    return Fix("Get the number with .item(), which the graph records", (edit,))


def record(text: Passage, node: ast.AST) -> Fix | None:
    """Return the registration of a dataclass that `forward` returns, or None."""
    if not isinstance(node, ast.Return) or not isinstance(node.value, ast.Call):
        return None
    name = dotted(node.value.func)
    for statement in text.tree.body:
        if isinstance(statement, ast.ClassDef) and statement.name == name:
            end = text.range(statement).end
            line = f"\n\n\ntorch.export.register_dataclass({name})"
            return Fix(f"Register {name} with torch.export", (Edit(Range(end, end), line),))
    return None


_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv)


def rounded(text: Passage, node: ast.AST) -> Fix | None:
    """Return the rewrite of `round(n / 4)` or `int(n / 4)` of a size in integer arithmetic, or
    None.
    """
    if not isinstance(node, ast.Call) or len(node.args) != 1 or node.keywords:
        return None
    match node.args[0]:
        case ast.BinOp(left=size, op=ast.Div(), right=ast.Constant(int(parts))) if parts > 0:
            pass
        case ast.BinOp(left=size, op=ast.Mult(), right=ast.Constant(0.5)):
            parts = 2
        case _:
            return None
    if not _is_whole(size):
        return None
    if dotted(node.func) == "int":
        return _cut(text, node, size, parts)
    n = text.text(size) if not isinstance(size, ast.BinOp) else f"({text.text(size)})"
    # Python rounds half to even: an odd quotient goes up.
    half = "" if parts == 2 else f" + {parts // 2 - 1}"
    even = f"({n}{half} + {n} // {parts} % 2) // {parts}"
    odd = f"({n} + {parts // 2}) // {parts}"
    whole = odd if parts % 2 else even
    tight = isinstance(text.ancestors(node)[0], (ast.BinOp, ast.UnaryOp))
    edit = Edit(text.range(node), f"({whole})" if tight else whole)
    return Fix("Round in integer arithmetic, halves to the even integer as round() does", (edit,))


def _cut(text: Passage, node: ast.Call, size: ast.expr, parts: int) -> Fix | None:
    if any(isinstance(part, ast.Sub | ast.USub) for part in ast.walk(size)):
        return None  # int() truncates, but // rounds down, which differs below zero
    n = text.text(size) if not isinstance(size, ast.BinOp) else f"({text.text(size)})"
    tight = isinstance(text.ancestors(node)[0], (ast.BinOp, ast.UnaryOp))
    edit = Edit(text.range(node), f"({n} // {parts})" if tight else f"{n} // {parts}")
    return Fix("Divide in integer arithmetic, which truncates as int() does", (edit,))


def _is_whole(node: ast.expr) -> bool:
    """Return whether it is a size, or arithmetic of sizes and integers."""
    match node:
        case ast.Constant(value):
            return type(value) is int
        case ast.Subscript(value=ast.Attribute(attr="shape"), slice=ast.Constant(int())):
            return True
        case ast.Call(func=ast.Attribute(attr="size"), args=[ast.Constant(int())]):
            return True
        case ast.Call(func=ast.Attribute(attr="numel"), args=[]):
            return True
        case ast.BinOp(left=left, op=op, right=right):
            return isinstance(op, _ARITHMETIC) and _is_whole(left) and _is_whole(right)
    return False


def left(text: Passage, node: ast.AST) -> Fix | None:
    """Return the rewrite of a detour through NumPy as the same arithmetic of tensors, or None.

    Integer constants keep the dtype of an array and of a tensor alike; other NumPy dtype rules
    differ.
    """
    whole: ast.AST = node
    for above in text.ancestors(node):
        whole = above
        if not isinstance(above, (ast.BinOp, ast.UnaryOp)):
            break
    if not isinstance(whole, ast.Call) or len(whole.args) != 1 or whole.keywords:
        return None
    if dotted(whole.func) not in ("torch.from_numpy", "torch.as_tensor"):
        return None
    inner = whole.args[0]
    leaves = list(_leaves(inner))
    arrays = {text.text(leaf) for leaf in leaves if _leaves_torch(leaf)}
    # Two arrays of different dtypes may promote to another dtype than two tensors.
    if len(arrays) != 1 or not all(_leaves_torch(leaf) or _is_small(leaf) for leaf in leaves):
        return None
    edits = [
        Edit(text.range(leaf), text.text(leaf.func.value))
        for leaf in leaves
        if isinstance(leaf, ast.Call) and isinstance(leaf.func, ast.Attribute)
    ]
    start, end = text.range(whole), text.range(inner)
    opening, closing = Range(start.start, end.start), Range(end.end, start.end)
    bare = isinstance(inner, ast.Call)
    around = (Edit(opening, "" if bare else "("), Edit(closing, "" if bare else ")"))
    return Fix("Compute it in torch, with the same arithmetic", (*around, *edits))


def _leaves(node: ast.expr) -> Iterator[ast.expr]:
    match node:
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult(), right=right):
            yield from _leaves(left)
            yield from _leaves(right)
        case ast.UnaryOp(op=ast.USub(), operand=operand) if not isinstance(operand, ast.Constant):
            yield from _leaves(operand)
        case _:
            yield node


def _leaves_torch(node: ast.expr) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(attr="numpy"), args=[], keywords=[]):
            return True
    return False


def _is_small(node: ast.expr) -> bool:
    """Return whether it is an integer that every dtype holds: NumPy rejects others, torch wraps
    them.
    """
    return isinstance(node, ast.Constant) and type(node.value) is int and node.value < 128
