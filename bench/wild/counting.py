"""An independent count of uses of torch, which reads only import statements and names.

It knows no scopes, no flow and no types. A name that a file binds to something else too is not
counted. Only members that nothing but a tensor has are counted.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

# Members of torch's tensors that numpy, pandas and Python's own objects do not have.
TENSOR_ONLY = frozenset(
    {
        "unsqueeze",
        "unsqueeze_",
        "squeeze_",
        "permute",
        "masked_fill",
        "masked_fill_",
        "scatter_",
        "scatter_add",
        "scatter_add_",
        "gather",
        "contiguous",
        "new_zeros",
        "new_ones",
        "new_tensor",
        "new_full",
        "new_empty",
        "requires_grad_",
        "expand_as",
        "view_as",
        "type_as",
        "mul_",
        "add_",
        "sub_",
        "div_",
        "clamp_",
        "zero_",
        "fill_",
        "copy_",
        "normal_",
        "uniform_",
        "bmm",
        "baddbmm",
        "repeat_interleave",
        "index_select",
        "index_fill_",
        "masked_select",
        "masked_scatter",
        "logsumexp",
        "softmax",
        "log_softmax",
        "argwhere",
        "rsqrt",
        "pow_",
        "t_",
        "transpose_",
        "unbind",
        "narrow",
        "is_contiguous",
        "data_ptr",
        "cumsum_",
        "topk",
        "index_add_",
    }
)


@dataclass(slots=True)
class Count:
    """Where names of torch start, and where tensors' members end: lines (from 0) and columns."""

    names: list[tuple[int, int]] = field(default_factory=list)
    members: list[tuple[int, int]] = field(default_factory=list)


def count(text: str) -> Count:
    """Count the uses in a file that parses."""
    tree = ast.parse(text.removeprefix("\ufeff"))
    nodes = list(ast.walk(tree))
    bound = _bound(nodes)
    lines = text.removeprefix("\ufeff").encode().splitlines(keepends=True)
    inner = {id(node.value) for node in nodes if isinstance(node, ast.Attribute)}
    result = Count()
    for node in nodes:
        if not isinstance(node, ast.Attribute | ast.Name) or id(node) in inner:
            continue
        root: ast.expr = node
        while isinstance(root, ast.Attribute):
            root = root.value
        if isinstance(root, ast.Name) and root.id in bound:
            result.names.append(_place(lines, node.lineno, node.col_offset))
    for node in nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            func = node.func
            if func.attr in TENSOR_ONLY and not _is_torch(func, bound):
                end = func.end_lineno or func.lineno
                result.members.append(_place(lines, end, func.end_col_offset or 0))
    return result


def _bound(nodes: list[ast.AST]) -> set[str]:
    """Return names that only import statements of torch bind."""
    ours: set[str] = set()
    others: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                torch = alias.name.split(".")[0] == "torch"
                (ours if torch else others).add(alias.asname or alias.name.split(".")[0])
        elif isinstance(node, ast.ImportFrom):
            torch = not node.level and (node.module or "").split(".")[0] == "torch"
            names = {alias.asname or alias.name for alias in node.names}
            (ours if torch else others).update(names)
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            others.add(node.id)
        elif isinstance(node, ast.arg):
            others.add(node.arg)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            others.add(node.name)
    return ours - others


def _is_torch(node: ast.expr, bound: set[str]) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name) and node.id in bound


def _place(lines: list[bytes], line: int, column: int) -> tuple[int, int]:
    return line - 1, len(lines[line - 1][:column].decode(errors="replace"))
