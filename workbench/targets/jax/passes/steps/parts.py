"""The parts of a training step."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from workbench.convert.decide.planner import Plan

ASKED = "torch.autograd.grad"


class Unlike(Exception):  # noqa: N818
    """The statements are not a training step; the message says why."""


@dataclass(slots=True)
class Gradient:
    """A loss and the function that computes it.

    Attributes:
        plan: the plan of `backward`.
        statement: the statement that is this call.
        loss: the loss.
        body: the statements that compute it.
        kept: other names of the body that later code reads.
        carried: names of the body that have a value before it.
        passed: other models that the body calls.
        others: unknown objects that the body calls.
        apart: whether other statements stand between the body and `backward`.
        early: the statement that computes, before another update, what the loss uses of the model.
        aim: what the gradients are assigned to, or None if they have names of their own.
        whole: the value of the statement that asks for gradients, or None for `backward`.
        is_summed: whether the gradients of all values of the loss are added up.
    """

    plan: Plan
    statement: ast.stmt
    loss: ast.expr
    body: list[ast.stmt] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    carried: list[str] = field(default_factory=list)
    passed: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    apart: bool = False
    early: ast.Assign | None = None
    aim: str | None = None
    whole: ast.expr | None = None
    is_summed: bool = False

    @property
    def name(self) -> str | None:
        """The name of the loss, or None if its function returns an expression."""
        named = isinstance(self.loss, ast.Name) and self.plan.use.name != ASKED
        return self.loss.id if named and isinstance(self.loss, ast.Name) else None


@dataclass(slots=True)
class Update:
    """A call of an optimizer's `step`.

    Attributes:
        plan: its plan.
        optimizer: the optimizer, as text.
        trained: what it trains: models, and the paths of their parts, such as `.head`, or "".
        still: whether it leaves parameters whose gradients are zero.
        clips: the plans that clip its gradients.
        unsure: the models of which a loss may not use all parameters.
        listed: whether it was given a list of parameters instead of models.
    """

    plan: Plan
    optimizer: str
    trained: list[tuple[str, str]]
    still: bool
    clips: list[Plan] = field(default_factory=list)
    unsure: list[str] = field(default_factory=list)
    listed: bool = False

    @property
    def paths(self) -> list[str]:
        """The trained models and parts, as its optimizer was given them."""
        return [model + part for model, part in self.trained]

    @property
    def models(self) -> list[str]:
        """The models that it trains, or of which it trains parts."""
        return list(dict.fromkeys(model for model, _ in self.trained))


@dataclass(slots=True)
class Sum:
    """Gradients that add up over several losses.

    Attributes:
        clears: the plans of `zero_grad`.
        loop: the statement before which there are none yet, or None if one of `clears` says so.
    """

    clears: list[Plan]
    loop: ast.stmt | None


@dataclass(frozen=True, slots=True)
class Read:
    """A use that reads the gradient of a parameter after a step.

    Attributes:
        plan: its plan.
        model: the model, as the step names it.
    """

    plan: Plan
    model: str


@dataclass(slots=True)
class Step:
    """Losses, and the updates by the sums of their gradients.

    Attributes:
        gradients: the losses.
        updates: the updates.
        gone: the plans of statements that have no equivalent.
        alone: whether the block has no other step.
        leaves: the names of tensors that are differentiated instead of models.
        reads: the plans that read their gradients.
        summed: how gradients add up over several runs of the block, or None.
        kept: the uses that read gradients of the models' parameters.
        trains_part: whether flags say which parameters are trained.
    """

    gradients: list[Gradient]
    updates: list[Update]
    gone: list[Plan]
    alone: bool = True
    leaves: list[str] = field(default_factory=list)
    reads: list[Plan] = field(default_factory=list)
    summed: Sum | None = None
    kept: list[Read] = field(default_factory=list)
    trains_part: bool = False

    @property
    def models(self) -> list[str]:
        """The models, or else the tensors, whose gradients are used."""
        return self.leaves or models_of_updates(self.updates)


def models_of_updates(updates: list[Update]) -> list[str]:
    """Return the models of several updates, each once."""
    return list(dict.fromkeys(model for one in updates for model in one.models))
