"""Tensors that are the same by value: both models were filled from files, or with equal numbers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

import torch

from workbench.verify.pairing.bound import Pair


def equal_values(
    ours: Mapping[str, torch.Tensor], theirs: Mapping[str, torch.Tensor], raw: frozenset[str]
) -> Iterator[Pair]:
    """Pairs of tensors with equal values, of which either has no other that is equal to it.

    A matrix in `raw` may be the other's transpose. Constants tell nothing.
    """
    found: dict[str, list[tuple[str, str]]] = defaultdict(list)
    claims: dict[str, int] = defaultdict(int)
    kinds: dict[object, list[str]] = defaultdict(list)
    for name, value in theirs.items():
        kinds[_key(value)].append(name)
    for name, value in ours.items():
        if value.numel() < 2 or bool((value == value.flatten()[0]).all()):
            continue
        for other in kinds[_key(value)]:
            layout = _layout(value, theirs[other], other in raw)
            if layout is not None:
                found[name].append((other, layout))
                claims[other] += 1
    for name, partners in found.items():
        if len(partners) == 1 and claims[partners[0][0]] == 1:
            other, layout = partners[0]
            yield Pair((name,), (other,), layout, "value")


def _key(value: torch.Tensor) -> object:
    """What equal tensors share in any layout."""
    flat = value.detach().flatten().float()
    ends = (float(flat.min()), float(flat.max())) if flat.numel() else ()
    return tuple(sorted(value.shape)), ends


def _layout(ours: torch.Tensor, theirs: torch.Tensor, raw: bool) -> str | None:
    ours, theirs = ours.detach(), theirs.detach().to(ours.dtype)
    if torch.equal(ours, theirs):
        return ""
    return "T" if raw and ours.dim() == 2 and torch.equal(ours.t(), theirs) else None
