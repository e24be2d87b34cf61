"""User-defined optimizers: a class that keeps its groups and states itself.

Paddle's base class keeps one rate for all parameters and only its own kernels' state, so it cannot
be their base: Paddle's schedules would not reach `group["lr"]`. Members that such a class lacks,
such as `state_dict`, raise AttributeError.
"""

from __future__ import annotations

import ast

from workbench.rules.forms import FormSet
from workbench.rules.match import Match
from workbench.rules.outcome import Keep, Outcome, Rewrite, StatementEdit
from workbench.source.traits.own_optimizers import OwnOptimizer, own_optimizer
from workbench.source.traits.program import Program
from workbench.source.traits.traits import Training
from workbench.source.uses import UseKind
from workbench.targets.paddle.common.writing import turned_weights
from workbench.targets.paddle.training.forms.optimizers import names_only

forms = FormSet()

_GROUPS = """\
self.state, self.param_groups = collections.defaultdict(dict), []
groups = list({params})
for group in groups if isinstance(groups[0], dict) else [{{"params": groups}}]:
    own = group["params"]
    own = [own] if isinstance(own, paddle.Tensor) else list(own)
    self.param_groups.append({{**{defaults}, **group, "params": own}})
"""
_CLEARS = """
def zero_grad(self, set_to_none=True):
    for group in self.param_groups:
        for parameter in group["params"]:
            parameter.clear_gradient(not set_to_none)"""
_KEEPS = """
def zero_grad(self, set_to_none=True):
    for group in self.param_groups:
        for parameter in group["params"]:
            if set_to_none and parameter.grad is not None:  # references keep the old tensor
                parameter.grad_ = paddle.zeros([1], dtype=parameter.dtype)
            parameter.clear_gradient(not set_to_none)"""
_NOTE = (
    "the class keeps its parameter groups and state itself, and has no state_dict or"
    " add_param_group"
)


_NEEDING = frozenset({Training.BASE_NEEDED, Training.MAKES, Training.SCHEDULES})


def stand_alone(program: Program) -> bool:
    """Return whether the program's own optimizers need no base, and nothing else drives them."""
    return program.traits.training.isdisjoint(_NEEDING)


def _type(program: Program) -> str | None:
    """Return Paddle's base class if the program uses torch's only as a type, else None."""
    own = Training.OWN in program.traits.training and not stand_alone(program)
    return "paddle.optimizer.Optimizer" if names_only(program) and not own else None


@forms.form("torch.optim.Optimizer", whole=True)
def optimizer(match: Match) -> Outcome | None:
    """Write the base of a class, or a type."""
    use = match.use
    if use.kind is UseKind.SUPER:  # rewritten with the class
        return Keep() if stand_alone(match.program) else None
    if use.kind is not UseKind.BASE:
        text = _type(match.program) if use.kind in {UseKind.READ, UseKind.ANNOTATION} else None
        return Rewrite(text, callee_only=True) if text is not None else None
    own = own_optimizer(use.statement)
    differs = turned_weights(match.program)
    if own is None or not stand_alone(match.program):
        return Rewrite("TorchOptimizer", callee_only=True, differs=differs) if differs else None
    outer = use.statement.body[0].col_offset  # type: ignore[attr-defined]
    step = own.call.col_offset - outer
    kept = match.program.holds_gradients
    clears = None if own.clears else _indented(_KEEPS if kept else _CLEARS, outer, step)
    also = _written(own, step)
    return Rewrite("object", note=_NOTE, callee_only=True, also=also, after=clears, differs=differs)


def _written(own: OwnOptimizer, step: int) -> tuple[StatementEdit, ...]:
    """Return the edits that replace the calls of the base class's methods."""
    text = _GROUPS.format(params=own.params.id, defaults=_once(own.defaults))
    if not isinstance(own.defaults, ast.Name):
        text = f"defaults = {ast.unparse(own.defaults)}\n{text}"
    restored = (
        (statement, "self.__dict__.update(", state, ")") for statement, state in own.restored
    )
    return (own.call, _indented(text, 0, step).strip(), None, ""), *restored


def _once(defaults: ast.expr) -> str:
    return defaults.id if isinstance(defaults, ast.Name) else "defaults"


def _indented(text: str, column: int, step: int) -> str:
    """Return lines indented to a column, with another width for each level."""
    lines = text.split("\n")
    levels = [(len(line) - len(line.lstrip())) // 4 for line in lines]
    return "\n".join(
        f"{' ' * (column + level * step)}{line.lstrip()}" if line else ""
        for line, level in zip(lines, levels, strict=True)
    )
