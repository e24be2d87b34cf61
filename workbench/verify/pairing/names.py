"""What the names of tensors tell: the role of one, and how alike two are."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

_LEVEL = re.compile(r"_l\d+(_reverse)?$")
_PROJECTION = re.compile(r"w?([qkv])")
_PROJECTIONS = re.compile(r"w?(qkv|kv|qk)")
# What several tensors are called that torch keeps as one, in its order: the projections of an
# attention, the gates of an LSTM (as a whole, of its inputs, of its states), those of a GRU.
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
            "kernel": "weight", "shift": "bias", "g": "weight",
            "moving_mean": "running_mean", "moving_var": "running_var",
            "moving_variance": "running_var"}.get(leaf, leaf)  # fmt: skip


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


def named_runs(names: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Names that differ in a word for what torch keeps as one, in the order in which it does.

    Of heads that the last number tells apart, the queries of all come first.
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
    """All that the part which keeps a tensor projects to by its name: 1 and 2 for `key_value`."""
    part = name.rpartition(".")[0].rpartition(".")[2]
    letters = (
        match[1] for w in _words(part) if (match := _PROJECTIONS.match(w) or _PROJECTION.match(w))
    )
    return frozenset("qkv".index(letter) for found in letters for letter in found)


def projects_to_several(name: str) -> bool:
    """Whether its name says that a tensor projects to several, such as keys and values."""
    return any(_PROJECTIONS.match(word) for word in _words(name)[:-1])
