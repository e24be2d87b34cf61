"""Gradients that add up over several batches, until an optimizer steps under a condition.

A variable holds what `grad` of the parameters holds in torch: a loss adds to it, and `zero_grad`
empties it.
"""

from __future__ import annotations

import ast
from collections.abc import Collection

from workbench.convert.decide.planner import Plan
from workbench.targets.jax.passes.program.structure import Structure
from workbench.targets.jax.passes.steps.block import BACKWARD, LOOPS, Block, block_of
from workbench.targets.jax.passes.steps.losses import gradient_of
from workbench.targets.jax.passes.steps.owners import is_certain
from workbench.targets.jax.passes.steps.parts import Step, Sum, Unlike, Update
from workbench.targets.jax.passes.steps.reading import (
    CLIP,
    check_clips,
    check_no_other_loss,
    note_clip,
    perhaps_unused,
    touched,
    update_of,
    zeros_of,
)


def summed_step(
    backward: Plan, plans: list[Plan], structure: Structure, quiet: Collection[int]
) -> Step | None:
    """Return the step whose gradients add up, or None if no step under a condition follows.

    Args:
        backward: the plan of `backward`.
        plans: the plans of the program.
        structure: the program.
        quiet: the identities of blocks without gradients.

    Raises:
        Unlike: gradients may add up that the text does not show.
    """
    block = block_of(backward, plans, structure, quiet)
    if not block.repeats or block.steps or block.backwards != [backward]:
        return None
    place = block.at(backward)
    inner = [
        within
        for one in block.statements[place + 1 :]
        if isinstance(one, ast.If) and not one.orelse
        for within in [_within(one, block)]
        if within.steps
    ]
    if len(inner) != 1 or len(inner[0].steps) != 1:
        return None
    [within] = inner
    [step] = within.steps
    update = update_of(step, within)
    zeros = [one for one in zeros_of(update, within) if within.at(one) > within.at(step)]
    if not zeros or len(zeros) != len(zeros_of(update, within)):
        raise Unlike("no zero_grad follows the step under its condition, so that gradients add up")
    gradient = gradient_of(backward, update.models, block)
    _check_between(block, within, place, update)
    check_no_other_loss(block, block.statements)
    update.unsure = [] if update.still else perhaps_unused(update, [gradient], block)
    first, loop = _begun(update, block, within)
    return Step([gradient], [update], [], summed=Sum([*first, *zeros], None if first else loop))


def _within(condition: ast.If, block: Block) -> Block:
    """Return the block under a condition."""
    inner = Block(block.structure, block.plans, condition.body, block.function, block.quiet)
    inner.find()
    return inner


def _check_between(block: Block, within: Block, place: int, update: Update) -> None:
    """Note how the summed gradients are clipped; raise if something else may use them."""
    condition = next(
        one for one in block.statements if getattr(one, "body", None) is within.statements
    )
    outside = block.statements[place + 1 : block.statements.index(condition)]
    inside = within.statements[: within.at(update.plan)]
    clips = {id(one.use.statement): one for one in block.plans if CLIP.fullmatch(one.use.name)}
    for one in (*outside, *inside):
        if id(one) in clips:
            if one in outside:
                raise Unlike("gradients are clipped while they add up")
            note_clip(clips[id(one)], [update])
        elif (text := touched(one, update.models, [update], block)) is not None:
            raise Unlike(f"{text} between backward and step may use the gradients")
    check_clips([update])


def _begun(update: Update, block: Block, within: Block) -> tuple[list[Plan], ast.stmt]:
    """Return the calls that clear the gradients before the loop, and the outermost loop.

    Raises:
        Unlike: gradients may be left from before.
    """
    function = block.function
    body = block.structure.analysis.tree.body if function is None else function.body
    line = block.statements[0].lineno
    around = [one for one in body if one.lineno <= line <= (one.end_lineno or 0)]
    known = {id(one) for one in (*within.zeros, update.plan)}
    uses = [
        one
        for one in block.plans
        if block.structure.owner[id(one.use.node)] is function
        and one.use.receiver is not None
        and ast.unparse(one.use.receiver) in {update.optimizer, *update.paths}
        and one.use.name.endswith((".step", ".zero_grad"))
        and id(one) not in known
    ]
    first = [one for one in uses if one.use.name.endswith(".zero_grad")]
    at = block.statements[0]
    if len(first) != len(uses) or not all(_is_before(one, at, body) for one in first):
        raise Unlike(f"{update.optimizer} steps or clears its gradients elsewhere too")
    if first:
        return first, at
    others = [
        one for one in block.plans if one.use.name == BACKWARD and one is not block.backwards[0]
    ]
    if function is not None or others or not isinstance(around[0], LOOPS):
        raise Unlike(
            f"gradients may be left from before; call {update.optimizer}.zero_grad() first"
        )
    return [], around[0]


def _is_before(plan: Plan, at: ast.stmt, body: list[ast.stmt]) -> bool:
    statement = plan.use.statement
    alone = isinstance(statement, ast.Expr) and statement.value is plan.use.node
    return alone and statement.lineno < at.lineno and is_certain(statement, at, body)
