"""The task of a verification: inputs, and a loss and an optimizer if training is requested."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch

from workbench.errors import TorchferryError
from workbench.subjects import read_input
from workbench.verify.sides.loading import Source
from workbench.verify.sides.seeds import seed_all

_FOUND = ("batch", "loss", "optimizer")


@dataclass
class Asked:
    """The user's request.

    Attributes:
        inputs: the models' inputs, in the form that `compare` takes; NAME=INPUT for a keyword.
        batch: a function of the original's file that returns inputs and targets; may take the step.
        loss: a function of both files that takes the model and the batch, or outputs and targets.
        optimizer: a function of both files that takes the model or its parameters. `a=b` names the
            original's and the port's, here and for the loss.
        steps: number of training steps.
        maps: known pairs, such as `a.weight=b.w:T`.
        channels_last: the port takes and returns images channels last.
    """

    inputs: tuple[str, ...] = ()
    batch: str = ""
    loss: str = ""
    optimizer: str = ""
    steps: int = 5
    maps: tuple[str, ...] = ()
    channels_last: bool = False


@dataclass
class Task:
    """The request resolved for live models.

    Attributes:
        args, kwargs: the models' arguments.
        batches: returns the batch of a step; None without a batch function.
        losses: each side's loss; None without one.
        optimizers: each side's optimizer; None without one.
        targets: how many of a batch's last values are only for the loss.
        steps: number of training steps.
        channels_last: the port takes and returns images channels last.
    """

    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = field(default_factory=dict)
    batches: Callable[[int], tuple[Any, ...]] | None = None
    losses: tuple[Any, Any] | None = None
    optimizers: tuple[Any, Any] | None = None
    targets: int = 0
    steps: int = 5
    channels_last: bool = False

    def inputs(self, step: int) -> tuple[tuple[Any, ...], dict[str, Any], tuple[Any, ...]]:
        """Return the model's positional and keyword arguments in a step, and the loss's other
        arguments.
        """
        if self.batches is None:
            return self.args, self.kwargs, ()
        batch = self.batches(step)
        cut = len(batch) - self.targets
        return batch[:cut], {}, batch[cut:]


def task_of(asked: Asked, ours: Source, theirs: Source, model: Any) -> Task:
    """Resolve a request in the two files; `model` is the original's.

    Raises:
        TorchferryError: a name is missing, or there are no inputs.
    """
    names = {name: getattr(asked, name) for name in _FOUND}
    for name in _FOUND:
        both = theirs.has(name) or name == "batch"
        if not names[name] and ours.has(name) and both and callable(ours.get(name)):
            names[name] = name
    task = Task(steps=asked.steps, channels_last=asked.channels_last)
    seed_all()
    for text in asked.inputs or (("example_inputs",) if ours.has("example_inputs") else ()):
        _add(task, text, ours, model)
    if names["batch"]:
        task.batches = batches_of(ours.get(names["batch"]))
    if names["loss"]:
        task.losses = _both(names["loss"], ours, theirs)
        task.targets = targets_of(task.losses[0])
    if names["optimizer"]:
        task.optimizers = _both(names["optimizer"], ours, theirs)
    if task.batches is None and not task.args and not task.kwargs:
        raise TorchferryError(
            f"{ours.place}: give the inputs of both sides: -i 2x3x32x32, -i 2x16:int64, or --batch"
            " NAME; or define example_inputs or batch in the file"
        )
    if task.batches is None and task.targets and task.losses:
        raise TorchferryError(
            f"{ours.place}: the loss takes {task.targets} values besides the model's outputs; give"
            " them with --batch NAME, a function that returns inputs and targets"
        )
    return task


def takes_model(function: Any) -> bool:
    """Return whether the name of a function's first parameter means a model."""
    try:
        first = next(iter(inspect.signature(function).parameters), "")
    except (TypeError, ValueError):
        return False
    return first in ("model", "net", "network", "module", "layer")


def loss_of(function: Any, model: Any, outputs: Any, batch: tuple[Any, ...], targets: int) -> Any:
    """Return the result of a side's loss."""
    if takes_model(function):
        one = len(inspect.signature(function).parameters) == 2
        return function(model, batch) if one and len(batch) > 1 else function(model, *batch)
    return function(outputs, *batch[len(batch) - targets :])


def separate_inputs(model: Any, batch: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return a batch's inputs separately if the batch has them in one tuple, as `(ids, mask),
    labels`.
    """
    if len(batch) != 1 or not isinstance(batch[0], tuple | list):
        return batch
    taken = inspect.signature(getattr(model, "forward", model)).parameters.values()
    needed = [p for p in taken if p.default is p.empty]
    return tuple(batch[0]) if len(needed) > 1 else batch


def optimizer_of(function: Any, model: Any) -> tuple[Any, Any]:
    """Return a side's optimizer, and its learning-rate schedule or None."""
    first = next(iter(inspect.signature(function).parameters), "")
    made = function(list(model.parameters()) if first.startswith("param") else model)
    return made if isinstance(made, tuple) else (made, None)


def targets_of(loss: Any) -> int:
    """Return how many values a loss takes besides the outputs; 0 if it takes the model."""
    if takes_model(loss):
        return 0
    if isinstance(loss, torch.nn.Module):
        loss = loss.forward
    taken = inspect.signature(loss).parameters.values()
    return len([p for p in taken if p.default is p.empty and p.kind not in (2, 4)]) - 1


def batches_of(function: Any) -> Callable[[int], tuple[Any, ...]]:
    """Return a function of the step that returns a batch; `function` may take the step."""
    numbered = bool(inspect.signature(function).parameters)

    def batch(step: int) -> tuple[Any, ...]:
        seed_all(step)
        made = function(step) if numbered else function()
        return made if isinstance(made, tuple) else (made,)

    return batch


def _both(name: str, ours: Source, theirs: Source) -> tuple[Any, Any]:
    first, _, second = name.partition("=")
    return ours.get(first), theirs.get(second or first)


def _add(task: Task, text: str, source: Source, model: Any) -> None:
    name, mark, value = text.partition("=")
    if mark and name.isidentifier():
        task.kwargs[name] = _read(value, source, model)
        return
    made = _read(text, source, model)
    if isinstance(made, dict):
        task.kwargs |= made
    else:
        task.args += made if isinstance(made, tuple) else (made,)


def _read(text: str, source: Source, model: Any) -> Any:
    """Read an input; drawn ids end with the padding row of the model's embeddings."""
    made = read_input(text, source.module)
    if ":int" in text and isinstance(made, torch.Tensor) and made.numel() > 1:
        for padding in _paddings(model):
            if padding < int(made.max()) and not bool((made == padding).any()):
                made.view(-1)[-1] = padding
    return made


def _paddings(model: Any) -> set[int]:
    kinds = (torch.nn.Embedding, torch.nn.EmbeddingBag)
    parts = model.modules() if isinstance(model, torch.nn.Module) else ()
    found = (part.padding_idx for part in parts if isinstance(part, kinds))
    return {padding for padding in found if padding is not None}
