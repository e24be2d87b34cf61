"""Pairing of tensors by value: both models loaded the same files, or were filled equally."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

import torch

from workbench.verify.pairing.bound import Pair
from workbench.verify.pairing.layout import SAME, TRANSPOSED, Layout


def equal_values(
    ours: Mapping[str, torch.Tensor],
    theirs: Mapping[str, torch.Tensor],
    raw: frozenset[str],
    tables: frozenset[str] = frozenset(),
) -> Iterator[Pair]:
    """Yield pairs of tensors with equal values that have no other equal partner.

    A matrix in `raw` may be the transpose. Tensors in `tables` may differ by rounding. Constants
    are left out, as they match by chance.
    """
    found: dict[str, list[tuple[str, Layout]]] = defaultdict(list)
    claims: dict[str, int] = defaultdict(int)
    kinds: dict[object, list[str]] = defaultdict(list)
    for name, value in theirs.items():
        kinds[_key(value)].append(name)
        if name in tables:
            kinds[value.shape].append(name)
    for name, value in ours.items():
        if value.numel() < 2 or bool((value == value.flatten()[0]).all()):
            continue
        computed = kinds[value.shape] if name in tables else []
        for other in dict.fromkeys([*kinds[_key(value)], *computed]):
            layout = _layout(value, theirs[other], other in raw)
            if layout is None and other in computed and alike(value, theirs[other]):
                layout = SAME
            if layout is not None:
                found[name].append((other, layout))
                claims[other] += 1
    for name, partners in found.items():
        if len(partners) == 1 and claims[partners[0][0]] == 1:
            other, layout = partners[0]
            yield Pair((name,), (other,), layout, "value")


def alike(ours: torch.Tensor, theirs: torch.Tensor) -> bool:
    """Return whether a table is equal on both sides up to rounding."""
    a, b = ours.detach().double(), theirs.detach().double()
    return a.shape == b.shape and torch.allclose(a, b, rtol=1e-4, atol=1e-5, equal_nan=True)


def _key(value: torch.Tensor) -> object:
    """Return what equal tensors share in any layout: sorted shape, minimum and maximum."""
    flat = value.detach().flatten().float()
    ends = (float(flat.min()), float(flat.max())) if flat.numel() else ()
    return tuple(sorted(value.shape)), ends


def _layout(ours: torch.Tensor, theirs: torch.Tensor, raw: bool) -> Layout | None:
    ours, theirs = ours.detach(), theirs.detach().to(ours.dtype)
    if torch.equal(ours, theirs):
        return SAME
    return TRANSPOSED if raw and ours.dim() == 2 and torch.equal(ours.t(), theirs) else None
