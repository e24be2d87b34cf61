"""`compare` and `trace` of a training: batch, loss and optimizer as a command line names them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from workbench.commands.shown import Rows, Sheet
from workbench.errors import TorchferryError
from workbench.watching import Report

if TYPE_CHECKING:
    from workbench.commands.model_request import ModelRequest, Training
    from workbench.commands.models import Subject
    from workbench.compare.nodes.training import Plan, TrainingComparison
    from workbench.lower import Lowered


def plan_of(asked: ModelRequest, training: Training, report: Report) -> tuple[Subject, Plan]:
    """Return the training that a command line names, and a subject whose result is the loss."""
    import torch

    from workbench.commands.models import Subject, moved, open_subject
    from workbench.compare.nodes.training import Plan
    from workbench.subjects import named
    from workbench.verify.sides.task import batches_of, optimizer_of, takes_model, targets_of

    report(f"running {asked.place}")
    # The batch provides the inputs, which the file need not name.
    subject = open_subject(asked.place, asked.inputs, train=True, called=False)
    module = subject.module
    if module is None or not isinstance(subject.model, torch.nn.Module):
        raise TorchferryError(
            f"{asked.place} is not a torch.nn.Module, so there is nothing to train"
        )
    file = asked.place.rpartition(":")[0]
    batch, loss, optimizer = (
        named(module, name, file) for name in (training.batch, training.loss, training.optimizer)
    )
    if takes_model(loss):
        raise TorchferryError(
            f"{file}: {training.loss} takes the model; give a loss that takes outputs and targets"
        )

    batches = batches_of(batch)
    plan = Plan(
        moved(subject.model, asked.device),
        loss,
        targets_of(loss),
        partial(optimizer_of, optimizer),
        lambda step: moved(batches(step), asked.device),
    )
    learning = Subject(subject.title, plan.learning(), plan.batches(0), {}, subject.module)
    return learning, plan


def lower_training(
    asked: ModelRequest, training: Training, report: Report
) -> tuple[Subject, Lowered, Plan]:
    """Return the training that a command line names, captured with its loss and lowered."""
    from workbench.capture import capture
    from workbench.lower import lower

    subject, plan = plan_of(asked, training, report)
    report(f"capturing {subject.title}")
    lowered = lower(capture(subject.model, subject.args), target=asked.target)
    return subject, lowered, plan


def compared(asked: ModelRequest, training: Training, steps: int, report: Report) -> Sheet:
    """Compare some steps of a training on both sides."""
    import torch

    from workbench.commands.models import device_of
    from workbench.compare.nodes.training import compare_training

    with device_of(asked):
        subject, lowered, plan = lower_training(asked, training, report)
        torch.set_num_threads(1)
        report(f"training {subject.title} on both sides")
        found = compare_training(lowered, plan, steps)
    return _sheet(subject, lowered, found, training)


def _sheet(
    subject: Subject, lowered: Lowered, found: TrainingComparison, training: Training
) -> Sheet:
    from workbench.compare.result import Curve

    lowering_caveats = lowered.caveat_lines
    steps = len(found.ours)
    worst = max(abs(a - b) for a, b in zip(found.ours, found.theirs, strict=True))
    own = max(found.drift)
    target = lowered.target
    unequal = [gap for gap in found.gaps if not gap.equal]
    if found.first is not None:
        verdict = f"the loss of step {found.first} is the first that differs"
    elif unequal:
        verdict = f"{unequal[0].name} is off by {unequal[0].difference:.2g} after {steps} steps"
    else:
        verdict = (
            f"{steps} steps agree: losses differ by at most {worst:.1g}, and torch's own drift is"
            f" {own:.1g}"
        )
    rows = tuple(
        (str(step), f"{a:.8g}", f"{b:.8g}", f"{abs(a - b):.1g}", f"{d:.1g}")
        for step, (a, b, d) in enumerate(zip(found.ours, found.theirs, found.drift, strict=True), 1)
    )
    apart = tuple((g.name, f"{g.difference:.2g}", f"{g.limit:.2g}") for g in found.gaps)
    return Sheet(
        title=f"{steps} steps of {lowered.graph.name} in torch and in {target}",
        verdict=verdict,
        facts=(("model", subject.title), ("optimizer", training.optimizer)),
        remarks=(*lowered.graph.warnings, *lowering_caveats),
        tables=(
            Rows("Losses", ("step", "torch", target, "difference", "torch's drift"), rows),
            Rows(
                "Weights after the last step",
                ("weight", "difference", "limit"),
                apart,
                frozenset(i for i, gap in enumerate(found.gaps) if not gap.equal),
            ),
        ),
        data={
            "model": subject.title,
            "target": target,
            "equal": found.equal,
            "warnings": list(lowered.graph.warnings),
            "caveats": lowering_caveats,
            "losses": {"torch": list(found.ours), target: list(found.theirs)},
            "drift": list(found.drift),
            "weights": {g.name: {"difference": g.difference, "limit": g.limit} for g in found.gaps},
        },
        curves=(Curve("loss", found.ours, found.theirs, found.drift, found.first),),
        other=target,
        good=found.equal,
    )
