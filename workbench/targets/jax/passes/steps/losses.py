"""Losses: the statements that compute one, and whether they can be moved into a function."""

from __future__ import annotations

import ast
import re

from workbench.convert.decide.planner import Plan
from workbench.convert.rewrite.edits import statement_start
from workbench.rules.outcome import Rewrite
from workbench.source.analysis import Analysis
from workbench.source.tree import inside
from workbench.targets.jax.passes.program.binding import Order, names
from workbench.targets.jax.passes.program.dependence import (
    Sources,
    assigned,
    extent,
    grows,
    needs_value,
    simple,
)
from workbench.targets.jax.passes.program.places import Function
from workbench.targets.jax.passes.steps import owners
from workbench.targets.jax.passes.steps.block import Block, leaves, loss_of, sources_of
from workbench.targets.jax.passes.steps.parts import ASKED, Gradient, Unlike

_STRINGS = re.compile(r"\"\"\"|'''|\\\n")


def gradient_of(plan: Plan, models: list[str], block: Block, start: int = 0) -> Gradient:
    """Return a loss, and the statements that compute it from models.

    Args:
        plan: the plan of `backward`.
        models: the models.
        block: the statements around it.
        start: the place of the first statement that may compute it.

    Raises:
        Unlike: they cannot be moved into a function of the models.
    """
    loss, statement = loss_of(plan)
    at = block.statements.index(statement)
    events = {id(one.use.statement) for one in (*block.zeros, *block.backwards, *block.steps)}
    before = [one for one in block.statements[start:at] if id(one) not in events]
    carrying, _ = extent(before, loss, sources_of(models, block))
    result = Gradient(plan, statement, loss)
    named = result.name is not None
    since = _last_event(at, block)
    early = [place for place in carrying if block.statements.index(before[place]) < since]
    if early and len(early) < len(carrying):
        carrying = carrying[len(early) :]
        late = [before[place] for place in carrying]
        _start_early(result, [before[place] for place in early], late, models, block)
        models = [_name_of(result.early)]
    if carrying:
        last = carrying[-1] + 1 if named else len(before)
        result.body = before[_start(carrying[0], last, before) : last]
        result.apart = last < len(before)
        _check_whole(result, block)
    elif named or not sources_of(models, block).reach(loss):
        raise Unlike(f"the loss does not depend on {' and '.join(models)} in this block")
    _note_called(result, models, block)
    _check(result, models, block)
    return result


def _last_event(at: int, block: Block) -> int:
    """Return the place of the last loss or update before one in a block, or 0."""
    places = map(block.at, (*block.backwards, *block.steps))
    return max((place for place in places if place < at), default=0)


def _start_early(
    gradient: Gradient,
    early: list[ast.stmt],
    late: list[ast.stmt],
    models: list[str],
    block: Block,
) -> None:
    """Note the statement that computes what a loss uses, before another update.

    Raises:
        Unlike: there are several, or the loss uses the models otherwise too.
    """
    [first, *others] = early
    simple_value = isinstance(first, ast.Assign) and [type(one) for one in first.targets] == [
        ast.Name
    ]
    if others or not simple_value or len(models) > 1:
        raise Unlike("several statements before another update compute what the loss uses")
    assert isinstance(first, ast.Assign)
    name = _name_of(first)
    direct = sources_of(models, block)
    place = block.statements.index(first)
    again = block.statements[place + 1 : block.statements.index(gradient.statement)]
    if any(map(direct.reach, (*late, gradient.loss))) or any(
        name in assigned(one) for one in again
    ):
        raise Unlike(f"the loss uses {models[0]} by {name}, and otherwise too")
    if _shares_its_line(first, block.structure.analysis):
        raise Unlike(f"{name} is computed on a line with other statements")
    value = Gradient(gradient.plan, gradient.statement, first.value)
    _note_called(value, models, block)
    gradient.early, gradient.others = first, value.others


def _name_of(statement: ast.Assign | None) -> str:
    aim = statement.targets[0] if statement is not None else None
    assert isinstance(aim, ast.Name)
    return aim.id


def _check_whole(gradient: Gradient, block: Block) -> None:
    """Raise if another loss or update stands among the statements that compute a loss."""
    first, last = map(block.statements.index, (gradient.body[0], gradient.statement))
    among = [one for one in (*block.backwards, *block.steps) if first < block.at(one) < last]
    inner = {id(node) for one in gradient.body for node in inside(one)}
    among += [one for one in block.plans if one.use.name == ASKED and id(one.use.node) in inner]
    if among:
        other = ast.unparse(among[0].use.statement)
        raise Unlike(f"{other} stands among the statements that compute the loss")


def _start(first: int, last: int, before: list[ast.stmt]) -> int:
    """Return the place from which on the body gives values to all that it adds to."""
    body = before[first:last]
    early = set(Order().run(body).early) & {name for one in body for name in assigned(one)}
    start = first
    for place in range(first - 1, -1, -1):
        one = before[place]
        if not isinstance(one, ast.Assign):
            break
        if names(one, ast.Store) & early:
            start = place
    return start


def _carried(gradient: Gradient, block: Block) -> list[str]:
    """Return the names that the body assigns, and whose value from before it may need.

    Raises:
        Unlike: a name may have no value after the body.
    """
    order = Order().run(gradient.body)
    stored = {name for one in gradient.body for name in names(one, ast.Store)}
    found = [name for name in order.early if name in stored]
    unsure = [*sorted(order.late), *(name for name in gradient.kept if name in order.perhaps)]
    around = block.structure.analysis.tree if block.function is None else block.function
    own = {id(one) for one in gradient.body}
    before = set() if block.function is None else set(owners.parameters(block.function))
    for one in simple(around.body, own):
        if isinstance(one, ast.Assign | ast.AnnAssign | ast.AugAssign):
            before |= names(one, ast.Store)
    for name in dict.fromkeys(unsure):
        if name in before:
            found.append(name)
        elif name in gradient.kept:
            raise Unlike(f"{name} is assigned in some cases only; assign it first")
    return list(dict.fromkeys(found))


def _check(gradient: Gradient, models: list[str], block: Block) -> None:
    """Raise if statements cannot be moved into a function of the models."""
    written: set[str] = set()
    read: set[str] = set()
    sources = sources_of(models, block)
    for one in gradient.body:
        if leaves(one):
            raise Unlike("the statements before it leave the block")
        if _shares_its_line(one, block.structure.analysis):
            raise Unlike("several statements stand on one line before it")
        start, end = block.structure.analysis.span(one)
        if _STRINGS.search(block.structure.analysis.text[start:end]):
            raise Unlike("a text of several lines stands before it")
        read |= _read_with_gradient(one) - written
        _check_changes(one, written | set(models))
        _check_rebound(one, written, block)
        sources.follow(one)
        if (text := needs_value(one, sources)) is not None:
            raise Unlike(
                f"{text} needs a value without a gradient while the loss is computed; detach it"
            )
        written |= assigned(one)
    read |= _read_with_gradient(gradient.loss) - written
    if gradient.name is not None and gradient.name not in written:
        raise Unlike(f"{gradient.name} is not assigned in the same block")
    gradient.kept = _kept(gradient, block)
    gradient.carried = _carried(gradient, block)
    gradient.kept += [one for one in gradient.carried if one not in (*gradient.kept, gradient.name)]
    for name in gradient.carried:
        if block.repeats and name in read and name in sources.names:
            raise Unlike(
                f"{name} is read before it is assigned here, so that a step depends on the one"
                " before; detach it first"
            )
    _check_inputs(gradient, read, models, block)


def _read_with_gradient(node: ast.AST) -> set[str]:
    """Return the names that a node reads, but for those that it only detaches."""
    every = names(node, ast.Load)
    if isinstance(node, ast.AugAssign):
        every |= names(node.target, ast.Store)
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
        return {
            name
            for name in every
            if name == node.target.id or Sources((), names={name}).reach(node)
        }
    return {name for name in every if Sources((), names={name}).reach(node)}


def _check_changes(statement: ast.stmt, written: set[str]) -> None:
    for node in inside(statement):
        changed: ast.expr | None = None
        if isinstance(node, ast.Attribute | ast.Subscript) and not isinstance(node.ctx, ast.Load):
            changed = node
        elif grows(node):
            assert isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
            changed = node.value.func
        while isinstance(changed, ast.Attribute | ast.Subscript):
            changed = changed.value
        if changed is not None and not (isinstance(changed, ast.Name) and changed.id in written):
            raise Unlike("the statements before it change objects")


def _check_rebound(statement: ast.stmt, written: set[str], block: Block) -> None:
    """Raise if torch changes a tensor in place that JAX binds again, outside of the function."""
    inner = {id(node) for node in inside(statement)}
    for one in block.plans:
        if id(one.use.node) in inner and isinstance(one.outcome, Rewrite) and one.outcome.assigned:
            root: ast.expr | None = one.use.receiver
            while isinstance(root, ast.Attribute | ast.Subscript):
                root = root.value
            if not isinstance(root, ast.Name) or root.id not in written:
                raise Unlike("the statements before it change objects")


def _check_inputs(gradient: Gradient, read: set[str], models: list[str], block: Block) -> None:
    """Raise if a value computed from the models before the body would lose its gradient."""
    own = {id(one) for one in gradient.body}
    sources = sources_of(models, block)
    elsewhere = sources.everywhere(block.structure.analysis.tree.body, own)
    if block.function is not None:
        elsewhere -= owners.local_names(block.function)
        elsewhere |= sources.everywhere(block.function.body, own)
    lost = (read - {path.partition(".")[0] for path in models}) & elsewhere
    lost -= owners.parts(models, block.structure)  # these have a reason of their own
    if lost:
        raise Unlike(
            f"{min(lost)} is computed from {' and '.join(models)} outside of the step; compute it"
            " in the step, or detach it"
        )


def _note_called(gradient: Gradient, models: list[str], block: Block) -> None:
    """Note the models and the unknown objects that the loss calls.

    Raises:
        Unlike: one of them is a part of a model, or a function that reads the model itself:
            parameters would get no gradient.
    """
    reading = owners.readers(models, block.structure)
    planned = {id(one.use.node) for one in block.plans}
    known = owners.defined(block.structure)
    parts = owners.parts(models, block.structure)
    modules = owners.known_modules(block.plans)
    own = {name for one in gradient.body for name in assigned(one)}
    whose = " and ".join(models)
    roots = {path.partition(".")[0] for path in models if "." not in path}
    for node in (part for one in (*gradient.body, gradient.loss) for part in inside(one)):
        if isinstance(node, ast.Name) and node.id in parts and node.id not in own:
            raise Unlike(f"{node.id} is a part of {whose}, read by another name")
        if not isinstance(node, ast.Call):
            continue
        root: ast.expr = node.func
        if ast.unparse(root) in reading:
            raise Unlike(f"{ast.unparse(root)} reads {whose} itself; pass it as an argument")
        while isinstance(root, ast.Attribute | ast.Subscript):
            root = root.value
        if not isinstance(root, ast.Name) or root.id in {*roots, *known, *own}:
            continue
        if root.id in modules and ast.unparse(node.func) == root.id:
            gradient.passed = list(dict.fromkeys([*gradient.passed, root.id]))
        elif not {id(node), id(node.func)} & planned and not _is_shown(node, models, block):
            gradient.others = list(dict.fromkeys([*gradient.others, root.id]))


def _is_shown(call: ast.Call, models: list[str], block: Block) -> bool:
    """Return whether a call on `self` is one of a model, or of a method in the text."""
    path = ast.unparse(call.func)
    if any(path == one or path.startswith(f"{one}.") for one in models):
        return True
    return any(
        block.function in cls.body
        and any(isinstance(one, Function) and path == f"self.{one.name}" for one in cls.body)
        for cls in block.structure.places.of(ast.ClassDef)
    )


def _shares_its_line(statement: ast.stmt, analysis: Analysis) -> bool:
    start, end = analysis.span(statement)
    line_start, _ = statement_start(analysis, statement)
    line_end = analysis.lines.start(statement.end_lineno or statement.lineno)
    rest = analysis.text[end:line_end].strip()
    return bool(analysis.text[line_start:start].strip()) or rest[:1] not in {"", "#"}


def _kept(gradient: Gradient, block: Block) -> list[str]:
    """Return the names that the body assigns and that other code reads, or its next run."""
    around: ast.AST = (
        block.function if block.function is not None else block.structure.analysis.tree
    )
    own = {id(node) for one in gradient.body for node in inside(one)}
    if gradient.name is None:
        own |= {id(node) for node in inside(gradient.loss)}
    read = {
        node.id
        for node in inside(around)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and id(node) not in own
    }
    inner = {name for one in gradient.body for name in names(one, ast.Store)}
    written = dict.fromkeys(
        node.id
        for one in gradient.body
        for node in inside(one)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in inner
    )
    return [name for name in written if name != gradient.name and name in read]
