"""Flags that are off while another model is trained: JAX differentiates by the models of a step.

    for p in critic.parameters():
        p.requires_grad_(False)
    loss = -critic(generator(noise)).mean()
    loss.backward()
    generator_optimizer.step()
    for p in critic.parameters():
        p.requires_grad_(True)

needs none of the loops in JAX, where the step differentiates by the generator alone.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace

from workbench.convert.decide.planner import Plan
from workbench.convert.passes import Draft
from workbench.source.tree import inside
from workbench.source.uses import UseKind
from workbench.targets.jax.passes.program.structure import structure_of
from workbench.targets.jax.passes.state.cells import Cells, cells_of
from workbench.targets.jax.passes.state.flags import FLAG, OF_MODEL, OF_TENSOR, sets_flag
from workbench.targets.jax.passes.state.frozen import removed
from workbench.targets.jax.passes.steps.block import BACKWARD, leaves
from workbench.targets.jax.passes.steps.owners import callers_of, models_trained

_SETTING = frozenset({FLAG, OF_TENSOR, OF_MODEL})
_PARTS = ("body", "orelse", "finalbody")


def drop_toggles(draft: Draft) -> Draft:
    """Remove the statements that turn the flags of a model off and on again in one block."""
    if not any(one.use.name in _SETTING for one in draft.plans):
        return draft
    cells = cells_of(structure_of(draft.analysis, draft.plans), draft.plans)
    decided: dict[int, Plan] = {}
    toggled = _toggles(draft.plans, cells)
    for one in draft.plans:
        if (statement := toggled.get(id(one.use.node))) is not None:
            decided |= removed(one, statement, cells)
    if not decided:
        return draft
    return replace(draft, plans=[decided.get(id(one.use.node), one) for one in draft.plans])


def _toggles(plans: list[Plan], cells: Cells) -> dict[int, ast.stmt]:
    """Return the uses that set flags for the statements between two of a block, by their nodes.

    The values are the statements to remove. It is empty unless all uses that set flags are such.
    """
    sets = [one for one in plans if sets_flag(one, cells)]
    if not sets or any(one.use.name == FLAG and one.use.kind is UseKind.READ for one in plans):
        return {}
    found = {id(one.use.node): _statement(one, cells) for one in sets}
    statements = {id(one): plan for plan in sets if (one := found[id(plan.use.node)]) is not None}
    left = dict(statements)
    for block in _blocks(cells):
        own = [one for one in block if id(one) in statements]
        for off, on in zip(own[::2], own[1::2], strict=False):
            first, last = statements[id(off)], statements[id(on)]
            model = _model(first, off)
            if model == _model(last, on) and (_value(first), _value(last)) == (False, True):
                between = block[block.index(off) + 1 : block.index(on)]
                rest = [one for one in block if one not in between]
                apart = _is_over(between, rest, cells)
                if model is not None and apart and _is_untouched(between, model, plans, cells):
                    left.pop(id(off), None)
                    left.pop(id(on), None)
    if left or len(statements) != len(sets):
        return {}
    return {key: one for key, one in found.items() if one is not None}


def _blocks(cells: Cells) -> Iterator[list[ast.stmt]]:
    for node in (cells.structure.analysis.tree, *cells.structure.places.nodes):
        for part in _PARTS:
            if isinstance(statements := getattr(node, part, None), list):
                yield statements


def _statement(plan: Plan, cells: Cells) -> ast.stmt | None:
    """Return the statement that only sets the flags of a model, or None."""
    own = plan.use.statement
    if plan.use.name.startswith("torch.nn."):
        return own if isinstance(own, ast.Expr) and own.value is plan.use.node else None
    around = cells.parents.get(id(own))
    alone = isinstance(around, ast.For) and around.body == [own] and not around.orelse
    return around if alone and isinstance(around, ast.For) else None


def _model(plan: Plan, statement: ast.stmt) -> str | None:
    """Return the model whose flags a statement sets, as text."""
    if plan.use.name.startswith("torch.nn."):
        return None if plan.use.receiver is None else ast.unparse(plan.use.receiver)
    match statement:
        case ast.For(iter=ast.Call(func=ast.Attribute(value=model, attr="parameters"), args=[])):
            return ast.unparse(model)
    return None


def _value(plan: Plan) -> object:
    """Return what a use sets flags to, if it is a constant."""
    if plan.use.call is not None:
        return plan.match.constant("requires_grad", True)
    value = plan.use.statement.value if isinstance(plan.use.statement, ast.Assign) else None
    return value.value if isinstance(value, ast.Constant) else None


def _is_over(statements: Sequence[ast.stmt], rest: Sequence[ast.stmt], cells: Cells) -> bool:
    """Return whether the rest of a block only reads numbers of what statements compute."""
    every = [node for one in statements for node in inside(one) if isinstance(node, ast.Name)]
    made = {one.id for one in every if isinstance(one.ctx, ast.Store)}
    return all(
        getattr(cells.parents.get(id(node)), "attr", "") in {"item", "detach"}
        for one in rest
        for node in inside(one)
        if isinstance(node, ast.Name) and node.id in made and isinstance(node.ctx, ast.Load)
    )


def _is_untouched(
    statements: Sequence[ast.stmt], model: str, plans: list[Plan], cells: Cells
) -> bool:
    """Return whether statements leave the gradients of a model, and its parameters' updates."""
    if any(map(leaves, statements)):
        return False
    within = {id(node) for one in statements for node in inside(one)}
    own = [one for one in plans if id(one.use.node) in within]
    if any(one.use.name in {"torch.Tensor.grad", "torch.autograd.grad"} for one in own):
        return False
    training = [one for one in plans if one.use.name == BACKWARD or _is_step(one)]
    calling = callers_of(training, cells.structure)
    for node in (node for one in statements for node in inside(one)):
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in calling:
            return False
    return all(_trains_others(one, model, plans, cells) for one in own if _is_step(one))


def _is_step(plan: Plan) -> bool:
    name = plan.use.name
    return name.startswith("torch.optim.") and name.endswith((".step", ".zero_grad"))


def _trains_others(plan: Plan, model: str, plans: list[Plan], cells: Cells) -> bool:
    receiver = plan.use.receiver
    if receiver is None or "lr_scheduler" in plan.use.name:
        return "lr_scheduler" in plan.use.name
    text, at = ast.unparse(receiver), plan.use.statement
    trained = models_trained(text, plans, cells.structure, at)
    return trained is not None and not any(
        f"{one}.".startswith(f"{model}.") or f"{model}.".startswith(f"{one}.") for one in trained[0]
    )
