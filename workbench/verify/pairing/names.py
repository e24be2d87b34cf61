"""Information in tensor names: the role of a tensor, and the similarity of two names."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

_LEVEL = re.compile(r"_l\d+(_reverse)?$")
_PROJECTION = re.compile(r"w?([qkv])")
_PROJECTIONS = re.compile(r"w?(qkv|kv|qk)")
# Names of several tensors that torch keeps as one, in torch's order: the projections of attention,
# the gates of an LSTM (all, for the input, for the state), the gates of a GRU.
_FUSED = (
    ("q query queries", "k key keys", "v value values"),
    ("wq", "wk", "wv"),
    ("bq", "bk", "bv"),
    ("i input in", "f forget", "g c cell candidate", "o output out"),
    ("ii xi wi", "if xf wf", "ig xg ic xc wg wc", "io xo wo"),
    ("hi ui", "hf uf", "hg hc ug uc", "ho uo"),
    ("r reset", "z update", "n new candidate"),
)


def by_name(mine: list[str], other: list[str]) -> Iterator[tuple[str, str]]:
    """Yield partners by similarity of names, the likeliest first; ties keep the order."""
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
    """Return the canonical role of a tensor in its module, such as "weight" for "gamma"."""
    leaf = _LEVEL.sub("", name.rpartition(".")[2]).lower()
    return {"w": "weight", "b": "bias", "gamma": "weight", "beta": "bias", "scale": "weight",
            "kernel": "weight", "shift": "bias", "g": "weight",
            "moving_mean": "running_mean", "moving_var": "running_var",
            "moving_variance": "running_var"}.get(leaf, leaf)  # fmt: skip


def block_of(name: str) -> str:
    """Return the path of the module that contains the tensor's module."""
    return name.rpartition(".")[0].rpartition(".")[0]


def common_path(a: str, b: str) -> float:
    """Return the similarity of two module paths, from 0 to 1."""
    return SequenceMatcher(None, _words(a)[:-1], _words(b)[:-1]).ratio()


def attention_order(names: list[str]) -> list[str]:
    """Sort projections in the order in which torch fuses them: queries, keys, values."""

    return sorted(names, key=projection)


def projection(name: str) -> int:
    """Return 0, 1 or 2 for a projection to queries, keys or values, and 3 for any other name."""
    found = (_PROJECTION.match(word) for word in reversed(_words(name)[:-1]))
    first = next((match for match in found if match), None)
    return "qkv".index(first[1]) if first else 3


def named_runs(names: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield names that differ in a word of `_FUSED`, in torch's order.

    With numbered heads, the queries of all heads come first.
    """
    for kinds in ([one.split() for one in kinds] for kinds in _FUSED):
        groups: dict[str, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
        for name in names:
            for word in re.finditer(r"[a-z]+", name.lower()):
                kind = next((n for n, one in enumerate(kinds) if word[0] in one), None)
                if kind is not None:
                    around = f"{name[: word.start()]}@{name[word.end() :]}"
                    for key in {around, re.sub(r"\d+(?=\D*$)", "#", around)}:
                        groups[key][kind].append(name)
        for found in groups.values():
            if len(found) == len(kinds) and len({len(several) for several in found.values()}) == 1:
                yield tuple(name for kind in sorted(found) for name in found[kind])


def projections(name: str) -> frozenset[int]:
    """Return all projections in the name of a tensor's module, such as 1 and 2 for `key_value`."""
    part = name.rpartition(".")[0].rpartition(".")[2]
    letters = (
        match[1] for w in _words(part) if (match := _PROJECTIONS.match(w) or _PROJECTION.match(w))
    )
    return frozenset("qkv".index(letter) for found in letters for letter in found)


def projects_to_several(name: str) -> bool:
    """Return whether a name means several projections, such as keys and values."""
    return any(_PROJECTIONS.match(word) for word in _words(name)[:-1])
