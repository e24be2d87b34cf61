"""The parts of a training step."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from workbench.convert.decide.planner import Plan


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

    @property
    def name(self) -> str | None:
        """The name of the loss, or None if it is an expression."""
        return self.loss.id if isinstance(self.loss, ast.Name) else None


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
    """

    plan: Plan
    optimizer: str
    trained: list[tuple[str, str]]
    still: bool
    clips: list[Plan] = field(default_factory=list)
    unsure: list[str] = field(default_factory=list)

    @property
    def paths(self) -> list[str]:
        """The trained models and parts, as its optimizer was given them."""
        return [model + part for model, part in self.trained]

    @property
    def models(self) -> list[str]:
        """The models that it trains, or of which it trains parts."""
        return list(dict.fromkeys(model for model, _ in self.trained))


@dataclass(slots=True)
class Step:
    """Losses, and the updates by the sums of their gradients.

    Attributes:
        gradients: the losses.
        updates: the updates.
        gone: the plans of statements that have no equivalent.
        alone: whether the block has no other step.
    """

    gradients: list[Gradient]
    updates: list[Update]
    gone: list[Plan]
    alone: bool = True

    @property
    def models(self) -> list[str]:
        """The models whose gradients are used."""
        return models_of_updates(self.updates)


def models_of_updates(updates: list[Update]) -> list[str]:
    """Return the models of several updates, each once."""
    return list(dict.fromkeys(model for one in updates for model in one.models))
