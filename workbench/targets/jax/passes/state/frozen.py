"""Parameters without gradients: JAX differentiates by the model that a step names.

`requires_grad = False` has no effect on a model that no optimizer trains and that is no part of
another one, such as a teacher or an average of weights. `p.requires_grad` is then known.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field, replace

from workbench.convert.decide.planner import Plan
from workbench.convert.passes import Draft
from workbench.convert.rewrite.edits import statement_start
from workbench.rules.outcome import Keep, Rewrite, TextEdit
from workbench.source.analysis import Analysis
from workbench.source.tree import inside
from workbench.source.uses import UseKind
from workbench.targets.jax.passes.program.places import Function
from workbench.targets.jax.passes.program.structure import structure_of
from workbench.targets.jax.passes.state.cells import COMPREHENSIONS, Cells, cells_of
from workbench.targets.jax.passes.state.flags import (
    FLAG,
    OF_MODEL,
    OF_TENSOR,
    is_flagged,
    mark,
    sets_flag,
)

_FLAGS = (FLAG, OF_TENSOR, OF_MODEL)
_LISTS = ("torch.nn.Module.parameters", "torch.nn.Module.named_parameters")
_WHY = "JAX differentiates by the model that a step names"
_UNTRAINED = Keep("no gradient is computed for a model that no step names")


def drop_flags(draft: Draft) -> Draft:
    """Remove flags of models that are not trained, or else write flags as marks of variables."""
    flagged = any(map(is_flagged, draft.plans))
    if not flagged and not any(one.use.name in _FLAGS for one in draft.plans):
        return draft
    cells = cells_of(structure_of(draft.analysis, draft.plans), draft.plans)
    models = _Models(cells)
    for one in draft.plans:
        if sets_flag(one, cells):
            models.freeze(one)
    if models.unsure or flagged:
        return mark(draft, cells)
    for one in draft.plans:
        if one.use.name == FLAG and one.use.kind is UseKind.READ:
            models.read(one)
    return replace(draft, plans=[models.decided.get(id(one.use.node), one) for one in draft.plans])


def removed(plan: Plan, statement: ast.stmt, cells: Cells) -> dict[int, Plan]:
    """Return the plans of a use that sets flags, and of others in its statement, which goes."""
    gone = replace(_UNTRAINED, elsewhere=(_removal(cells, statement),))
    found = {id(plan.use.node): plan.decided(gone, _WHY)}
    for node in inside(statement):
        other = cells.plans.get(id(node))
        if other is not None and other is not plan:
            found[id(node)] = other.decided(_UNTRAINED, _WHY)
    return found


@dataclass(slots=True)
class _Models:
    """The models of a program whose flags are set.

    Attributes:
        cells: the program.
        decided: the plans that changed, by the identity of their uses' nodes.
        frozen: by a model's text, the line after which its parameters have no gradients.
        unsure: whether a model may be trained in part.
    """

    cells: Cells
    decided: dict[int, Plan] = field(default_factory=dict)
    frozen: dict[str, int] = field(default_factory=dict)
    unsure: bool = False

    def freeze(self, plan: Plan) -> None:
        """Decide a use that sets flags."""
        loop = _loop(self.cells, plan)
        model = plan.use.receiver if plan.use.name.startswith("torch.nn.") else _iterated(loop)
        if model is None or not self._is_apart(model) or not _is_off(plan):
            self.unsure = True
            return
        statement: ast.stmt = plan.use.statement if loop is None else loop
        alone = isinstance(statement, ast.Expr) and statement.value is plan.use.node
        if loop is None and not alone:
            self._note(plan, Rewrite("{self}", consumed=frozenset(plan.match.arguments)))
            return
        self.frozen[ast.unparse(model)] = plan.use.node.lineno
        self.decided |= removed(plan, statement, self.cells)

    def read(self, plan: Plan) -> None:
        """Decide a use that reads the flag of a parameter of a model."""
        receiver = plan.use.receiver
        if receiver is None or self.cells.at(receiver) is None:
            return
        loop = _loop(self.cells, plan)
        model = _iterated(loop) if loop is not None else _of_comprehension(self.cells, receiver)
        text = ast.unparse(model) if model is not None else ""
        if text in self.frozen:
            if self.frozen[text] < plan.use.node.lineno:
                self._note(plan, Rewrite("False"))
            return
        if not self.frozen or (text and not any(_overlap(text, one) for one in self.frozen)):
            self._note(plan, Rewrite("True"))

    def _note(self, plan: Plan, outcome: Keep | Rewrite) -> None:
        self.decided[id(plan.use.node)] = plan.decided(outcome, _WHY)

    def _is_apart(self, model: ast.expr) -> bool:
        """Return whether no optimizer trains a model, alone or as a part of another one."""
        text = ast.unparse(model)
        trained = _trained(self.cells)
        if trained is None or any(_overlap(text, one) for one in trained):
            return False
        if isinstance(model, ast.Call):
            return _is_made(model)
        if isinstance(model, ast.Attribute):
            return self._is_own_copy(model)
        return isinstance(model, ast.Name) and self._is_named_once(model)

    def _is_own_copy(self, model: ast.Attribute) -> bool:
        """Return whether an attribute of an object that is no layer holds a copy."""
        if self.cells.structure.class_of(model) is not None:
            return False
        values = [
            node.value
            for node in self.cells.structure.places.of(ast.Assign)
            if isinstance(node.targets[0], ast.Attribute) and node.targets[0].attr == model.attr
        ]
        return bool(values) and all(map(_is_copy, values))

    def _is_named_once(self, model: ast.Name) -> bool:
        """Return whether a name is that of a new model which is no part of another one."""
        owner = self.cells.structure.owner[id(model)]
        values: list[ast.expr] = []
        for node in self.cells.structure.places.nodes:
            if isinstance(node, Function | ast.Lambda):
                listed = node.args
                if model.id in {one.arg for one in (*listed.args, *listed.kwonlyargs)}:
                    return False
            if isinstance(node, ast.Assign) and _stores(node, model.id):
                if self.cells.structure.owner[id(node)] is not owner:
                    return False
                values.append(node.value)
            if _hands_on(self.cells, node, model.id, owner):
                return False
        return bool(values) and all(map(_is_made, values))


def _stores(node: ast.Assign, name: str) -> bool:
    return any(isinstance(one, ast.Name) and one.id == name for one in node.targets)


def _hands_on(cells: Cells, node: ast.AST, name: str, owner: Function | None) -> bool:
    """Return whether a statement or a call makes a model a part of another object."""
    if isinstance(node, ast.Assign):
        return isinstance(node.value, ast.Name) and node.value.id == name
    if isinstance(node, ast.Return):
        return cells.structure.owner[id(node)] is owner and ast.unparse(node.value or node) == name
    if not isinstance(node, ast.Call):
        return False
    given = [*node.args, *(one.value for one in node.keywords)]
    if not any(isinstance(one, ast.Name) and one.id == name for one in given):
        return False
    plan = cells.plans.get(id(node))
    own = ast.unparse(node.func) in cells.structure.classes
    return own or (plan is not None and plan.use.name.startswith("torch.nn."))


def _is_copy(value: ast.expr) -> bool:
    text = ast.unparse(value)
    return isinstance(value, ast.Call) and text.startswith(("copy.deepcopy(", "deepcopy("))


def _is_made(value: ast.expr) -> bool:
    """Return whether a value is a new object: a copy, or the result of a call."""
    return isinstance(value, ast.Call)


def _overlap(one: str, other: str) -> bool:
    """Return whether one model is the other, or a part of it."""
    return f"{one}.".startswith(f"{other}.") or f"{other}.".startswith(f"{one}.")


def _trained(cells: Cells) -> set[str] | None:
    """Return the models whose parameters optimizers are given, or None if one is not known."""
    found: set[str] = set()
    for plan in cells.plans.values():
        call = plan.use.call
        if not plan.use.name.startswith("torch.optim.") or call is None or not call.args:
            continue
        if plan.use.receiver is not None or "lr_scheduler" in plan.use.name:
            continue
        inner = [cells.plans.get(id(node)) for node in inside(call.args[0])]
        lists = [one for one in inner if one is not None and one.use.name in _LISTS]
        if not lists:
            return None
        found |= {ast.unparse(one.use.receiver) for one in lists if one.use.receiver is not None}
    return found


def _is_off(plan: Plan) -> bool:
    """Return whether a use sets a flag to False."""
    if plan.use.call is not None:
        return plan.match.constant("requires_grad", True) is False
    statement = plan.use.statement
    value = statement.value if isinstance(statement, ast.Assign) else None
    return isinstance(value, ast.Constant) and value.value is False


def _loop(cells: Cells, plan: Plan) -> ast.For | None:
    """Return the loop over parameters whose whole body is the statement of a use, or None."""
    parent = cells.parents.get(id(plan.use.statement))
    if isinstance(parent, ast.For) and parent.body == [plan.use.statement] and not parent.orelse:
        return parent
    return None


def _iterated(loop: ast.For | None) -> ast.expr | None:
    """Return the model over whose parameters a loop runs, or None."""
    return _model(loop.iter) if loop is not None else None


def _model(node: ast.expr) -> ast.expr | None:
    match node:
        case ast.Call(func=ast.Attribute(value=value, attr="parameters" | "named_parameters")):
            return value
    return None


def _of_comprehension(cells: Cells, name: ast.expr) -> ast.expr | None:
    """Return the model over whose parameters a loop or comprehension around a name runs."""
    node: ast.AST = name
    while (parent := cells.parents.get(id(node))) is not None:
        if isinstance(parent, COMPREHENSIONS):
            return _model(parent.generators[0].iter)
        if isinstance(parent, ast.For) and node is not parent.iter:
            return _model(parent.iter)
        node = parent
    return None


def _removal(cells: Cells, statement: ast.stmt) -> TextEdit:
    """Return the edit that removes a statement with its lines."""
    analysis: Analysis = cells.structure.analysis
    start, indent = statement_start(analysis, statement)
    end = analysis.lines.start(statement.end_lineno or statement.lineno)
    parent = cells.parents.get(id(statement))
    only = any(
        getattr(parent, name, None) == [statement] for name in ("body", "orelse", "finalbody")
    )
    return start, end, f"{indent}pass{analysis.lines.newline}" if only else ""
