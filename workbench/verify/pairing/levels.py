"""Pairing of recurrent layers: torch keeps all levels and directions in one, others do not."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping

from workbench.verify.pairing.bound import Pair
from workbench.verify.pairing.layout import SUM
from workbench.verify.pairing.names import by_name

Shape = tuple[int, ...]
_TENSOR = re.compile(
    r"(?:(.*)\.)?(weight_ih|weight_hh|bias_ih|bias_hh|bias)((?:_l\d+)?(_reverse)?)"
)
_BACKWARD = re.compile(r"reverse|backward|(^|[._])bw")
_BIASES = ("bias_ih", "bias_hh")


def recurrent(left: Mapping[str, Shape], right: Mapping[str, Shape], order: str) -> Iterator[Pair]:
    """Yield pairs of levels whose matrices have the same shapes, in order or by name."""
    kinds: dict[object, tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
    ours, theirs = _levels(left), _levels(right)
    for index, (levels, shapes) in enumerate(((ours, left), (theirs, right))):
        for level, tensors in levels.items():
            matrices = shapes[tensors["weight_ih"]], shapes[tensors["weight_hh"]]
            kinds[(*matrices, bool(_BACKWARD.search(level)))][index].append(level)
    for mine, other in kinds.values():
        if len(mine) == len(other):
            pairs = by_name(mine, other) if order == "names" else zip(mine, other, strict=True)
            for a, b in pairs:
                yield from _of_level(ours[a], theirs[b])


def _levels(names: Mapping[str, Shape]) -> dict[str, dict[str, str]]:
    """Return the tensors by level and role, for levels that have both matrices."""
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for name in names:
        match = _TENSOR.fullmatch(name)
        if match:
            found[f"{match[1] or ''}.{match[3]}"][match[2]] = name
    return {level: own for level, own in found.items() if {"weight_ih", "weight_hh"} <= own.keys()}


def _of_level(ours: Mapping[str, str], theirs: Mapping[str, str]) -> Iterator[Pair]:
    for role in ours.keys() & theirs.keys():
        yield Pair((ours[role],), (theirs[role],), how="order")
    if "bias" in theirs and ours.keys() >= set(_BIASES):
        yield Pair(tuple(ours[role] for role in _BIASES), (theirs["bias"],), SUM, "order")
