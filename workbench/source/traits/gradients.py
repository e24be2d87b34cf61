"""Gradients that a text still refers to when they are cleared: `before = p.grad`."""

from __future__ import annotations

import ast

from workbench.words import words

# Methods and functions that return a new value, without a reference to the gradient.
_NEW = frozenset(
    words(
        "abs all allclose any cat clone dot einsum equal isfinite isinf isinstance isnan item "
        "len matmul max mean min mm mul norm ones_like pow print sign sqrt square stack std "
        "sum tolist var vector_norm zeros_like"
    )
)
# Members that return the gradient itself or a view of it.
_SAME = frozenset(
    {"cpu", "cuda", "data", "detach", "flatten", "float", "reshape", "to", "view", "view_as"}
)
# Members of a tensor other than its values.
_ABOUT = frozenset(
    {"device", "dim", "dtype", "is_cuda", "is_sparse", "layout", "ndim", "numel", "shape", "size"}
)
_HOLDERS = (
    ast.List | ast.Tuple | ast.Set | ast.ListComp | ast.GeneratorExp | ast.IfExp | ast.Starred
)


def holds_gradients(tree: ast.AST) -> bool:
    """Return whether a variable, a list or the result of a function refers to a gradient.

    A variable of a function that clears no gradients no longer exists when they are cleared.
    """
    parents = {id(part): node for node in ast.walk(tree) for part in ast.iter_child_nodes(node)}
    return any(
        _is_held(node, parents)
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr == "grad" and _is_read(node)
    )


def _is_read(node: ast.Attribute) -> bool:
    of_module = isinstance(node.value, ast.Name) and node.value.id == "torch"
    return isinstance(node.ctx, ast.Load) and not of_module


def _is_held(node: ast.AST, parents: dict[int, ast.AST]) -> bool:
    around = parents.get(id(node))
    match around:
        case ast.Attribute(attr=name):
            if name in _SAME:
                return _is_held(around, parents)
            return not (name in _NEW or name in _ABOUT or _is_in_place(around, parents))
        case ast.Call(func=called) if called is node:
            return _is_held(around, parents)
        case ast.Call(func=called):
            name = _last_name(called)
            return not (name in _NEW or name.endswith("_"))
        case ast.Assign(targets=[ast.Name()]) | ast.AnnAssign(target=ast.Name()):
            return _clears(around, parents)
        case ast.List() | ast.Tuple() | ast.ListComp() | ast.GeneratorExp() | ast.IfExp():
            return _is_held(around, parents)
        case ast.Return() | ast.Assign() | ast.Yield() | ast.Dict() | ast.keyword():
            return True
    return False


def _is_in_place(member: ast.Attribute, parents: dict[int, ast.AST]) -> bool:
    call = parents.get(id(member))
    return member.attr.endswith("_") and isinstance(parents.get(id(call)), ast.Expr)


def _clears(node: ast.AST, parents: dict[int, ast.AST]) -> bool:
    """Return whether the enclosing function clears gradients; True outside of functions."""
    while (around := parents.get(id(node))) is not None:
        if isinstance(around, ast.FunctionDef | ast.AsyncFunctionDef):
            return any(
                isinstance(one, ast.Attribute)
                and (one.attr == "zero_grad" or (one.attr == "grad" and not _is_read(one)))
                for one in ast.walk(around)
            )
        node = around
    return True


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
