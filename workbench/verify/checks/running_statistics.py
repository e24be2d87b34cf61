"""Running statistics that a training pass leaves in buffers, and differences that are allowed."""

from __future__ import annotations

import torch

from workbench.verify.checks.uncorrected_variances import Statistics
from workbench.verify.pairing.bound import Bound
from workbench.verify.pairing.candidates import tensors_of
from workbench.verify.sides.shelf import Shelf
from workbench.verify.sides.sides import Sides

# Relative error of a running statistic's momentum in single precision.
_MOMENTUM = 2.0**-24


def buffers(sides: Sides) -> list[Bound]:
    """Return the pairs of the original's floating-point buffers."""
    if not sides.has_weights:
        return []
    own = {name for name, buffer in sides.ours.named_buffers() if buffer.is_floating_point()}
    return [bound for bound in sides.bound() if own.issuperset(bound.pair.ours)]


def without_factor(sides: Sides, values: Shelf, statistics: Statistics) -> None:
    """Store a running variance without Bessel's correction if the port keeps it that way."""
    live = tensors_of(sides.ours)
    for pair in sides.pairs:
        name = pair.ours[0]
        if name.endswith("running_var") and sides.ports.uncorrected(sides.theirs, pair.theirs[0]):
            values[pair.name] = statistics.uncorrected(live[name])


def with_rounded_momentum(sides: Sides, values: Shelf) -> dict[str, torch.Tensor | None]:
    """Return running statistics as if the momentum were rounded to single precision.

    The original's buffers must hold the values from before the pass.
    """
    found: dict[str, torch.Tensor | None] = {}
    for bound in buffers(sides):
        owner = sides.ours.get_submodule(bound.pair.ours[0].rpartition(".")[0])
        share = getattr(owner, "momentum", None)
        value = values.get(bound.pair.name)
        if isinstance(owner, torch.nn.modules.batchnorm._NormBase) and share and value is not None:
            before = bound.value().to(value.dtype)
            # The same number of steps with a rounded momentum changes the total move by this share.
            found[bound.pair.name] = value + (value - before) * _MOMENTUM / share
    return found
