"""Models whose result is a loss, so that a graph contains all that training computes."""

from __future__ import annotations

import copy
import inspect
from types import MethodType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    import torch


def with_loss(
    model: torch.nn.Module, loss: Callable[..., Any], *, targets: int = 1
) -> torch.nn.Module:
    """Return a model that returns the loss; its parameters are the model's own.

    Args:
        model: a module, in training mode if it is to train.
        loss: a function of outputs and targets.
        targets: how many of the arguments, the last ones, are only for the loss.

    Returns:
        A module that takes the model's inputs, then the targets, and keeps the names of
        weights.
    """
    alone = copy.copy(model)
    forward = model.forward
    given = [p.name for p in inspect.signature(forward).parameters.values()]
    names = [*given, *(f"target_{n}" if n else "target" for n in range(targets))]

    def learn(self: torch.nn.Module, *batch: Any) -> Any:
        cut = len(batch) - targets
        return loss(forward(*batch[:cut]), *batch[cut:])

    # torch names the inputs of a graph by the signature.
    learn.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [inspect.Parameter(n, inspect.Parameter.POSITIONAL_OR_KEYWORD) for n in ("self", *names)]
    )
    alone.forward = MethodType(learn, alone)
    return alone
