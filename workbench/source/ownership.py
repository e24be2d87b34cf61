"""Tensors that only one variable refers to: just created, and not named since.

Nobody else can observe an in-place change of such a tensor.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final, NamedTuple

from workbench.source.types.views import is_view, owner_of
from workbench.words import words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

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
_SIZES: Final = ("1d", "2d", "3d")
# Functions and layers that pool values.
POOLS: Final = frozenset(
    f"{name}{size}"
    for name in words(
        "avg_pool max_pool lp_pool adaptive_avg_pool adaptive_max_pool "
        "AvgPool MaxPool LPPool AdaptiveAvgPool AdaptiveMaxPool"
    )
    for size in _SIZES
)
# Functions and methods that always return a new tensor, never their argument or a view of it.
_MAKES: Final = POOLS | frozenset(
    words(
        "abs add addcdiv addcmul addmm amax amin arange baddbmm binary_cross_entropy "
        "binary_cross_entropy_with_logits bmm cat celu clamp clone conv1d conv2d conv3d "
        "cosine_similarity cov cross_entropy ctc_loss cumprod cumsum div elu embedding empty "
        "empty_like exp eye full full_like gather gelu group_norm hardsigmoid hardswish hardtanh "
        "huber_loss index_select kl_div l1_loss layer_norm leaky_relu lerp linear linspace log "
        "log_softmax logsumexp masked_fill matmul maximum mean minimum mish mm mse_loss mul "
        "nanmean nansum neg new_full new_ones new_zeros nll_loss norm normalize ones ones_like "
        "pow prod rand rand_like randint randn randn_like reciprocal relu relu6 remainder rsqrt "
        "scatter scatter_add selu sigmoid silu smooth_l1_loss softmax softplus sqrt square stack "
        "std sub sum tanh tensor true_divide var where zeros zeros_like"
    )
)
# Functions whose gradient a target may compute from their result, torch from their arguments.
RESULT_NEEDED: Final = POOLS | frozenset(
    words(
        "amax amin cosine_similarity cov cross_entropy div elu group_norm hardsigmoid lerp "
        "logsumexp nanmean norm normalize prod relu6 scatter selu silu std true_divide var "
        "CosineSimilarity CrossEntropyLoss GroupNorm"
    )
)
# Layers whose call does so.
_LAYERS: Final = POOLS | frozenset(
    words(
        "BCELoss BCEWithLogitsLoss CTCLoss Conv1d Conv2d Conv3d CosineEmbeddingLoss "
        "CosineSimilarity CrossEntropyLoss Embedding GroupNorm HuberLoss KLDivLoss L1Loss "
        "LayerNorm Linear MSELoss MarginRankingLoss NLLLoss SmoothL1Loss TripletMarginLoss"
    )
)
# Members that describe a tensor without giving access to its values.
_FORM: Final = frozenset({"device", "dim", "dtype", "ndim", "numel", "shape", "size"})
_T: Final = "torch.Tensor."
_OWNERS: Final = frozenset({"torch", "torch.Tensor", "torch.nn.functional", "torch.linalg"})


def makers(
    body: Sequence[ast.stmt],
    statement: ast.stmt,
    name: str,
    uses: Mapping[int, Use],
    of_target: Mapping[int, str],
    layer_of: Callable[[ast.expr], str],
) -> frozenset[str]:
    """Return the functions that may have created the tensor that a statement changes in place.

    Args:
        body: the statements of the function or program that contains the statement.
        statement: `x += y`, `x.mul_(y)` or `x[0] = y`.
        name: the name of the variable.
        uses: the uses of torch found so far, by the ids of their nodes.
        of_target: torch's names of the target's names found so far, by the ids of their nodes.
        layer_of: returns torch's class of the layer that an expression is, or "".

    Returns:
        torch's short names of the functions, operators or layers (`"div"`, `"Linear"`): one for
        each branch that ends in a new tensor. Empty if the tensor may have another name, or was
        not created by a call or an operation.
    """

    def made_by(node: ast.expr) -> str | None:
        viewed = _maker(_viewed_call(node), uses, of_target)
        if viewed in RESULT_NEEDED:
            return viewed
        return _maker(node, uses, of_target) or _layer(node, layer_of)

    found: set[str] = set()
    for statements, index in reversed(list(_way(body, statement))):
        around = statements[index]
        if around is not statement and _escapes(around, name):
            return frozenset()
        last = _last_makers(statements[:index], name, made_by)
        if last is None:
            return frozenset()
        found |= last.names
        if last.always:
            return frozenset(found)
    return frozenset()


class _Makers(NamedTuple):
    """The makers of a variable's tensor in some statements.

    Attributes:
        names: the functions that created it.
        always: whether the statements bind the variable on every way through them.
    """

    names: frozenset[str]
    always: bool


def _last_makers(
    statements: Sequence[ast.stmt], name: str, made_by: Callable[[ast.expr], str | None]
) -> _Makers | None:
    """Return the makers of a variable's tensor after some statements; None if one is unknown."""
    found: frozenset[str] = frozenset()
    for earlier in reversed(statements):
        made = _bound(earlier, name)
        if made is not None:
            one = made_by(made)
            return None if one is None else _Makers(found | {one}, always=True)
        if not _escapes(earlier, name):
            continue
        if not isinstance(earlier, ast.If):
            return None
        branches = [_last_makers(block, name, made_by) for block in (earlier.body, earlier.orelse)]
        if any(one is None for one in branches) or _escapes(ast.Expr(earlier.test), name):
            return None
        found = found.union(*(one.names for one in branches if one is not None))
        if all(one is not None and one.always for one in branches):
            return _Makers(found, always=True)
    return _Makers(found, always=False)


def other_reference(
    function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Module,
    statement: ast.AugAssign,
    name: str,
) -> ast.expr | None:
    """Return the other reference to the value of a variable that a statement changes in place.

    Args:
        function: the function or program that contains the statement.
        statement: `x += y`.
        name: the name of the variable.

    Returns:
        The variable, attribute or entry that it was bound to, such as the `x` of `h = x`, or
        the
        variable itself if it is an argument. None if nothing reads the other reference later,
        or
        if the variable was bound to a new value.
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


def loop_over(
    function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Module,
    statement: ast.AugAssign,
    name: str,
) -> ast.For | ast.AsyncFor | None:
    """Return the loop whose variable a statement changes in place, or None if it is another.

    A variable that the body binds before the statement is none of the loop.
    """
    for statements, index in reversed(list(_way(function.body, statement))):
        around = statements[index]
        if isinstance(around, ast.For | ast.AsyncFor) and _binds(ast.Expr(around.target), name):
            return around
        if any(_binds(earlier, name) for earlier in statements[:index]):
            return None
    return None


def is_read_later(body: Sequence[ast.stmt], statement: ast.stmt, name: str) -> bool:
    """Return whether a variable is read after a statement, also in the next run of a loop.

    `body` has the statements in which the variable has its value.
    """
    way = [statements[index] for statements, index in _way(body, statement)]
    repeated = (one for one in way if isinstance(one, ast.For | ast.AsyncFor | ast.While))
    own = {id(node) for node in ast.walk(statement)}
    return any(_reads(one, statement, name) for one in body) or any(
        isinstance(node, ast.Name)
        and node.id == name
        and isinstance(node.ctx, ast.Load)
        and id(node) not in own
        for one in repeated
        for node in ast.walk(one)
    )


def may_be_shared(loop: ast.For | ast.AsyncFor, body: Sequence[ast.stmt]) -> bool:
    """Return whether something other than a loop still reads the elements that it iterates over."""
    return _still_read(loop.iter, loop, body)


def _positional(arguments: ast.arguments) -> list[str]:
    every = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    return [one.arg for one in every]


def _still_read(made: ast.expr, bound: ast.stmt, body: Sequence[ast.stmt]) -> bool:
    """Return whether the source of a variable has a name that is read after that statement."""
    if isinstance(made, ast.Attribute | ast.Subscript):
        return True
    return isinstance(made, ast.Name) and any(_reads(one, bound, made.id) for one in body)


def _reads(part: ast.stmt, earlier: ast.stmt, name: str) -> bool:
    """Return whether a part reads a variable after the end of an earlier statement."""
    end = (earlier.end_lineno or 0, earlier.end_col_offset or 0)
    return any(
        isinstance(node, ast.Name)
        and node.id == name
        and isinstance(node.ctx, ast.Load)
        and (node.lineno, node.col_offset) > end
        for node in ast.walk(part)
    )


def _binds(statement: ast.stmt, name: str) -> bool:
    """Return whether a statement, or a nested one, binds a variable to another value."""
    changed = {id(one.target) for one in ast.walk(statement) if isinstance(one, ast.AugAssign)}
    return any(
        isinstance(node, ast.Name)
        and node.id == name
        and isinstance(node.ctx, ast.Store)
        and id(node) not in changed
        for node in ast.walk(statement)
    )


def _way(body: Sequence[ast.stmt], statement: ast.stmt) -> Iterator[tuple[Sequence[ast.stmt], int]]:
    """Yield the blocks around a statement, outermost first, with its index in each."""
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
    """Return the expression that a statement binds to this variable alone, or None."""
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target: ast.expr = statement.targets[0]
    elif isinstance(statement, ast.AnnAssign):
        target = statement.target
    else:
        return None
    return statement.value if isinstance(target, ast.Name) and target.id == name else None


def _escapes(statement: ast.stmt, name: str) -> bool:
    """Return whether a statement names a variable except to change it or to read its shape or
    dtype.
    """
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


def makers_of_written(
    body: Sequence[ast.stmt],
    statement: ast.stmt,
    name: str,
    uses: Mapping[int, Use],
    of_target: Mapping[int, str],
) -> frozenset[str]:
    """Return the same for a statement that writes to a part: `x[0] = y`.

    Other statements may read the variable in operations. Empty in a loop, after another write, and
    if no gradient needs the values.
    """
    way = list(_way(body, statement))
    if any(isinstance(block[at], ast.For | ast.While) for block, at in way):
        return frozenset()
    for block, at in reversed(way):
        for earlier in reversed(block[:at]):
            made = _bound(earlier, name)
            if made is not None:
                maker = _maker(_viewed_call(made), uses, of_target)
                known = maker is not None and is_needed_result(made)
                return frozenset([maker]) if known and maker else frozenset()
            if not _only_computes_with(earlier, name):
                return frozenset()
    return frozenset()


def _only_computes_with(statement: ast.stmt, name: str) -> bool:
    """Return whether a statement reads a variable in operations only, whose results are new."""
    harmless: set[int] = set()
    for node in ast.walk(statement):
        if isinstance(node, ast.Compare):
            operands = [node.left, *node.comparators]
        elif isinstance(node, ast.BinOp):
            operands = [node.left, node.right]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            operands = [node.func.value] if node.func.attr in _MAKES else []
        elif isinstance(node, ast.Attribute) and node.attr in _FORM:
            operands = [node.value]
        else:
            continue
        harmless.update(id(owner) for one in operands if (owner := owner_of(one)) is not None)
    return all(
        id(node) in harmless
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and node.id == name
    )


def is_needed_result(node: ast.expr) -> bool:
    """Return whether an expression computes what its gradient may need: `a / b`, `x.norm()`.

    Also if it is a view of that.
    """
    made = _viewed_call(node)
    if isinstance(made, ast.BinOp):
        return isinstance(made.op, ast.Div) and not _is_number(made.right)
    return isinstance(made, ast.Call) and getattr(made.func, "attr", "") in RESULT_NEEDED


def _is_number(node: ast.expr) -> bool:
    """Return whether an expression is written as a number: `2`, `math.sqrt(n)`, `x.shape[0]`."""
    match node:
        case ast.Constant():
            return True
        case ast.UnaryOp(operand=inner):
            return _is_number(inner)
        case ast.BinOp(left=left, right=right):
            return _is_number(left) and _is_number(right)
        case ast.Subscript(value=ast.Attribute(attr="shape")):
            return True
        case ast.Call(func=ast.Attribute(value=ast.Name(id="math"))):
            return True
        case ast.Call(func=ast.Name(id=name)):
            return name in {"len", "float", "int"}
        case ast.Call(func=ast.Attribute(attr=name)):
            return name in {"size", "numel", "item"}
    return False


def _viewed_call(node: ast.expr) -> ast.expr:
    """Return the call or operation of whose new tensor an expression is a view, or itself."""
    whole = node
    while True:
        match node:
            case ast.Subscript(value=inner):
                node = inner
            case ast.Call(func=ast.Attribute(value=inner, attr=name)) if is_view(_T + name):
                node = inner
            case ast.Call() | ast.BinOp():
                return node
            case _:
                return whole


def changed_by(statement: ast.Expr) -> ast.Name | None:
    """Return the variable of a statement that only calls an in-place method: `x.mul_(y)`."""
    call = statement.value
    function = call.func if isinstance(call, ast.Call) else None
    if not isinstance(function, ast.Attribute) or not isinstance(function.value, ast.Name):
        return None
    name = function.attr
    return function.value if name.endswith("_") and not name.startswith("_") else None


def _maker(made: ast.expr, uses: Mapping[int, Use], of_target: Mapping[int, str]) -> str | None:
    if isinstance(made, ast.BinOp | ast.UnaryOp):
        return _OPERATORS.get(type(made.op))
    if not isinstance(made, ast.Call) or _asks_for_gradients(made):
        return None
    use = uses.get(id(made))
    is_call = use is not None and use.call is not None
    name = use.name if use is not None and is_call else of_target.get(id(made.func), "")
    owner, _, short = name.rpartition(".")
    return short if owner in _OWNERS and short in _MAKES else None


def _layer(made: ast.expr, layer_of: Callable[[ast.expr], str]) -> str | None:
    short = layer_of(made.func).removeprefix("torch.nn.") if isinstance(made, ast.Call) else ""
    return short if short in _LAYERS else None


def _asks_for_gradients(call: ast.Call) -> bool:
    """Return whether a tensor is created with `requires_grad`, which a new binding would drop."""
    return any(one.arg == "requires_grad" for one in call.keywords)
