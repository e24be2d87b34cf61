"""What the names of tensors tell: the role of one, and how alike two are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher

_LEVEL = re.compile(r"_l\d+(_reverse)?$")
_PROJECTION = re.compile(r"w?([qkv])")
_PROJECTIONS = re.compile(r"w?(qkv|kv|qk)")


def by_name(mine: list[str], other: list[str]) -> Iterator[tuple[str, str]]:
    """Partners by likeness of their names, the likeliest first; order decides between equals."""
    rest = list(other)
    likeness = {
        (a, b): _likeness(a, b) - 1e-3 * abs(i - j)
        for i, a in enumerate(mine)
        for j, b in enumerate(rest)
    }
    chosen = {}
    for a, b in sorted(likeness, key=lambda pair: -likeness[pair]):
        if a not in chosen and b in rest:
            chosen[a] = b
            rest.remove(b)
    yield from chosen.items()


def _likeness(a: str, b: str) -> float:
    words_a, words_b = _words(a), _words(b)
    numbers = [w for w in words_a if w.isdigit()] == [w for w in words_b if w.isdigit()]
    initials = sum(x[0] == y[0] for x, y in zip(words_a[::-1], words_b[::-1], strict=False))
    return (
        SequenceMatcher(None, " ".join(words_a), " ".join(words_b)).ratio()
        + numbers
        + (0.3 * initials)
    )


def _words(path: str) -> list[str]:
    return re.findall(r"[a-zA-Z]+|\d+", path.lower())


def role_of(name: str) -> str:
    """What a tensor is to its part, whatever the part's author calls it."""
    leaf = _LEVEL.sub("", name.rpartition(".")[2]).lower()
    return {"w": "weight", "b": "bias", "gamma": "weight", "beta": "bias", "scale": "weight",
            "kernel": "weight", "shift": "bias", "g": "weight"}.get(leaf, leaf)  # fmt: skip


def block_of(name: str) -> str:
    """The part that holds the part that keeps a tensor."""
    return name.rpartition(".")[0].rpartition(".")[0]


def common_path(a: str, b: str) -> float:
    """How much of two paths is the same."""
    return SequenceMatcher(None, _words(a)[:-1], _words(b)[:-1]).ratio()


def attention_order(names: list[str]) -> list[str]:
    """Queries, keys, values: the order in which projections are fused."""

    return sorted(names, key=projection)


def projection(name: str) -> int:
    """0, 1 and 2 for what projects to queries, keys and values; 3 for anything else."""
    found = (_PROJECTION.match(word) for word in reversed(_words(name)[:-1]))
    first = next((match for match in found if match), None)
    return "qkv".index(first[1]) if first else 3


def projections(name: str) -> frozenset[int]:
    """All that the part which keeps a tensor projects to by its name: 1 and 2 for `key_value`."""
    part = name.rpartition(".")[0].rpartition(".")[2]
    letters = (
        match[1] for w in _words(part) if (match := _PROJECTIONS.match(w) or _PROJECTION.match(w))
    )
    return frozenset("qkv".index(letter) for found in letters for letter in found)


def projects_to_several(name: str) -> bool:
    """Whether its name says that a tensor projects to several, such as keys and values."""
    return any(_PROJECTIONS.match(word) for word in _words(name)[:-1])
