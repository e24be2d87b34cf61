"""One random stream for two frameworks: the target uses the draws of torch.

`torch_recorder.py` records torch's draws in a `Stream` while a statement runs; the target's bridge
replays them while the converted statement runs. Draws that initialise parameters are left out: the
frameworks initialise differently, so fresh weights are copied as a whole.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import permutations
from math import prod
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from workbench.streams.factors import Chosen

_MOST_BYTES = 1 << 30
_EXACTLY = "donot_use_mm_for_euclid_dist"
# Relative difference of the moments of equal values on the two sides.
_ROUNDING = 1e-4
# Distance from a rate, relative to it, of numbers that only encode on which side of it they are.
_DISTANCE = 1e-3


class Kind(StrEnum):
    """The distribution of a draw."""

    UNIFORM = "uniform"
    NORMAL = "normal"
    INTEGERS = "integers"
    PERMUTATION = "permutation"
    MASK = "dropout mask"
    BERNOULLI = "bernoulli"
    CHOICE = "multinomial"
    EXPONENTIAL = "exponential"
    POISSON = "poisson"
    OTHER = "other"


@dataclass(frozen=True, slots=True, eq=False)
class Draw:
    """One draw: its values and its distribution's two parameters (bounds, or mean and deviation).

    Attributes:
        kind: the distribution.
        value: the values.
        first: the lower bound or the mean.
        second: the upper bound or the standard deviation; for a mask the drop rate.
        seed: the number that torch drew to seed the generator of the values, if it did.
        onto: the tensor that a mask was drawn for, if its sizes are ambiguous or it holds the rows
            of a packed sequence.
        moments: the moments of that tensor, which identify it.
        rates: for a Bernoulli draw, the probability of a one, per element.
    """

    kind: Kind
    value: torch.Tensor
    first: float = 0.0
    second: float = 1.0
    seed: int | None = None
    onto: torch.Tensor | None = None
    moments: tuple[float, ...] = ()
    rates: torch.Tensor | None = None

    def __str__(self) -> str:
        return f"{self.kind} {tuple(self.value.shape)}"


@dataclass(slots=True)
class Stream:
    """torch's draws in order, taken one by one by the target.

    Attributes:
        draws: the remaining draws.
        problem: why the two sides diverged, or "".
        mirrored: the target selects small uniform numbers (`rand() < keep`) if torch selects large
            ones (`floor(keep + rand())`), or vice versa.
        uniform: the target took uniform numbers, so that `mirrored` has an effect.
        recorded, taken: the numbers of draws that were recorded, and that the target took.
        factors: torch's eigenvectors and singular vectors, if the target is to follow their signs.
    """

    draws: deque[Draw] = field(default_factory=deque)
    problem: str = ""
    mirrored: bool = False
    uniform: bool = False
    recorded: int = 0
    taken: int = 0
    factors: Chosen | None = None
    _bytes: int = 0

    def record(self, draw: Draw) -> None:
        """Add a draw of torch."""
        held = [draw.value] if draw.onto is None else [draw.value, draw.onto]
        self._bytes += sum(one.numel() * one.element_size() for one in held)
        if self._bytes > _MOST_BYTES:
            self.part("the random draws of one statement need more than 1 GB and were not recorded")
            self.draws.clear()
            return
        self.recorded += 1
        self.draws.append(draw)

    def take(
        self,
        kinds: Collection[Kind],
        shape: Sequence[int],
        onto: torch.Tensor | None = None,
    ) -> Draw | None:
        """Return the next draw if its kind and size match, else set `problem` and return None.

        The values are permuted or reshaped if the target has its dimensions in another order, or
        merges some. A target that pads what torch packs gets each row in its position. `onto` is
        the tensor that the target draws a mask for. It identifies dimensions of equal size and
        rows, and masks that the target draws in another order, merged or split.
        """
        if self.problem:
            return None
        wanted = f"{next(iter(kinds))} {tuple(shape)}"
        if not self.draws:
            self.part(f"the target draws {wanted} where torch draws nothing more")
            return None
        draw = None
        if onto is not None:
            if (found := self._several(onto) or self._piece(onto)) is not None:
                return found
            draw = self._drawn_for(onto)
        draw = draw or self.draws[0]
        self.draws.remove(draw)
        value = _laid_out(draw, tuple(shape), onto)
        if draw.kind not in kinds or value is None:
            self.part(f"torch draws {draw} where the target draws {wanted}")
            return None
        self.taken += 1
        if draw.kind is Kind.UNIFORM:
            self.uniform = True
            value = draw.first + draw.second - value if self.mirrored else value
        rates = draw.rates
        if rates is not None:
            rates = _laid_out(replace(draw, value=rates), tuple(shape), onto)
        return replace(draw, value=value, rates=rates)

    def as_uniform(self, draw: Draw) -> torch.Tensor:
        """Return uniform numbers that encode zeros and ones: they lie close to the rate.

        A target that compares them with another rate than torch's gets other results.
        """
        self.uniform = True
        ones = draw.value != 0
        rate = torch.tensor(1 - draw.second) if draw.rates is None else draw.rates
        bound = rate if self.mirrored else 1 - rate
        least = torch.minimum(rate, 1 - rate)
        distance = _DISTANCE * torch.where(least > 0, least, 1.0)
        return torch.where(ones ^ self.mirrored, bound + distance, bound - distance)

    def _drawn_for(self, onto: torch.Tensor) -> Draw | None:
        """Return the first mask that torch drew for these values, in any layout, or None."""
        wanted = moments(onto)
        masks = (draw for draw in self.draws if _alike(draw.moments, wanted))
        return next(masks, None)

    def _several(self, onto: torch.Tensor) -> Draw | None:
        """Return the masks that torch drew for parts of these values, concatenated, or None."""
        size = self.draws[0].value.numel()
        count, rest = divmod(onto.numel(), size) if size else (0, 1)
        if rest or count < 2 or not self.draws[0].moments:
            return None
        for axis in (axis for axis, length in enumerate(onto.shape) if length % count == 0):
            parts = onto.chunk(count, axis)
            draws = [draw for part in parts if (draw := self._drawn_for(part)) is not None]
            if len({id(draw) for draw in draws}) == count:
                for draw in draws:
                    self.draws.remove(draw)
                self.taken += count
                both = zip(draws, parts, strict=True)
                masks = [_laid_out(draw, tuple(part.shape), part) for draw, part in both]
                return replace(draws[0], value=torch.cat([m for m in masks if m is not None], axis))
        return None

    def _piece(self, onto: torch.Tensor) -> Draw | None:
        """Return the part of a mask that torch drew for more than these values, or None.

        For example, torch draws one mask for all heads of attention, where the target draws one per
        head.
        """
        found = min(self._pieces(onto), key=lambda one: one[0], default=None)
        if found is None:
            return None
        _, number, axis, at, count = found
        draw = self.draws[number]
        assert draw.onto is not None
        masks, values = torch.split(draw.value, count, axis), torch.split(draw.onto, count, axis)
        others = [i for i in range(len(values)) if i != at]
        value, whole = (torch.cat([parts[i] for i in others], axis) for parts in (masks, values))
        self.draws[number] = replace(draw, value=value, onto=whole, moments=moments(whole))
        return replace(draw, value=masks[at].reshape(onto.shape), onto=None)

    def _pieces(self, onto: torch.Tensor) -> Iterator[tuple[float, int, int, int, int]]:
        """Yield the parts of masks that may be drawn for these values.

        Each is the distance of the values, the index of the draw, the axis, the part's index and
        its length.
        """
        close = _ROUNDING * float(onto.norm())
        for number, draw in enumerate(self.draws):
            whole = draw.onto
            if whole is None or whole.shape != draw.value.shape or whole.numel() <= onto.numel():
                continue
            for axis, length in enumerate(whole.shape):
                count, rest = divmod(length * onto.numel(), whole.numel())
                for at, piece in enumerate(
                    torch.split(whole, count, axis) if count and not rest else ()
                ):
                    if piece.numel() != onto.numel():
                        continue
                    apart = float((piece.reshape(onto.shape) - onto).norm())
                    if apart <= close:
                        yield apart, number, axis, at, count

    def take_seed(self) -> int | None:
        """Return the seed of the next draw if it was made from one, else None without taking it."""
        if self.problem or not self.draws or self.draws[0].seed is None:
            return None
        self.taken += 1
        return self.draws.popleft().seed

    def close(self) -> None:
        """Set `problem` if torch drew values that the target never asked for."""
        if self.draws and not self.problem:
            self.part(f"torch draws {self.draws[0]} where the target draws nothing more")

    def part(self, problem: str) -> None:
        """Mark the streams as diverged for a reason; the first reason stays."""
        self.problem = self.problem or problem


def as_ones(draw: Draw, rates: torch.Tensor) -> torch.Tensor:
    """Return uniform numbers as zeros and ones with these probabilities: `floor(rate + number)`."""
    return ((draw.value - draw.first) / (draw.second - draw.first) >= 1 - rates).to(rates.dtype)


def moments(values: torch.Tensor) -> tuple[float, ...]:
    """Return four means that identify float values in any layout; empty for others."""
    if not values.numel() or not values.is_floating_point():
        return ()
    flat = values.detach().flatten()
    norms = [
        torch.linalg.vector_norm(flat, order, dtype=torch.float64) / flat.numel() ** (1 / order)
        for order in (1, 2, 4)
    ]
    return (float(flat.mean(dtype=torch.float64)), *map(float, norms))


def _alike(first: tuple[float, ...], second: tuple[float, ...]) -> bool:
    """Return whether two sets of values may be equal up to rounding, by their moments."""
    if not first or not second:
        return False
    return all(abs(a - b) <= _ROUNDING * first[-1] for a, b in zip(first, second, strict=True))


def _laid_out(draw: Draw, shape: tuple[int, ...], onto: torch.Tensor | None) -> torch.Tensor | None:
    """Return a value with its dimensions in the target's order, or None if the sizes do not fit."""
    value, size = draw.value, tuple(draw.value.shape)
    if sorted(size) != sorted(shape):
        if value.numel() == prod(shape):
            return value.reshape(shape)
        return None if draw.onto is None or onto is None else _padded(value, draw.onto, onto)
    possible = permutations(range(len(size)))
    orders = [order for order in possible if tuple(size[n] for n in order) == shape]
    if len(orders) > 1 and draw.onto is not None and onto is not None:
        other, mine = onto.double(), draw.onto.double()
        return value.permute(min(orders, key=lambda o: float((mine.permute(o) - other).norm())))
    return value.permute(orders[0])


def _padded(value: torch.Tensor, rows: torch.Tensor, onto: torch.Tensor) -> torch.Tensor | None:
    """Return a mask for the rows of a packed sequence, each at its row in the padded one.

    Padding is kept (ones). Returns None if two rows have the same nearest row.
    """
    width = rows.shape[-1]
    if rows.dim() != 2 or onto.shape[-1:] != (width,) or not onto.numel():
        return None
    flat = onto.reshape(-1, width).double()
    places = torch.cdist(rows.double(), flat, compute_mode=_EXACTLY).argmin(1)
    if len(set(places.tolist())) < len(rows):
        return None
    mask = value.new_ones(len(flat), width)
    mask[places] = value
    return mask.reshape(onto.shape)
