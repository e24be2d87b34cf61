"""Training steps in the text: losses, what computes them, and the updates that follow."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Sequence

from workbench.convert.decide.planner import Plan
from workbench.source.tree import inside
from workbench.targets.jax.passes.program.dependence import extent
from workbench.targets.jax.passes.program.structure import Structure
from workbench.targets.jax.passes.steps import owners
from workbench.targets.jax.passes.steps.block import (
    BACKWARD,
    Block,
    block_of,
    leaves,
    loss_of,
    sources_of,
)
from workbench.targets.jax.passes.steps.losses import gradient_of
from workbench.targets.jax.passes.steps.parts import (
    Gradient,
    Step,
    Unlike,
    Update,
    models_of_updates,
)
from workbench.targets.jax.passes.steps.unused import uses_all
from workbench.targets.jax.trained import models_of

CLIP = re.compile(r"torch\.nn\.utils\.clip_grad_(norm|value)_")


def steps_of(
    backward: Plan, plans: list[Plan], structure: Structure, quiet: Collection[int]
) -> list[Step]:
    """Return the training steps of the block in which `backward` is called.

    Args:
        backward: the plan of the call.
        plans: the plans of the program.
        structure: the program.
        quiet: the identities of blocks without gradients.

    Raises:
        Unlike: the statements are none that can be written.
    """
    block = block_of(backward, plans, structure, quiet)
    groups = _groups(block)
    cleared: set[int] = set()
    found = []
    for gradients, updates in groups:
        step = _step(block, gradients, updates, [one for one, _ in groups])
        cleared |= {id(one) for one in step.gone}
        found.append(step)
    for step in found:
        step.alone = len(found) == 1
    return found


def _groups(block: Block) -> list[tuple[list[Plan], list[Plan]]]:
    """Return runs of losses with the runs of updates that follow them."""
    events = sorted(
        [*block.backwards, *block.steps], key=lambda one: block.statements.index(one.use.statement)
    )
    groups: list[tuple[list[Plan], list[Plan]]] = []
    for one in events:
        is_loss = one.use.name == BACKWARD
        if is_loss and (not groups or groups[-1][1]):
            groups.append(([], []))
        if not groups:
            raise Unlike("an optimizer's step comes before the loss in the same block")
        groups[-1][0 if is_loss else 1].append(one)
    if not groups or not groups[-1][1]:
        raise Unlike("no step of an optimizer follows it in the same block")
    return groups


# ----------------------------------------------------------------------------- one step


def _step(block: Block, backwards: list[Plan], steps: list[Plan], every: list[list[Plan]]) -> Step:
    updates = [update_of(one, block) for one in steps]
    models = models_of_updates(updates)
    if len(backwards) > 1 and len(updates) > 1:
        raise Unlike("several losses are differentiated for several optimizers")
    gone: list[Plan] = []
    for update in updates:
        gone += _clears(update, block, backwards, every)
    gradients = [gradient_of(one, models, block) for one in backwards]
    _check_between(block, backwards, steps, updates, gone)
    check_clips(updates)
    for update in updates:
        if not update.still:
            update.unsure = perhaps_unused(update, gradients, block)
    return Step(gradients, updates, list({id(one): one for one in gone}.values()))


def update_of(plan: Plan, block: Block) -> Update:
    """Return the update that a call of `step` makes.

    Raises:
        Unlike: the models of the optimizer are not shown.
    """
    call, receiver = plan.use.call, plan.use.receiver
    if call is None or call.args or call.keywords or receiver is None:
        raise Unlike("the optimizer calls a function that computes the loss")
    optimizer = ast.unparse(receiver)
    found = owners.models_trained(optimizer, block.plans, block.structure, plan.use.statement)
    if found is None:
        raise Unlike(f"which model {optimizer} belongs to is not shown in this file")
    models, still = found
    listed = owners.is_listed(optimizer, block.plans)
    return Update(plan, optimizer, [_split(path, block) for path in models], still, listed=listed)


def perhaps_unused(update: Update, gradients: list[Gradient], block: Block) -> list[str]:
    """Return the models, or parts, of which losses may not use all parameters."""
    return [
        model
        for model in update.models
        if not any(uses_all(one, model, block.structure, block.plans) for one in gradients)
    ]


def _split(path: str, block: Block) -> tuple[str, str]:
    """Return the model of a path and the path of the part within it: `net` and `.head`."""
    root, _, rest = path.partition(".")
    if not rest:
        return path, ""
    if root == "self":
        member, _, rest = rest.partition(".")
        return f"self.{member}", f".{rest}" if rest else ""
    called = {ast.unparse(one.func) for one in block.structure.calls}
    is_module = root in called or root in owners.known_modules(block.plans)
    return (root, f".{rest}") if is_module else (path, "")


def zeros_of(update: Update, block: Block) -> list[Plan]:
    """Return the calls that clear the gradients of an optimizer's models."""
    found = []
    for one in block.zeros:
        receiver = ast.unparse(one.use.receiver) if one.use.receiver is not None else ""
        if receiver == update.optimizer or all(
            path == receiver or path.startswith(f"{receiver}.") for path in update.paths
        ):
            found.append(one)
    return found


def _clears(
    update: Update, block: Block, backwards: list[Plan], every: list[list[Plan]]
) -> list[Plan]:
    """Return the calls that clear an optimizer's gradients.

    Raises:
        Unlike: its update would use other gradients than those of these losses.
    """
    zeros = zeros_of(update, block)
    if not zeros:
        raise Unlike("no zero_grad of its optimizer is in the same block, so that gradients add up")
    first, last = block.at(backwards[0]), block.at(backwards[-1])
    stop = block.at(update.plan)
    places = [block.at(one) for one in zeros]
    if any(first < place < stop for place in places):
        raise Unlike("zero_grad comes between backward and step")
    before = [place for place in places if place < first]
    begin = max(before) if before else 0
    check_no_other_loss(block, block.statements[begin : stop if before else None])
    others = [block.at(one) for group in every if group is not backwards for one in group]
    if before:
        between = [place for place in others if max(before) < place < first]
    else:
        _check_fresh(update, block, places)
        if _leaves_early(block.statements[last : min(places)]):
            raise Unlike("the block may be left between backward and zero_grad")
        between = [place for place in others if place > min(places) or place < first]
    for place in between:
        _check_apart(block, place, update)
    return zeros


def check_no_other_loss(block: Block, statements: Sequence[ast.stmt]) -> None:
    """Raise if statements differentiate a loss that is no statement of the block itself."""
    own = {id(one) for one in block.backwards}
    others = [one for one in block.plans if one.use.name == BACKWARD and id(one) not in own]
    nodes = {id(one.use.node) for one in others}
    called = owners.callers_of(others, block.structure)
    planned = {id(one.use.node) for one in block.plans}
    for node in (node for one in statements for node in inside(one)):
        if id(node) in nodes:
            raise Unlike("another loss is differentiated between zero_grad and step")
        if isinstance(node, ast.Call) and id(node) not in planned:
            name = (
                node.func.attr if isinstance(node.func, ast.Attribute) else ast.unparse(node.func)
            )
            if name in called:
                raise Unlike(f"{name} differentiates a loss too, between zero_grad and step")


def _check_fresh(update: Update, block: Block, places: list[int]) -> None:
    """Raise if gradients may be left from before when the block begins for the first time."""
    if not block.repeats and len(places) == 1:
        raise Unlike("zero_grad comes after the step only, so that earlier gradients add up")
    for one in block.plans:
        other = one.use.name == BACKWARD and one.use.statement not in block.statements
        if other and not _comes_later(one, block) and not _is_cleared(one, block):
            raise Unlike(
                f"gradients of another loss may be left when this block begins; clear those of"
                f" {update.optimizer} first"
            )


def _comes_later(plan: Plan, block: Block) -> bool:
    """Return whether a use stands after all loops around a block, in the same function."""
    function = block.function
    same = block.structure.owner[id(plan.use.statement)] is function
    around = block.structure.analysis.tree.body if function is None else function.body
    first = block.statements[0].lineno
    outer = next((one for one in around if one.lineno <= first <= (one.end_lineno or 0)), None)
    return same and outer is not None and plan.use.node.lineno > (outer.end_lineno or 0)


def _is_cleared(plan: Plan, block: Block) -> bool:
    """Return whether gradients are cleared after a use of `backward`, in its own block."""
    try:
        own = block_of(plan, block.plans, block.structure, block.quiet)
    except Unlike:
        return False
    return any(own.at(one) > own.at(plan) for one in own.zeros)


def _check_apart(block: Block, place: int, update: Update) -> None:
    """Raise if another loss of the block gives the models of an update a gradient too."""
    other = next(one for one in block.backwards if block.at(one) == place)
    loss, _ = loss_of(other)
    sources = sources_of(update.models, block)
    carrying, _ = extent(block.statements[:place], loss, sources)
    if carrying or sources.reach(loss):
        raise Unlike(
            f"{ast.unparse(loss)} gives {' and '.join(update.models)} a gradient too, which its"
            " zero_grad does not clear"
        )


def _leaves_early(statements: Sequence[ast.stmt]) -> bool:
    return any(leaves(one) for one in statements)


# ----------------------------------------------------------------------------- between


def _check_between(
    block: Block, backwards: list[Plan], steps: list[Plan], updates: list[Update], gone: list[Plan]
) -> None:
    """Note how gradients are clipped.

    Raises:
        Unlike: another statement between the losses and the updates may use the gradients.
    """
    cleared = {id(one.use.statement) for one in gone}
    known = {id(one.use.statement) for one in (*backwards, *steps)}
    first, last = block.at(backwards[0]), block.at(steps[-1])
    bodies = block.statements[first : block.at(backwards[-1])]
    models = models_of_updates(updates)
    for one in block.statements[first : last + 1]:
        if id(one) in cleared or id(one) in known or (len(backwards) > 1 and one in bodies):
            continue
        clip = next(
            (p for p in block.plans if p.use.statement is one and CLIP.fullmatch(p.use.name)), None
        )
        if clip is not None:
            note_clip(clip, updates)
        elif leaves(one):
            raise Unlike("the block may be left between backward and step")
        elif (text := touched(one, models, updates, block)) is not None:
            raise Unlike(f"{text} between backward and step may use the gradients")


def note_clip(clip: Plan, updates: list[Update]) -> None:
    """Note a clipping of all gradients of one update, in torch's usual way."""
    statement = clip.use.statement
    alone = isinstance(statement, ast.Expr) or (
        isinstance(statement, ast.Assign) and len(statement.targets) == 1
    )
    if not alone or getattr(statement, "value", None) is not clip.use.node:
        raise Unlike("the norm of the gradients is part of another expression; assign it first")
    given = clip.match.arguments.get("parameters")
    models = models_of(given.node) if given is not None else None
    fitting = [one for one in updates if models is not None and set(one.paths) == set(models)]
    euclidean = clip.match.constant("norm_type", 2.0) in {2}
    other = clip.match.given("error_if_nonfinite") or not euclidean
    limit = "clip_value" if "value" in clip.use.name else "max_norm"
    if not fitting or other or limit not in clip.match.arguments:
        whose = " or ".join(" and ".join(one.paths) for one in updates)
        raise Unlike(f"the clipped gradients are not those of {whose}, or not by their 2-norm")
    fitting[0].clips.append(clip)


def check_clips(updates: list[Update]) -> None:
    """Raise if the gradients of a part of a model are clipped."""
    for one in updates:
        alone = len(updates) == 1 or not any(
            set(one.models) & set(other.models) for other in updates if other is not one
        )
        if one.clips and not (alone and all(part == "" for _, part in one.trained)):
            raise Unlike("gradients of a part of a model are clipped")


def touched(
    statement: ast.stmt, models: list[str], updates: list[Update], block: Block
) -> str | None:
    """Return a call of a statement that may use gradients: it is given a model or optimizer."""
    objects = {*models, *(one.optimizer for one in updates)}
    planned = {id(one.use.node): one for one in block.plans}
    reading = owners.readers(models, block.structure)
    for node in inside(statement):
        if not isinstance(node, ast.Call):
            continue
        plan = planned.get(id(node))
        if plan is not None and plan.converts:
            continue
        given = (*node.args, *(one.value for one in node.keywords))
        if any(ast.unparse(part) in objects for one in given for part in _paths(one)):
            return ast.unparse(node)
        if ast.unparse(node.func) in reading or ast.unparse(node.func).startswith("self."):
            return ast.unparse(node)
    return None


def _paths(node: ast.AST) -> Iterator[ast.AST]:
    return (one for one in inside(node) if isinstance(one, ast.Name | ast.Attribute))
