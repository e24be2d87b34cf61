"""Tensors that one variable alone holds: made right before, and named nowhere since.

What changes such a tensor in place changes nothing that anybody else sees.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from workbench.source.uses import Use

_OPERATORS: Final = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "div",
    ast.Pow: "pow",
    ast.MatMult: "matmul",
    ast.USub: "neg",
    ast.Mod: "remainder",
    ast.FloorDiv: "floor_divide",
}
# Functions and methods that always give a new tensor, never their argument or a view of it.
_MAKES: Final = frozenset(
    {
        "abs",
        "add",
        "addcdiv",
        "addcmul",
        "addmm",
        "amax",
        "amin",
        "arange",
        "baddbmm",
        "bmm",
        "cat",
        "celu",
        "clamp",
        "clone",
        "cosine_similarity",
        "cov",
        "cumprod",
        "cumsum",
        "div",
        "elu",
        "empty",
        "empty_like",
        "exp",
        "eye",
        "full",
        "full_like",
        "gather",
        "gelu",
        "group_norm",
        "hardsigmoid",
        "hardswish",
        "hardtanh",
        "index_select",
        "layer_norm",
        "leaky_relu",
        "lerp",
        "linear",
        "linspace",
        "log",
        "log_softmax",
        "logsumexp",
        "masked_fill",
        "matmul",
        "maximum",
        "mean",
        "minimum",
        "mish",
        "mm",
        "mul",
        "nanmean",
        "nansum",
        "neg",
        "new_full",
        "new_ones",
        "new_zeros",
        "norm",
        "normalize",
        "ones",
        "ones_like",
        "pow",
        "prod",
        "rand",
        "rand_like",
        "randint",
        "randn",
        "randn_like",
        "reciprocal",
        "relu",
        "relu6",
        "remainder",
        "rsqrt",
        "scatter",
        "scatter_add",
        "selu",
        "sigmoid",
        "silu",
        "softmax",
        "softplus",
        "sqrt",
        "square",
        "stack",
        "std",
        "sub",
        "sum",
        "tanh",
        "tensor",
        "true_divide",
        "var",
        "where",
        "zeros",
        "zeros_like",
    }
)
# Members that tell of a tensor's form, and give nothing of it away.
_FORM: Final = frozenset({"device", "dim", "dtype", "ndim", "numel", "shape", "size"})
_OWNERS: Final = frozenset({"torch", "torch.Tensor", "torch.nn.functional", "torch.linalg"})


def maker(
    body: Sequence[ast.stmt], statement: ast.stmt, name: str, uses: Mapping[int, Use]
) -> str | None:
    """What made the tensor of a variable that a statement changes in place.

    Args:
        body: the statements of the function or program that the statement belongs to.
        statement: `x += y`, or `x.mul_(y)`.
        name: of the variable.
        uses: those of torch found so far, by the identity of their nodes.

    Returns:
        The short name that torch has for it (`"div"`), also of an operator; None where the tensor
        may be known by another name, or was not made by a call or an operation.
    """
    for statements, index in reversed(list(_way(body, statement))):
        around = statements[index]
        if around is not statement and _escapes(around, name):
            return None
        for earlier in reversed(statements[:index]):
            made = _bound(earlier, name)
            if made is not None:
                return _maker(made, uses)
            if _escapes(earlier, name):
                return None
    return None


def held_elsewhere(
    function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Module,
    statement: ast.AugAssign,
    name: str,
) -> ast.expr | None:
    """What else holds the value of a variable that a statement changes in place.

    Args:
        function: that the statement belongs to, or the program.
        statement: `x += y`.
        name: of the variable.

    Returns:
        The variable, attribute or entry that it was bound to, such as the `x` of `h = x`, or the
        variable itself, where a caller gave it; None where nothing reads the other one from there
        on, or where it was bound to a value of its own.
    """
    for statements, index in reversed(list(_way(function.body, statement))):
        for earlier in reversed(statements[:index]):
            made = _bound(earlier, name)
            if made is not None:
                return made if _still_read(made, earlier, function.body) else None
            if _binds(earlier, name):
                return None
        if statements[index] is not statement and _binds(statements[index], name):
            return None
    given = [] if isinstance(function, ast.Module) else _positional(function.args)
    return statement.target if name in given else None


def _positional(arguments: ast.arguments) -> list[str]:
    every = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    return [one.arg for one in every]


def _still_read(made: ast.expr, bound: ast.stmt, body: Sequence[ast.stmt]) -> bool:
    """Whether what a variable was bound to has a name that is read after that statement."""
    if isinstance(made, ast.Attribute | ast.Subscript):
        return True
    return isinstance(made, ast.Name) and any(
        isinstance(node, ast.Name)
        and node.id == made.id
        and isinstance(node.ctx, ast.Load)
        and (node.lineno, node.col_offset) > (bound.end_lineno or 0, bound.end_col_offset or 0)
        for one in body
        for node in ast.walk(one)
    )


def _binds(statement: ast.stmt, name: str) -> bool:
    """Whether a statement, or one in it, binds a variable to something else."""
    changed = {id(one.target) for one in ast.walk(statement) if isinstance(one, ast.AugAssign)}
    return any(
        isinstance(node, ast.Name)
        and node.id == name
        and isinstance(node.ctx, ast.Store)
        and id(node) not in changed
        for node in ast.walk(statement)
    )


def _way(body: Sequence[ast.stmt], statement: ast.stmt) -> Iterator[tuple[Sequence[ast.stmt], int]]:
    """The blocks that lead to a statement, outermost first, each with the place in it."""
    for index, one in enumerate(body):
        if one is statement:
            yield body, index
            return
        if one.lineno <= statement.lineno <= (one.end_lineno or 0):
            for block in _blocks(one):
                inner = list(_way(block, statement))
                if inner:
                    yield body, index
                    yield from inner
                    return


def _blocks(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    for field in ("body", "orelse", "finalbody"):
        block = getattr(statement, field, None)
        if isinstance(block, list):
            yield block
    for handler in getattr(statement, "handlers", ()):
        yield handler.body


def _bound(statement: ast.stmt, name: str) -> ast.expr | None:
    """The expression that a statement binds to this variable alone."""
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target: ast.expr = statement.targets[0]
    elif isinstance(statement, ast.AnnAssign):
        target = statement.target
    else:
        return None
    return statement.value if isinstance(target, ast.Name) and target.id == name else None


def _escapes(statement: ast.stmt, name: str) -> bool:
    """Whether a statement names a variable other than to change its tensor, or to ask its form."""
    changed: set[int] = set()
    for node in ast.walk(statement):
        if isinstance(node, ast.AugAssign):
            changed.add(id(node.target))
        elif isinstance(node, ast.Attribute) and node.attr in _FORM:
            changed.add(id(node.value))
        elif isinstance(node, ast.Expr) and (receiver := changed_by(node)) is not None:
            changed.add(id(receiver))
    return any(
        isinstance(node, ast.Name) and node.id == name and id(node) not in changed
        for node in ast.walk(statement)
    )


def changed_by(statement: ast.Expr) -> ast.Name | None:
    """The variable of which a statement is nothing but an in-place method: `x.mul_(y)`."""
    call = statement.value
    function = call.func if isinstance(call, ast.Call) else None
    if not isinstance(function, ast.Attribute) or not isinstance(function.value, ast.Name):
        return None
    name = function.attr
    return function.value if name.endswith("_") and not name.startswith("_") else None


def _maker(made: ast.expr, uses: Mapping[int, Use]) -> str | None:
    if isinstance(made, ast.BinOp | ast.UnaryOp):
        return _OPERATORS.get(type(made.op))
    use = uses.get(id(made))
    if use is None or use.call is None or _asks_for_gradients(use.call):
        return None
    owner, _, short = use.name.rpartition(".")
    return short if owner in _OWNERS and short in _MAKES else None


def _asks_for_gradients(call: ast.Call) -> bool:
    """Whether a tensor is made as one to be trained: bound anew, it would be trained no more."""
    return any(one.arg == "requires_grad" for one in call.keywords)
