"""Tensors of an original bound to those of a port: read and written in one layout."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import torch

from workbench.errors import TorchferryError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from workbench.targets.port import Held


# One tensor of the port stands for several that the original only ever adds, as its two biases of a
# recurrent layer.
SUM = "sum"
# How a port may keep a tensor: as torch does; transposed; with the same elements in other
# dimensions; as a matrix of all but the first dimension, transposed; matrices apart or stacked
# along a dimension of their own, or one in blocks of its rows, as they are or transposed; a matrix
# apart or whole, whose parts lie beside each other and not beneath; as the sum of several.
LAYOUTS = ("", "T", "view", "flatT", "stack", "stackT", "columns", SUM)
# A matrix behind images that the port flattens with their channels last: `last16` of 16 channels.
LAST = "last"
# Dimensions in another order: `axes201` of three that are no ones.
AXES = "axes"


@dataclass(frozen=True, slots=True)
class Pair:
    """Which tensors of the two models are one and the same.

    One of the two sides has a single name; where the other has several, they are its parts along
    the first dimension (transposed each with `T`), along the second as `columns`, or what it is
    the sum of. Where both have several, the port keeps a `stack` of each part of the original's.
    `layout` says how the port keeps it: one of `LAYOUTS`, `LAST` with the number of channels, or
    `AXES` with theirs.
    """

    ours: tuple[str, ...]
    theirs: tuple[str, ...]
    layout: str = ""
    how: str = "name"

    @property
    def name(self) -> str:
        """What it is called in messages: the original's name."""
        return " + ".join(self.ours)

    @property
    def axis(self) -> int:
        """The dimension along which its parts lie."""
        return 1 if self.layout == "columns" else 0

    def __str__(self) -> str:
        port = " + ".join(self.theirs)
        return f"{self.name}={port}" + (f":{self.layout}" if self.layout else "")


@dataclass(frozen=True, slots=True)
class Bound:
    """A pair with its live tensors."""

    pair: Pair
    sources: tuple[torch.Tensor, ...]
    held: tuple[Held, ...]
    shape: tuple[int, ...]

    def value(self) -> torch.Tensor:
        """The original's value."""
        return self._whole([source.detach() for source in self.sources])

    def read(self) -> torch.Tensor:
        """The port's value in the original's layout."""
        return self._back([held.read() for held in self.held])

    def carry(self) -> None:
        """Give the port the original's value."""
        self.write(self.value())

    def write(self, value: torch.Tensor) -> None:
        """Give the port a value in the original's layout."""
        sizes = [held.read().shape for held in self.held]
        for held, part, size in zip(self.held, self._parts(value, sizes), sizes, strict=True):
            held.write(part.reshape(size).contiguous())

    def _parts(self, whole: torch.Tensor, sizes: Sequence[torch.Size]) -> Sequence[torch.Tensor]:
        """A value of the original's as the port keeps it, in as many parts."""
        several = len(sizes) > 1
        if self.pair.layout.startswith("stack"):
            if len(self.sources) == 1 and len(sizes[0]) > whole.dim():
                return self._in_blocks(whole, sizes)
            if len(self.sources) > 1:
                # A matrix of the stack may be several that lie beneath each other.
                whole = whole.reshape(sizes[0][0], -1, *self.sources[0].shape[1:])
            if self.pair.layout == "stackT":
                whole = whole.transpose(1, 2)
            if several and len(self.sources) > 1:
                return torch.split(whole, [size[1] for size in sizes], 1)
            return whole.unbind(0) if several else (whole,)
        if self.pair.layout in ("T", "flatT"):
            whole = whole.flatten(1).t()
            along = int(sizes[0][-1] != whole.shape[1])
            return (
                torch.split(whole, [size[along] for size in sizes], along) if several else (whole,)
            )
        if self.pair.layout.startswith(LAST):
            whole = whole.reshape(len(whole), self._channels, -1).transpose(1, 2).flatten(1)
        if self.pair.layout.startswith(AXES):
            whole = whole.reshape(self._bare).permute(self._axes)
        if not several:
            return (whole,)
        if self.pair.axis:
            return torch.split(whole, [size[1] for size in sizes], 1)
        return torch.split(whole.flatten(), [size.numel() for size in sizes])

    def _in_blocks(
        self, whole: torch.Tensor, sizes: Sequence[torch.Size]
    ) -> Sequence[torch.Tensor]:
        """The rows of one matrix in blocks, as those of the heads of an attention are."""
        count, width = sizes[0][0], whole.shape[1]
        rows = torch.split(whole, [size.numel() // width for size in sizes])
        blocks = [part.reshape(count, -1, width) for part in rows]
        turned = self.pair.layout == "stackT"
        return [block.transpose(1, 2) if turned else block for block in blocks]

    def of(self, found: Mapping[str, torch.Tensor | None], before: str = "") -> torch.Tensor | None:
        """The original's among values by its names, such as gradients; None where it has none.

        `before` is what stands in front of the names.
        """
        parts = [found.get(before + name) for name in self.pair.ours]
        given = [part for part in parts if part is not None]
        if self.pair.layout == SUM or not given:
            return self._whole(given) if given else None
        # Of several experts some may have been asked nothing.
        both = zip(parts, self.sources, strict=True)
        return self._whole([torch.zeros_like(own) if p is None else p for p, own in both])

    def read_gradient(self) -> torch.Tensor | None:
        """The port's gradient in the original's layout; None where it has none."""
        grads = [grad for held in self.held if (grad := held.gradient()) is not None]
        return self._back(grads) if len(grads) == len(self.held) else None

    def moment(self, optimizer: torch.optim.Optimizer, name: str) -> torch.Tensor | None:
        """What the original's optimizer keeps of it; None where it keeps nothing so called."""
        kept = [optimizer.state[source].get(name) for source in self.sources]
        parts = [one for one in kept if isinstance(one, torch.Tensor)]
        return self._whole(parts).detach().clone() if self._enough(parts) else None

    def read_moment(self, optimizer: Any, name: str) -> torch.Tensor | None:
        """What the port's optimizer keeps of it, in the original's layout."""
        parts = [part for held in self.held if (part := held.moment(optimizer, name)) is not None]
        return self._back(parts) if len(parts) == len(self.held) else None

    def fold(self) -> None:
        """Have the first of several that are added do the work of all: the others are still zero.

        Else they would learn beside each other, where the port's one learns alone.
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
        """Whether these are values of all sources; of a sum, the others have none."""
        return len(parts) == len(self.sources) or (self.pair.layout == SUM and bool(parts))

    def _joined(self, parts: Sequence[torch.Tensor]) -> torch.Tensor:
        return parts[0] if len(parts) == 1 else torch.cat(list(parts), self.pair.axis)

    def _blocks(self, parts: Sequence[torch.Tensor]) -> bool:
        """Whether the port keeps rows of the one matrix in blocks."""
        return parts[0].dim() > self.sources[0].dim()

    @property
    def _channels(self) -> int:
        return int(self.pair.layout.removeprefix(LAST))

    @property
    def _axes(self) -> list[int]:
        return [int(axis) for axis in self.pair.layout.removeprefix(AXES)]

    @property
    def _bare(self) -> list[int]:
        """The original's dimensions that are no ones."""
        return [size for size in self.shape if size != 1]

    def _back(self, parts: Sequence[torch.Tensor]) -> torch.Tensor:
        if len(self.sources) == 1 and self.pair.layout.startswith("stack") and self._blocks(parts):
            turned = self.pair.layout == "stackT"
            blocks = [part.transpose(1, 2) if turned else part for part in parts]
            return torch.cat([block.flatten(0, 1) for block in blocks]).reshape(self.shape)
        if self.pair.layout in ("T", "flatT"):
            along = int(parts[0].shape[-1] != self.shape[0])
            whole = torch.cat(list(parts), along) if len(parts) > 1 else parts[0].flatten(0, -2)
            return whole.t().reshape(self.shape)
        if self.pair.layout.startswith("stack") and len(parts) > 1:
            join = torch.stack if len(self.sources) == 1 else partial(torch.cat, dim=1)
            whole = join(list(parts))
        elif len(parts) > 1 and not self.pair.layout:
            whole = torch.cat([part.flatten() for part in parts])
        else:
            whole = self._joined(parts)
        if self.pair.layout == "stackT":
            whole = whole.transpose(1, 2)
        elif self.pair.layout.startswith(LAST):
            whole = whole.reshape(len(whole), -1, self._channels).transpose(1, 2).flatten(1)
        elif self.pair.layout.startswith(AXES):
            sizes = [self._bare[axis] for axis in self._axes]
            back = [self._axes.index(axis) for axis in range(len(sizes))]
            whole = whole.reshape(sizes).permute(back)
        return whole.reshape(self.shape)


def bind(
    pairs: Sequence[Pair], ours: Mapping[str, torch.Tensor], theirs: Mapping[str, Held]
) -> list[Bound]:
    """The pairs with the live tensors of two models.

    Raises:
        TorchferryError: a name is none of the models'.
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
