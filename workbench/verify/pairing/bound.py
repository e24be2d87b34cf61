"""Tensors of an original bound to those of a port, read and written in one layout."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import torch

from workbench.errors import TorchferryError
from workbench.verify.pairing.layout import COLUMNS, SAME, STACKED_TRANSPOSED, SUM, Kind, Layout

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from workbench.targets.port import PortTensor


@dataclass(frozen=True, slots=True)
class Pair:
    """Corresponding tensors of the two models.

    One side has a single name. If the other has several, these are its parts along the first
    dimension (each transposed for TRANSPOSED), along the second for COLUMNS, or its summands. If
    both sides have several, the port keeps a stack of each part of the original's tensor.
    """

    ours: tuple[str, ...]
    theirs: tuple[str, ...]
    layout: Layout = SAME
    how: str = "name"

    @property
    def name(self) -> str:
        """The original's name, used in messages."""
        return " + ".join(self.ours)

    @property
    def axis(self) -> int:
        """The dimension along which its parts are concatenated."""
        return 1 if self.layout == COLUMNS else 0

    def __str__(self) -> str:
        port = " + ".join(self.theirs)
        return f"{self.name}={port}" + (f":{self.layout}" if self.layout != SAME else "")


@dataclass(frozen=True, slots=True)
class Bound:
    """A pair with its live tensors."""

    pair: Pair
    sources: tuple[torch.Tensor, ...]
    held: tuple[PortTensor, ...]
    shape: tuple[int, ...]

    def value(self) -> torch.Tensor:
        """Return the original's value."""
        return self._whole([source.detach() for source in self.sources])

    def read(self) -> torch.Tensor:
        """Return the port's value in the original's layout."""
        return self._back([held.read() for held in self.held])

    def carry(self) -> None:
        """Copy the original's value to the port."""
        self.write(self.value())

    def write(self, value: torch.Tensor) -> None:
        """Write a value in the original's layout to the port."""
        sizes = [held.read().shape for held in self.held]
        for held, part, size in zip(self.held, self._parts(value, sizes), sizes, strict=True):
            held.write(part.reshape(size).contiguous())

    def _parts(self, whole: torch.Tensor, sizes: Sequence[torch.Size]) -> Sequence[torch.Tensor]:
        """Return the original's value split and laid out as the port keeps it."""
        several, layout = len(sizes) > 1, self.pair.layout
        if layout.is_stack:
            if len(self.sources) == 1 and len(sizes[0]) > whole.dim():
                return self._in_blocks(whole, sizes)
            if len(self.sources) > 1:
                # A matrix of the stack may consist of several with their rows concatenated.
                whole = whole.reshape(sizes[0][0], -1, *self.sources[0].shape[1:])
            if layout == STACKED_TRANSPOSED:
                whole = whole.transpose(1, 2)
            if several and len(self.sources) > 1:
                return torch.split(whole, [size[1] for size in sizes], 1)
            return whole.unbind(0) if several else (whole,)
        if layout.is_transposed:
            whole = whole.flatten(1).t()
            along = int(sizes[0][-1] != whole.shape[1])
            return (
                torch.split(whole, [size[along] for size in sizes], along) if several else (whole,)
            )
        if layout.kind is Kind.CHANNELS_LAST:
            whole = whole.reshape(len(whole), layout.channels, -1).transpose(1, 2).flatten(1)
        if layout.kind is Kind.PERMUTED:
            whole = whole.reshape(self._bare).permute(layout.axes)
        if not several:
            return (whole,)
        if self.pair.axis:
            return torch.split(whole, [size[1] for size in sizes], 1)
        return torch.split(whole.flatten(), [size.numel() for size in sizes])

    def _in_blocks(
        self, whole: torch.Tensor, sizes: Sequence[torch.Size]
    ) -> Sequence[torch.Tensor]:
        """Return the rows of one matrix in blocks, such as those of attention heads."""
        count, width = sizes[0][0], whole.shape[1]
        rows = torch.split(whole, [size.numel() // width for size in sizes])
        blocks = [part.reshape(count, -1, width) for part in rows]
        turned = self.pair.layout == STACKED_TRANSPOSED
        return [block.transpose(1, 2) if turned else block for block in blocks]

    def of(self, found: Mapping[str, torch.Tensor | None], before: str = "") -> torch.Tensor | None:
        """Return the original's entry of a mapping by names, such as gradients, or None.

        `before` is a prefix of the keys.
        """
        parts = [found.get(before + name) for name in self.pair.ours]
        given = [part for part in parts if part is not None]
        if self.pair.layout == SUM or not given:
            return self._whole(given) if given else None
        # An expert that got no tokens has no gradient.
        both = zip(parts, self.sources, strict=True)
        return self._whole([torch.zeros_like(own) if p is None else p for p, own in both])

    def read_gradient(self) -> torch.Tensor | None:
        """Return the port's gradient in the original's layout, or None."""
        grads = [grad for held in self.held if (grad := held.gradient()) is not None]
        return self._back(grads) if len(grads) == len(self.held) else None

    def moment(self, optimizer: torch.optim.Optimizer, name: str) -> torch.Tensor | None:
        """Return the state named `name` of the original's optimizer for this tensor, or None."""
        kept = [optimizer.state[source].get(name) for source in self.sources]
        parts = [one for one in kept if isinstance(one, torch.Tensor)]
        return self._whole(parts).detach().clone() if self._enough(parts) else None

    def read_moment(self, optimizer: Any, name: str) -> torch.Tensor | None:
        """Return the port's optimizer state in the original's layout, or None."""
        parts = [part for held in self.held if (part := held.moment(optimizer, name)) is not None]
        return self._back(parts) if len(parts) == len(self.held) else None

    def fold(self) -> None:
        """Put the sum of several summands into the first one, and freeze the others at zero.

        Otherwise each summand would be trained, while the port trains one tensor.
        """
        if self.pair.layout == SUM:
            with torch.no_grad():
                self.sources[0].copy_(self.value())
                for other in self.sources[1:]:
                    other.zero_()
                    other.requires_grad_(False)

    def _whole(self, parts: Sequence[torch.Tensor]) -> torch.Tensor:
        return torch.stack(list(parts)).sum(0) if self.pair.layout == SUM else self._joined(parts)

    def _enough(self, parts: Sequence[torch.Tensor]) -> bool:
        """Return whether these are the values of all sources; for a sum the first one suffices."""
        return len(parts) == len(self.sources) or (self.pair.layout == SUM and bool(parts))

    def _joined(self, parts: Sequence[torch.Tensor]) -> torch.Tensor:
        return parts[0] if len(parts) == 1 else torch.cat(list(parts), self.pair.axis)

    def _blocks(self, parts: Sequence[torch.Tensor]) -> bool:
        """Return whether the port keeps rows of one matrix in blocks."""
        return parts[0].dim() > self.sources[0].dim()

    @property
    def _bare(self) -> list[int]:
        """The original's dimensions without those of size 1."""
        return [size for size in self.shape if size != 1]

    def _back(self, parts: Sequence[torch.Tensor]) -> torch.Tensor:
        layout = self.pair.layout
        if len(self.sources) == 1 and layout.is_stack and self._blocks(parts):
            turned = layout == STACKED_TRANSPOSED
            blocks = [part.transpose(1, 2) if turned else part for part in parts]
            return torch.cat([block.flatten(0, 1) for block in blocks]).reshape(self.shape)
        if layout.is_transposed:
            along = int(parts[0].shape[-1] != self.shape[0])
            whole = torch.cat(list(parts), along) if len(parts) > 1 else parts[0].flatten(0, -2)
            return whole.t().reshape(self.shape)
        if layout.is_stack and len(parts) > 1:
            join = torch.stack if len(self.sources) == 1 else partial(torch.cat, dim=1)
            whole = join(list(parts))
        elif len(parts) > 1 and layout == SAME:
            whole = torch.cat([part.flatten() for part in parts])
        else:
            whole = self._joined(parts)
        if layout == STACKED_TRANSPOSED:
            whole = whole.transpose(1, 2)
        elif layout.kind is Kind.CHANNELS_LAST:
            whole = whole.reshape(len(whole), -1, layout.channels).transpose(1, 2).flatten(1)
        elif layout.kind is Kind.PERMUTED:
            sizes = [self._bare[axis] for axis in layout.axes]
            back = [layout.axes.index(axis) for axis in range(len(sizes))]
            whole = whole.reshape(sizes).permute(back)
        return whole.reshape(self.shape)


def bind(
    pairs: Sequence[Pair], ours: Mapping[str, torch.Tensor], theirs: Mapping[str, PortTensor]
) -> list[Bound]:
    """Return the pairs bound to the live tensors of two models.

    Raises:
        TorchferryError: a model does not have one of the names.
    """
    found = []
    for pair in pairs:
        for names, known, side in ((pair.ours, ours, "original"), (pair.theirs, theirs, "port")):
            for name in names:
                if name not in known:
                    raise TorchferryError(
                        f"--map {pair}: the {side} has no {name}; it has {', '.join(known)}"
                    )
        sources = tuple(ours[name] for name in pair.ours)
        held = tuple(theirs[name] for name in pair.theirs)
        summed = pair.layout == SUM
        shape = tuple(sources[0].shape) if summed else _joined_shape(sources, pair.axis)
        found.append(Bound(pair, sources, held, shape))
    return found


def _joined_shape(parts: Sequence[torch.Tensor], axis: int) -> tuple[int, ...]:
    shape = list(parts[0].shape)
    if len(parts) > 1:
        shape[axis] = sum(part.shape[axis] for part in parts)
    return tuple(shape)
