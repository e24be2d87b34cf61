"""Training steps: the block from `zero_grad` to `step` becomes a function of the model.

    optimizer.zero_grad()
    logits = model(x)
    loss = F.cross_entropy(logits, y)
    loss.backward()
    optimizer.step()

becomes

    def loss_fn(model):
        logits = model(x)
        loss = ...
        return loss, logits

    (loss, logits), grads = nnx.value_and_grad(loss_fn, has_aux=True)(model)
    optimizer.update(model, grads)
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from workbench.convert.decide.planner import Plan
from workbench.convert.passes import Draft
from workbench.convert.rewrite.edits import statement_start
from workbench.rules.difference import Differs, unless
from workbench.rules.outcome import Refusal, Rewrite, TextEdit
from workbench.source.analysis import Analysis
from workbench.source.tree import inside
from workbench.targets.jax.passes.structure import (
    Function,
    Structure,
    logical_lines,
    structure_of,
)

_ZERO = re.compile(r"torch\.optim\.\w+\.zero_grad")
_STEP = re.compile(r"torch\.optim\.\w+\.step")
_BACKWARD = "torch.Tensor.backward"
_CLIP = re.compile(r"torch\.nn\.utils\.clip_grad_norm_")
_WHY = "the statements from zero_grad to step are one training step"
_LEAVES = (ast.Return, ast.Break, ast.Continue, ast.Yield, ast.YieldFrom, ast.Await, ast.Global)
_STRINGS = re.compile(r"\"\"\"|'''|\\\n")


@dataclass(frozen=True, slots=True)
class _Step:
    """One training step.

    Attributes:
        body: the statements that compute the loss.
        loss: the name of the loss.
        kept: the other names of the body that later code reads.
        model: the name of the model.
        optimizer: the name of its optimizer.
        backward: the plan of `backward`.
        update: the plan of `step`.
        clip: the plan of clipping, or None.
        gone: the plans of statements that have no equivalent.
        others: the names that the body calls and whose parameters may be the model's.
    """

    body: list[ast.stmt]
    loss: str
    kept: list[str]
    model: str
    optimizer: str
    backward: Plan
    update: Plan
    clip: Plan | None
    gone: list[Plan]
    others: list[str]


class _Unlike(Exception):  # noqa: N818
    """The statements are not a training step; the message says why."""


def write_steps(draft: Draft) -> Draft:
    """Write each training step as a loss function, its gradients and an update."""
    if not any(one.use.name == _BACKWARD for one in draft.plans):
        return draft
    structure = structure_of(draft.analysis, draft.plans)
    decided: dict[int, Plan] = {}
    for one in draft.plans:
        if one.use.name != _BACKWARD:
            continue
        try:
            step = _step_of(one, draft.plans, structure)
        except _Unlike as reason:
            refusal = Refusal(str(reason), _instead(one))
            decided[id(one)] = one.decided(refusal, _WHY)
            continue
        decided |= _written(step, draft.analysis)
    return replace(draft, plans=[decided.get(id(one), one) for one in draft.plans])


def _instead(plan: Plan) -> str | None:
    return plan.outcome.instead if isinstance(plan.outcome, Refusal) else None


# ----------------------------------------------------------------------------- recognition


def _step_of(backward: Plan, plans: list[Plan], structure: Structure) -> _Step:
    """Return the training step that a call of `backward` belongs to.

    Raises:
        _Unlike: the statements are not one that can be written.
    """
    loss, statement = _lone_call(backward)
    block = _block_of(structure.analysis.tree, statement)
    at = block.index(statement)
    update = _first(plans, _STEP, block[at + 1 :])
    if update is None or update.use.call is None or update.use.call.args:
        raise _Unlike("no step of an optimizer follows it in the same block")
    optimizer = ast.unparse(update.use.receiver) if update.use.receiver is not None else ""
    zeros = [
        one
        for one in plans
        if _ZERO.fullmatch(one.use.name)
        and one.use.statement in block
        and one.use.receiver is not None
        and ast.unparse(one.use.receiver) == optimizer
    ]
    if not zeros:
        raise _Unlike(
            "no zero_grad of its optimizer is in the same block, so that gradients add up"
        )
    if sum(one.use.name == _BACKWARD and one.use.statement in block for one in plans) > 1:
        raise _Unlike("two losses are differentiated in one block")
    model = _owner_of(optimizer, plans, structure, structure.owner[id(statement)])
    if model is None:
        raise _Unlike(f"which model {optimizer} belongs to is not shown in this file")
    gone = [id(one.use.statement) for one in zeros]
    first = _first_of_body(block[:at], model, gone)
    body = [one for one in block[first:at] if id(one) not in gone]
    _check(body, loss, structure)
    last = block.index(update.use.statement)
    if any(id(one) in gone for one in block[at:last]):
        raise _Unlike("zero_grad comes between backward and step")
    between = [one for one in block[at + 1 : last] if id(one) not in gone]
    clip = _first(plans, _CLIP, between)
    if any(clip is None or one is not clip.use.statement for one in between):
        raise _Unlike("other statements stand between backward and step")
    if clip is not None and not _clips_all(clip, model):
        raise _Unlike(f"the clipped gradients are not those of {model}")
    kept = _kept(body, loss, structure, statement)
    others = _others(body, model, plans, structure)
    return _Step(body, loss, kept, model, optimizer, backward, update, clip, zeros, others)


def _lone_call(plan: Plan) -> tuple[str, ast.stmt]:
    """Return the name on which `backward` is called, and the statement that is this call alone."""
    use = plan.use
    lone = isinstance(use.statement, ast.Expr) and use.statement.value is use.node
    if not lone or use.call is None or use.call.args or use.call.keywords:
        raise _Unlike("it keeps the graph, or has a gradient of its own; use jax.grad")
    if not isinstance(use.receiver, ast.Name):
        raise _Unlike("the loss has no name; assign it first")
    return use.receiver.id, use.statement


def _block_of(tree: ast.AST, statement: ast.stmt) -> list[ast.stmt]:
    for node in ast.walk(tree):
        for field in ("body", "orelse", "finalbody"):
            block = getattr(node, field, None)
            if isinstance(block, list) and statement in block:
                return block
    raise _Unlike("it is not a statement of a block")


def _first(plans: list[Plan], name: re.Pattern[str], statements: Sequence[ast.stmt]) -> Plan | None:
    """Return the first plan of a name that is a statement of its own among some."""
    return next(
        (
            one
            for statement in statements
            for one in plans
            if name.fullmatch(one.use.name)
            and one.use.statement is statement
            and isinstance(statement, ast.Expr)
            and statement.value is one.use.node
        ),
        None,
    )


def _owner_of(
    optimizer: str, plans: list[Plan], structure: Structure, function: Function | None
) -> str | None:
    """Return the model of an optimizer, if one function, or else the program, shows one name."""
    found = [
        (
            structure.owner[id(one.use.node)],
            ast.unparse(one.match.arguments["params"].node).removesuffix(".parameters()"),
        )
        for one in plans
        if one.use.name.startswith("torch.optim.")
        and isinstance(one.outcome, Rewrite)
        and "params" in one.match.arguments
        and isinstance(one.use.statement, ast.Assign)
        and ast.unparse(one.use.statement.targets[0]) == optimizer
    ]
    models = {model for owner, model in found if owner is function} or {one for _, one in found}
    return models.pop() if len(models) == 1 else None


def _first_of_body(before: list[ast.stmt], model: str, gone: list[int]) -> int:
    """Return the place of the first statement that reads the model, except to set its mode."""
    modes = {f"{model}.train()", f"{model}.eval()"}
    for place, one in enumerate(before):
        if id(one) not in gone and model in _names(one, ast.Load) and ast.unparse(one) not in modes:
            return place
    raise _Unlike(f"the loss does not depend on {model} in this block")


def _clips_all(clip: Plan, model: str) -> bool:
    """Return whether the norm of all gradients of a model is clipped, in torch's usual way."""
    given = clip.match.arguments.get("parameters")
    other = clip.match.given("norm_type", "error_if_nonfinite", "foreach")
    whole = given is not None and ast.unparse(given.node) == f"{model}.parameters()"
    return whole and not other and "max_norm" in clip.match.arguments


def _check(body: list[ast.stmt], loss: str, structure: Structure) -> None:
    """Raise if statements cannot stand in a function of the model."""
    written: set[str] = set()
    for one in body:
        if any(isinstance(node, _LEAVES) for node in ast.walk(one)):
            raise _Unlike("the statements before it leave the block")
        early = _carried(one, written)
        if early:
            raise _Unlike(f"{early} is read before it is assigned here, so the step depends on it")
        written |= _names(one, ast.Store)
        if _shares_its_line(one, structure.analysis):
            raise _Unlike("several statements stand on one line before it")
        start, end = structure.analysis.span(one)
        if _STRINGS.search(structure.analysis.text[start:end]):
            raise _Unlike("a text of several lines stands before it")
    if loss not in written:
        raise _Unlike(f"{loss} is not assigned in the same block")
    stored = {
        type(node.ctx).__name__
        for one in body
        for node in inside(one)
        if isinstance(node, ast.Attribute | ast.Subscript)
    }
    if stored - {"Load"} or any(map(_grows, body)):
        raise _Unlike("the statements before it change objects")


def _grows(statement: ast.stmt) -> bool:
    """Return whether a statement adds to a list, a set or a dict."""
    return any(
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Call)
        and isinstance(node.value.func, ast.Attribute)
        and node.value.func.attr in {"append", "extend", "insert", "add", "update"}
        for node in ast.walk(statement)
    )


def _others(body: list[ast.stmt], model: str, plans: list[Plan], structure: Structure) -> list[str]:
    """Return the names of unknown objects that the body calls.

    Raises:
        _Unlike: one of them is a part of the model, or a function that reads the model itself:
            parameters would get no gradient.
    """
    readers = _readers(model, structure)
    planned = {id(one.use.node) for one in plans}
    defined = _defined(structure.analysis.tree)
    parts = _parts(model, structure)
    found: dict[str, None] = {}
    for call in (node for one in body for node in inside(one) if isinstance(node, ast.Call)):
        root: ast.expr = call.func
        while isinstance(root, ast.Attribute | ast.Subscript):
            root = root.value
        if isinstance(root, ast.Name) and root.id in readers:
            raise _Unlike(f"{root.id} reads {model} itself; pass it as an argument")
        if not isinstance(root, ast.Name) or root.id in {model, *defined}:
            continue
        if root.id in parts:
            raise _Unlike(f"{root.id} is a part of {model}, called by another name")
        if id(call) not in planned and id(call.func) not in planned:
            found[root.id] = None
    return list(found)


def _readers(model: str, structure: Structure) -> set[str]:
    """Return the functions that read a model which is none of their parameters, or call such."""
    found: set[str] = set()
    size = -1
    while size != len(found):
        size = len(found)
        for name, function in structure.functions.items():
            arguments = function.args
            own = {one.arg for one in (*arguments.posonlyargs, *arguments.args)}
            own |= {one.arg for one in arguments.kwonlyargs} | _names(function, ast.Store)
            if ({model, *found} - own) & _names(function, ast.Load):
                found.add(name)
    return found


def _defined(tree: ast.Module) -> set[str]:
    """Return the names of functions, classes, imports and builtins."""
    names = set(dir(builtins))
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names |= {(one.asname or one.name).partition(".")[0] for one in node.names}
    return names


def _parts(model: str, structure: Structure) -> set[str]:
    """Return the names that a program assigns from members of a model."""
    found = {model}
    size = 0
    while size != len(found):
        size = len(found)
        for node in inside(structure.analysis.tree):
            if isinstance(node, ast.Assign | ast.For):
                value, aims = (
                    (node.value, node.targets)
                    if isinstance(node, ast.Assign)
                    else (node.iter, [node.target])
                )
                if any(_reads_member(part, found) for part in inside(value)):
                    found |= {name for aim in aims for name in _names(aim, ast.Store)}
    return found - {model}


def _reads_member(node: ast.AST, models: set[str]) -> bool:
    return (
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id in models
        and node.attr not in {"parameters", "state_dict"}
    )


def _shares_its_line(statement: ast.stmt, analysis: Analysis) -> bool:
    start, end = analysis.span(statement)
    line_start, _ = statement_start(analysis, statement)
    line_end = analysis.lines.start(statement.end_lineno or statement.lineno)
    rest = analysis.text[end:line_end].strip()
    return bool(analysis.text[line_start:start].strip()) or rest[:1] not in {"", "#"}


def _carried(statement: ast.stmt, written: set[str]) -> str | None:
    """Return a name that a statement reads, assigns, and that has no value in the step before."""
    both = _names(statement, ast.Load) & _names(statement, ast.Store) - written
    if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
        both |= {statement.target.id} - written
    return min(both, default=None)


def _names(node: ast.AST, context: type[ast.expr_context]) -> set[str]:
    return {
        one.id for one in inside(node) if isinstance(one, ast.Name) and isinstance(one.ctx, context)
    }


def _kept(body: list[ast.stmt], loss: str, structure: Structure, backward: ast.stmt) -> list[str]:
    """Return the names that the body assigns and that other code of the function reads."""
    function = structure.owner[id(backward)]
    around: ast.AST = function if function is not None else structure.analysis.tree
    own = {id(node) for one in body for node in inside(one)}
    read = {
        node.id
        for node in inside(around)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and id(node) not in own
    }
    assigned = dict.fromkeys(
        node.id
        for one in body
        for node in inside(one)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    )
    return [name for name in assigned if name != loss and name in read]


# ----------------------------------------------------------------------------- writing


def _written(step: _Step, analysis: Analysis) -> dict[int, Plan]:
    """Return the plans of a step's uses, by the identity of the plans that they replace."""
    names = {node.id for node in ast.walk(analysis.tree) if isinstance(node, ast.Name)}
    function = "loss_fn" if "loss_fn" not in names else "compute_loss"
    aux = ", has_aux=True" if step.kept else ""
    value = step.loss if not step.kept else f"{step.loss}, {_group(step.kept)}"
    aim = step.loss if not step.kept else f"({step.loss}, {_group(step.kept)})"
    gradients = f"nnx.value_and_grad({function}{aux})({step.model})"
    around = tuple(_function(step, analysis, function, value))
    differs = _unknown(step)
    update = f"{step.optimizer}.update({step.model}, grads)"
    decided = {
        id(step.backward): _instead_of(
            step.backward, f"{aim}, grads = ", gradients, around, differs
        ),
        id(step.update): _instead_of(step.update, "", update),
    }
    if step.clip is not None:
        norm = ast.unparse(step.clip.match.arguments["max_norm"].node)
        clipped = f"torch_clip_grad_norm(grads, {norm})"
        decided[id(step.clip)] = _instead_of(step.clip, "grads = ", clipped)
    for one in step.gone:
        decided[id(one)] = _instead_of(one, "", "", _line(analysis, one.use.statement))
    return decided


def _unknown(step: _Step) -> Differs:
    """Return what depends on objects that the text does not show."""
    if not step.others:
        return ()
    names = " and ".join(step.others)
    return unless(
        f"if {names} holds parameters of {step.model}, these get no gradient in {{target}}"
    )


def _group(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"({', '.join(names)})"


def _function(step: _Step, analysis: Analysis, name: str, value: str) -> Iterator[TextEdit]:
    """Yield the edits that put the body of a step into a function."""
    newline = analysis.lines.newline
    first, indent = statement_start(analysis, step.body[0])
    above = "" if _is_first_of_block(analysis, step.body[0]) else newline
    yield first, first, f"{above}{indent}def {name}({step.model}):{newline}"
    start, end = step.body[0].lineno, step.body[-1].end_lineno or 0
    gone = {one.use.statement.lineno for one in step.gone}
    lines = {line for line in logical_lines(analysis.text) if start <= line <= end} - gone
    for line in sorted(lines):
        at = analysis.lines.start(line - 1)
        yield at, at, "    "
    last = analysis.lines.start(step.body[-1].end_lineno or 1)
    yield last, last, f"{indent}    return {value}{newline}{newline}"


def _is_first_of_block(analysis: Analysis, statement: ast.stmt) -> bool:
    offset, _ = statement_start(analysis, statement)
    return analysis.text[:offset].rstrip().endswith(":") or analysis.text[:offset].endswith("\n\n")


def _line(analysis: Analysis, statement: ast.stmt) -> tuple[TextEdit, ...]:
    """Return the edits that remove what stands around a statement on its lines."""
    start, end = analysis.span(statement)
    line_start, _ = statement_start(analysis, statement)
    line_end = analysis.lines.start(statement.end_lineno or statement.lineno)
    rest = analysis.text[end:line_end]
    if separator := re.match(r"\s*;[ \t]*", rest):
        return ((end, end + separator.end(), ""),)
    before = analysis.text[line_start:start]
    if before.strip():
        return ((line_start + len(before.rstrip(" \t;")), start, ""),)
    return (line_start, start, ""), (end, line_end, "")


def _instead_of(
    plan: Plan,
    before: str,
    value: str,
    elsewhere: tuple[TextEdit, ...] = (),
    differs: Differs = (),
) -> Plan:
    """Return the plan with an assignment of a value, or nothing, instead of its statement."""
    template = value or "None"
    written = Rewrite(
        template,
        consumed=frozenset(plan.match.arguments),
        instead=(before + value, None, ""),
        elsewhere=elsewhere,
        differs=differs,
    )
    return plan.decided(written, _WHY)
