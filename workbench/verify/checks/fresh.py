"""Whether fresh weights of both sides follow one distribution, and buffers hold the same."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import torch

from workbench.verify.pairing.bound import Pair
from workbench.verify.pairing.equal_values import alike
from workbench.verify.result import Check, Figure, Outcome

Samples = Mapping[str, torch.Tensor]
_MOST = 1 << 16  # values of a tensor that are looked at
_CHANCE = 1e-6  # of telling a difference where there is none, for one tensor
_FEWEST = 16  # values whose spread says something
_SPREADS = 6.0  # how many of its own errors two spreads lie apart that are not one


def samples_of(tensors: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Some values of every tensor, spread over all of it."""
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
    """What both sides held before the original's weights were carried over.

    A difference is told, and no fault of a port that loads its weights. That of a table is one
    where nothing draws it, such as indices, or where no state dict brings it: what is carried here
    would hide it. A port that keeps zeros in place of a table waits for a file.

    Args:
        pairs: what is paired with what.
        ours, theirs: values of either side.
        tables: the original's own buffers; true for those that a port has to make as they are.
        line_of: where the port makes a tensor.
    """
    check = Check("fresh weights")
    off = []
    for pair in pairs:
        if not (ours.keys() >= set(pair.ours) and theirs.keys() >= set(pair.theirs)):
            continue
        mine = torch.cat([ours[name] for name in pair.ours])
        other = torch.cat([theirs[name] for name in pair.theirs])
        if pair.ours[0] in tables:
            if pair.layout in ("", "view") and not alike(mine, other):
                told = f"{pair.name} holds other values"
                off.append(f"{told}, which are carried over")
                if tables[pair.ours[0]] and (bool(other.any()) or _constant(mine)):
                    check.figures.append(Figure(pair.name, False, reason=told))
        elif not _alike(mine, other):
            line = f" ({line})" if (line := line_of(pair)) else ""
            off.append(f"{pair.name} {_described(other)}{line}, in torch {_described(mine)}")
    if off:
        check.outcome = Outcome.DIFFERS if check.figures else Outcome.TOLD
        # Buffers first: most weights are drawn otherwise in any port.
        off.sort(key=lambda told: "holds other values" not in told)
        more = f", and {len(off) - 1} more" if len(off) > 1 else ""
        check.summary = f"made otherwise: {off[0]}{more}"
    return check


def _alike(ours: torch.Tensor, theirs: torch.Tensor) -> bool:
    """The test of Kolmogorov and Smirnov, and of the spread; constants are alike if the same."""
    if len(ours) == len(theirs) == 1:  # it may have been drawn
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
    """Whether two variances may be one: of another bound or deviation they tell the most."""
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
