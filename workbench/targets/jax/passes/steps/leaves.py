"""Gradients of tensors: `x.grad` after `backward`, and `torch.autograd.grad`."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection

from workbench.convert.decide.planner import Plan
from workbench.source.tree import inside
from workbench.source.uses import UseKind
from workbench.targets.jax.passes.program.binding import names
from workbench.targets.jax.passes.program.dependence import assigned, simple
from workbench.targets.jax.passes.program.structure import Structure
from workbench.targets.jax.passes.steps.block import BACKWARD, Block, block_of
from workbench.targets.jax.passes.steps.losses import gradient_of
from workbench.targets.jax.passes.steps.parts import Step, Unlike

GRAD = "torch.Tensor.grad"
_REQUIRES = ("torch.Tensor.requires_grad_", "torch.Tensor.requires_grad")


def leaf_step(
    backward: Plan, plans: list[Plan], structure: Structure, quiet: Collection[int]
) -> Step | None:
    """Return the gradients of tensors that code reads after `backward`, or None if it reads none.

    Args:
        backward: the plan of `backward`.
        plans: the plans of the program.
        structure: the program.
        quiet: the identities of blocks without gradients.

    Raises:
        Unlike: they cannot be computed by a function.
    """
    block = block_of(backward, plans, structure, quiet)
    if not block.backwards or block.steps:
        return None
    after = block.statements[block.at(backward) + 1 :]
    later = [place for place, one in enumerate(after) if _differentiates(one, block)]
    reads = reads_of_gradients(block, after[: min(later, default=len(after))])
    if not reads:
        return None
    leaves = list(dict.fromkeys(_name_of(one) for one in reads))
    gone: list[Plan] = []
    start = 0
    for leaf in leaves:
        place, uses = _made(leaf, backward, block)
        start = max(start, place + 1)
        gone += uses
    _check_alone(leaves, backward, reads, block)
    gradient = gradient_of(backward, leaves, block, start)
    gradient.others = []
    return Step([gradient], [], gone, leaves=leaves, reads=reads)


def _differentiates(statement: ast.stmt, block: Block) -> bool:
    losses = {id(one.use.node) for one in block.plans if one.use.name == BACKWARD}
    return any(id(node) in losses for node in inside(statement))


def reads_of_gradients(block: Block, statements: list[ast.stmt]) -> list[Plan]:
    """Return the uses of `x.grad` in statements, for names `x`."""
    read = [
        one
        for one in block.plans
        if one.use.name == GRAD
        and one.use.kind is UseKind.READ
        and isinstance(one.use.receiver, ast.Name)
    ]
    nodes = {id(node) for one in statements for node in inside(one)} if read else set()
    return [one for one in read if id(one.use.node) in nodes]


def _name_of(plan: Plan) -> str:
    assert isinstance(plan.use.receiver, ast.Name)
    return plan.use.receiver.id


def _made(leaf: str, backward: Plan, block: Block) -> tuple[int, list[Plan]]:
    """Return the place where a tensor begins to require gradients, and the uses that say so.

    Raises:
        Unlike: it does not begin there, so that it may have gradients already.
    """
    before = block.statements[: block.at(backward)]
    makers = [one for one in before if leaf in assigned(one) or _requires(one, leaf)]
    if not makers or not any(_requires(one, leaf) for one in makers):
        raise Unlike(f"{leaf} does not begin to require gradients in the same block")
    last = max(before.index(one) for one in makers)
    if not _requires(before[last], leaf):
        raise Unlike(f"{leaf} is assigned after it begins to require gradients")
    nodes = {id(node) for one in makers for node in inside(one)}
    uses = [one for one in block.plans if one.use.name in _REQUIRES and id(one.use.node) in nodes]
    for one in before[last:]:
        if one is not before[last] and _differentiates(one, block):
            raise Unlike(f"another loss may give {leaf} a gradient too")
    return last, uses


def _requires(statement: ast.stmt, leaf: str) -> bool:
    """Return whether a tensor requires gradients from a statement on."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if name == leaf:
            return any(
                isinstance(node, ast.Call)
                and (
                    (isinstance(node.func, ast.Attribute) and node.func.attr == "requires_grad_")
                    or any(
                        one.arg == "requires_grad" and ast.unparse(one.value) == "True"
                        for one in node.keywords
                    )
                )
                for node in inside(value)
            )
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=value, attr="requires_grad_"))):
            return ast.unparse(value) == leaf
    return False


def _check_alone(leaves: list[str], backward: Plan, reads: list[Plan], block: Block) -> None:
    """Raise if the function changes these gradients, or reads them where they add up."""
    function = block.function
    around = block.structure.analysis.tree if function is None else function
    nodes = {id(node) for node in inside(around)}
    stored = [p for p in block.plans if p.use.name == GRAD and p.use.kind is not UseKind.READ]
    for one in stored:
        receiver = ast.unparse(one.use.receiver) if one.use.receiver is not None else ""
        if id(one.use.node) in nodes and receiver in leaves:
            raise Unlike(f"the gradient of {receiver} is assigned too")
    last = max(one.use.node.lineno for one in reads)
    after = block.statements[block.at(backward) + 1 :]
    before = [one for one in simple(after) if one.lineno < last]
    aims = [one for one in before if isinstance(one, ast.Assign | ast.AugAssign | ast.AnnAssign)]
    for leaf in leaves:
        if any(leaf in names(one, ast.Store) for one in aims):
            raise Unlike(f"{leaf} is assigned again before its gradient is read")


def asked_step(plan: Plan, plans: list[Plan], structure: Structure, quiet: Collection[int]) -> Step:
    """Return the gradients that a call of `torch.autograd.grad` asks for.

    Args:
        plan: the plan of the call.
        plans: the plans of the program.
        structure: the program.
        quiet: the identities of blocks without gradients.

    Raises:
        Unlike: they cannot be computed by a function.
    """
    block = block_of(plan, plans, structure, quiet)
    inputs = _inputs(plan)
    single = isinstance(plan.match.arguments["inputs"].node, ast.Name)
    aim, whole = _aim(plan, len(inputs), is_single=single)
    before = block.statements[: block.statements.index(plan.use.statement)]
    places = [place for place, one in enumerate(before) if assigned(one) & set(inputs)]
    start = max(places, default=-1) + 1
    gradient = gradient_of(plan, inputs, block, start)
    gradient.others = []
    gradient.aim, gradient.whole = aim, whole
    gradient.is_summed = _is_summed(plan)
    nodes = {id(node) for one in before for node in inside(one)}
    gone = [
        one
        for one in plans
        if one.use.name in _REQUIRES
        and id(one.use.node) in nodes
        and any(_requires(one.use.statement, name) for name in inputs)
    ]
    return Step([gradient], [], gone, leaves=inputs)


def _inputs(plan: Plan) -> list[str]:
    node = plan.match.arguments["inputs"].node
    each = node.elts if isinstance(node, ast.Tuple | ast.List) else [node]
    if not all(isinstance(one, ast.Name) for one in each):
        raise Unlike("the gradient is asked for by something else than names of tensors")
    if plan.match.given("allow_unused", "is_grads_batched", "materialize_grads"):
        raise Unlike("an input may have no gradient")
    return [ast.unparse(one) for one in each]


def _aim(plan: Plan, count: int, *, is_single: bool) -> tuple[str, ast.expr]:
    """Return what the gradients are assigned to, and the whole value of the statement."""
    statement, node = plan.use.statement, plan.use.node
    match statement:
        case ast.Assign(targets=[ast.Tuple(elts=aims)], value=value) if value is node:
            if len(aims) == count:
                names = [ast.unparse(one) for one in aims]
                return names[0] if count == 1 else f"({', '.join(names)})", value
        case ast.Assign(
            targets=[ast.Name(id=name)],
            value=ast.Subscript(value=inner, slice=ast.Constant(value=0)) as value,
        ) if inner is node and count == 1:
            return name, value
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if value is node:
            if not is_single and count > 1:
                return name, value
    raise Unlike("the gradients are part of another expression; assign them first")


def _is_summed(plan: Plan) -> bool:
    """Return whether the gradients of all values of the output are added up."""
    given = plan.match.arguments.get("grad_outputs")
    if given is None or ast.unparse(given.node) == "None":
        return False
    output = ast.unparse(plan.match.arguments["outputs"].node)
    text = re.sub(r", device=[^,()]+|, dtype=[^,()]+", "", ast.unparse(given.node))
    ones = (f"ones_like({output})", f"ones({output}.size())", f"ones({output}.shape)")
    if text.removeprefix("torch.") not in ones:
        raise Unlike("the gradient is weighted by `grad_outputs`")
    return True
