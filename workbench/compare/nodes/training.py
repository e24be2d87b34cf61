"""Comparison of several training steps in torch and in the lowered form, from the same weights."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch

from workbench.errors import TorchferryError
from workbench.lower.learning import with_loss
from workbench.lower.liveness import draws
from workbench.streams.draws import Stream
from workbench.streams.torch_recorder import FreshWeights, Recorder

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from workbench.lower import Lowered

    Batches = Callable[[int], tuple[Any, ...]]

# Differences up to this many times torch's own drift count as rounding.
_TIMES = 3.0
# A weight may differ by this share of its largest element even without any drift.
_LEAST = {torch.float32: 1e-5, torch.float64: 1e-9}
_DISTURBED = 3


@dataclass(frozen=True)
class Plan:
    """A training: a model in training mode, and its loss, optimizer and batches.

    Attributes:
        model: the module; it is not modified.
        loss: a function of outputs and targets.
        targets: how many of a batch's last values are only for the loss.
        optimizer: makes the optimizer of a module, and its learning-rate schedule if it has one.
        batches: returns the batch of a step, from 0 on: inputs, then targets.
    """

    model: torch.nn.Module
    loss: Callable[..., Any]
    targets: int
    optimizer: Callable[[torch.nn.Module], torch.optim.Optimizer | tuple[Any, Any]]
    batches: Batches

    def made(self, model: torch.nn.Module) -> tuple[torch.optim.Optimizer, Any]:
        """Return the optimizer of a module, and its learning-rate schedule or None."""
        found = self.optimizer(model)
        return found if isinstance(found, tuple) else (found, None)

    def learning(self) -> torch.nn.Module:
        """Return the model with the loss as its result."""
        return with_loss(self.model, self.loss, targets=self.targets)


@dataclass(frozen=True)
class Gap:
    """Difference of a weight after the last step, and its limit."""

    name: str
    difference: float
    limit: float

    @property
    def equal(self) -> bool:
        """Return whether the two agree."""
        return self.difference <= self.limit


@dataclass(frozen=True)
class TrainingComparison:
    """The losses of both sides by step, torch's own drift of them, and the final weights."""

    ours: tuple[float, ...]
    theirs: tuple[float, ...]
    drift: tuple[float, ...]
    gaps: tuple[Gap, ...]

    @property
    def first(self) -> int | None:
        """The first step, from 1 on, whose loss differs, or None."""
        for step, (a, b, own) in enumerate(zip(self.ours, self.theirs, self.drift, strict=True), 1):
            if not abs(a - b) <= max(_TIMES * own, _LEAST[torch.float32] * max(abs(a), 1e-3)):
                return step
        return None

    @property
    def equal(self) -> bool:
        """Return whether all losses and weights agree."""
        return self.first is None and all(gap.equal for gap in self.gaps)


def compare_training(lowered: Lowered, plan: Plan, steps: int) -> TrainingComparison:
    """Train both sides and compare losses by step, and the final weights and buffers.

    Args:
        lowered: the graph of `plan.learning()`, captured in training mode.
        plan: the training.
        steps: the number of steps.

    Raises:
        LowerError: the target has no exact form of the optimizer.
        TorchferryError: the model draws random numbers that the target cannot replay.
    """
    training = lowered.training(*plan.made(plan.model))
    streams = [Stream() for _ in range(steps)]
    losses, weights = _trained(plan, steps, seed=0, streams=streams)
    moved = [_trained(plan, steps, seed=seed) for seed in range(1, _DISTURBED + 1)]
    drawn = [n.name for n in lowered.graph.program.graph.nodes if n.op != "output" and draws(n)]
    theirs = []
    for step, stream in enumerate(streams):
        loss = training.step(plan.batches(step), stream if drawn else None)
        stream.close()
        if drawn and stream.problem:
            raise TorchferryError(
                f"{lowered.graph.name} draws random numbers ({drawn[0]}) that cannot be drawn again"
                f" in step {step + 1}: {stream.problem}; its nodes compare without --steps"
            )
        theirs.append(float(loss))
    found = training.weights()
    drift = [max(abs(run[0][i] - loss) for run in moved) for i, loss in enumerate(losses)]
    gaps = []
    for name, value in weights.items():
        own = max(_apart(run[1][name], value) for run in moved)
        least = _LEAST.get(value.dtype, 0.0) * max(_largest(value), 1e-3)
        gaps.append(Gap(name, _apart(found[name], value), max(_TIMES * own, least)))
    return TrainingComparison(tuple(losses), tuple(theirs), tuple(drift), tuple(gaps))


def _trained(
    plan: Plan, steps: int, *, seed: int, streams: Sequence[Stream] | None = None
) -> tuple[list[float], dict[str, torch.Tensor]]:
    """Return torch's losses and weights; a seed above 0 perturbs the start by a rounding.

    Every run uses the same random numbers; `streams` record those of each step.
    """
    model = copy.deepcopy(plan.model)
    optimizer, schedule = plan.made(model)
    if seed:
        generator = torch.Generator().manual_seed(seed)
        with torch.no_grad():
            for weight in model.parameters():
                if weight.dtype.is_floating_point:
                    sign = torch.randint(0, 2, weight.shape, generator=generator) * 2 - 1
                    weight.mul_(1 + sign * torch.finfo(weight.dtype).eps)
    losses = []
    for step in range(steps):
        batch = plan.batches(step)
        cut = len(batch) - plan.targets
        optimizer.zero_grad()
        torch.manual_seed(step)
        recorder = Recorder(Stream() if streams is None else streams[step], FreshWeights())
        with recorder.recording():  # in every run, as recording changes the rounding of dropout
            loss = plan.loss(model(*batch[:cut]), *batch[cut:])
        loss.backward()
        optimizer.step()
        if schedule is not None:
            schedule.step()
        losses.append(loss.item())
    return losses, dict(model.state_dict())


def _apart(a: torch.Tensor, b: torch.Tensor) -> float:
    return _largest(a.double() - b.double()) if a.shape == b.shape else float("inf")


def _largest(values: torch.Tensor | Sequence[float]) -> float:
    tensor = torch.as_tensor(values).double()
    if not tensor.numel():
        return 0.0
    return float("inf") if bool(tensor.isnan().any()) else tensor.abs().max().item()
