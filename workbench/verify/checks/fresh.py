"""Check that fresh weights of both sides follow one distribution and that buffers are equal."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import torch

from workbench.verify.pairing.bound import Pair
from workbench.verify.pairing.equal_values import alike
from workbench.verify.pairing.layout import RESHAPED, SAME
from workbench.verify.result import Check, Figure, Outcome

Samples = Mapping[str, torch.Tensor]
_MOST = 1 << 16  # elements sampled from a tensor
_CHANCE = 1e-6  # probability of a false alarm, for one tensor
_FEWEST = 16  # elements for which a variance is meaningful
_SPREADS = 6.0  # standard errors by which log-variances of one distribution may differ


def samples_of(tensors: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Return up to 2**16 elements of every non-empty tensor, evenly spaced, in double precision."""
    return {
        name: _real(t).flatten()[:: max(1, t.numel() // _MOST)].double().clone()
        for name, t in tensors.items()
        if t.numel()
    }


def _real(value: torch.Tensor) -> torch.Tensor:
    value = value.detach()
    return torch.view_as_real(value) if value.is_complex() else value


def fresh_weights(
    pairs: Sequence[Pair],
    ours: Samples,
    theirs: Samples,
    tables: Mapping[str, bool],
    line_of: Callable[[Pair], str] = lambda pair: "",
) -> Check:
    """Compare what both sides held before the original's weights were copied to the port.

    A difference is reported, but a port that loads its weights is not wrong because of it. A
    different table is an error if nothing draws it (such as indices) or if the state dict does not
    contain it, since the copied values would hide it. A port that holds zeros in place of a table
    expects to load it from a file.

    Args:
        pairs: which tensors correspond.
        ours: sampled values of the original, by name.
        theirs: sampled values of the port, by name.
        tables: the original's own buffers; true for those that a port must create with the same
            values.
        line_of: returns the line of the port that creates a tensor.
    """
    check = Check("fresh weights")
    off = []
    for pair in pairs:
        if not (ours.keys() >= set(pair.ours) and theirs.keys() >= set(pair.theirs)):
            continue
        mine = torch.cat([ours[name] for name in pair.ours])
        other = torch.cat([theirs[name] for name in pair.theirs])
        if pair.ours[0] in tables:
            if pair.layout in (SAME, RESHAPED) and not alike(mine, other):
                message = f"{pair.name} has other values"
                off.append(f"{message}, which are copied from the original")
                if tables[pair.ours[0]] and (bool(other.any()) or _constant(mine)):
                    check.figures.append(Figure(pair.name, False, reason=message))
        elif not _alike(mine, other):
            line = f" ({line})" if (line := line_of(pair)) else ""
            off.append(f"{pair.name} {_described(other)}{line}, in torch {_described(mine)}")
    if off:
        check.outcome = Outcome.DIFFERS if check.figures else Outcome.REPORTED
        # Buffers first: initial weights differ in most ports.
        off.sort(key=lambda message: "has other values" not in message)
        more = f", and {len(off) - 1} more" if len(off) > 1 else ""
        check.summary = f"made otherwise: {off[0]}{more}"
    return check


def _alike(ours: torch.Tensor, theirs: torch.Tensor) -> bool:
    """Return whether two samples follow one distribution.

    Uses the Kolmogorov-Smirnov test and a test of the variance. Constants must be equal.
    """
    if len(ours) == len(theirs) == 1:  # a single element may be drawn
        return True
    if _constant(ours) or _constant(theirs):
        return bool((ours[0] - theirs[0]).abs() < 1e-6) and _constant(ours) == _constant(theirs)
    both = torch.cat([ours, theirs]).sort().values
    below = [
        torch.searchsorted(side.sort().values, both, right=True) / len(side)
        for side in (ours, theirs)
    ]
    apart = float((below[0] - below[1]).abs().max())
    limit = math.sqrt(-math.log(_CHANCE / 2) / 2 * (1 / len(ours) + 1 / len(theirs)))
    return apart <= limit and _spread_alike(ours, theirs)


def _spread_alike(ours: torch.Tensor, theirs: torch.Tensor) -> bool:
    """Return whether two variances are compatible, which detects a different bound best."""
    if min(len(ours), len(theirs)) < _FEWEST:
        return True
    apart, error = 0.0, 0.0
    for sign, side in ((1, ours), (-1, theirs)):
        variance = side.var()
        apart += sign * math.log(float(variance))
        fourth = (side - side.mean()).pow(4).mean() / variance.square()
        error += max(float(fourth) - 1, 0.5) / len(side)
    return abs(apart) <= _SPREADS * math.sqrt(error)


def _constant(values: torch.Tensor) -> bool:
    return bool((values == values[0]).all())


def _described(values: torch.Tensor) -> str:
    if _constant(values):
        return f"is {float(values[0]):.3g}"
    return f"spreads by {float(values.std()):.3g} around {float(values.mean()):.2g}"
