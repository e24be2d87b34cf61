"""Tensors that are the same by value: both models were filled from files, or with equal numbers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

import torch

from workbench.verify.pairing.bound import Pair


def equal_values(
    ours: Mapping[str, torch.Tensor],
    theirs: Mapping[str, torch.Tensor],
    raw: frozenset[str],
    tables: frozenset[str] = frozenset(),
) -> Iterator[Pair]:
    """Pairs of tensors with equal values, of which either has no other that is equal to it.

    A matrix in `raw` may be the other's transpose. What is in `tables` on either side may have been
    computed otherwise. Constants tell nothing.
    """
    found: dict[str, list[tuple[str, str]]] = defaultdict(list)
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
                layout = ""
            if layout is not None:
                found[name].append((other, layout))
                claims[other] += 1
    for name, partners in found.items():
        if len(partners) == 1 and claims[partners[0][0]] == 1:
            other, layout = partners[0]
            yield Pair((name,), (other,), layout, "value")


def alike(ours: torch.Tensor, theirs: torch.Tensor) -> bool:
    """Whether a table is the same on both sides, which may have computed it otherwise."""
    a, b = ours.detach().double(), theirs.detach().double()
    return a.shape == b.shape and torch.allclose(a, b, rtol=1e-4, atol=1e-5, equal_nan=True)


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
