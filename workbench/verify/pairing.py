"""Which tensor of a port is which of the original's, for two models that nobody converted.

By name first; then part by part, those that hold tensors of the same roles and shapes in the order
in which they are defined; then tensor by tensor; last tensors that one side keeps as
several. Where more than one order is possible, `candidates` gives them all: running both sides
decides between them, and what running cannot decide is asked for.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from workbench.verify.bound import Pair

if TYPE_CHECKING:
    import torch

    from workbench.targets.port import Held

Shape = tuple[int, ...]
# Counts batches, and decides nothing.
UNPAIRED = "num_batches_tracked"
_LEVEL = re.compile(r"_l\d+$")


@dataclass(frozen=True, slots=True)
class Side:
    """The tensors of one model: their shapes by name, in the order of definition.

    Attributes:
        shapes: by name; a tensor that has several names is there under the first.
        raw: names whose layout is the model's own choice.
    """

    shapes: Mapping[str, Shape]
    raw: frozenset[str] = frozenset()


@dataclass
class Pairing:
    """Pairs, and the names that found no partner."""

    pairs: list[Pair] = field(default_factory=list)
    ours_left: list[str] = field(default_factory=list)
    theirs_left: list[str] = field(default_factory=list)


def side_of_original(model: torch.nn.Module) -> Side:
    """The tensors of a torch model."""
    return Side({name: tuple(t.shape) for name, t in tensors_of(model).items()})


def tensors_of(model: torch.nn.Module) -> dict[str, torch.Tensor]:
    """Parameters and buffers of a torch model by name, each once."""
    both = [*model.named_parameters(), *model.named_buffers()]
    return {name: tensor for name, tensor in both if not name.endswith(UNPAIRED)}


def held_once(held: Mapping[str, Held]) -> dict[str, Held]:
    """A port's tensors by name, each once."""
    seen: set[tuple[int, ...]] = set()
    found = {}
    for name, one in held.items():
        key = tuple(map(id, one.tensors))
        if key not in seen and not name.endswith(UNPAIRED):
            seen.add(key)
            found[name] = one
    return found


def candidates(ours: Side, theirs: Side, given: Sequence[Pair] = ()) -> Iterator[Pairing]:
    """Possible pairings, the likeliest first, none of them twice."""
    seen: list[list[Pair]] = []
    for order in ("defined", "names"):
        pairing = _pairing(ours, theirs, given, order)
        plain = sorted(pairing.pairs, key=str)
        if plain not in seen:
            seen.append(plain)
            yield pairing


def _pairing(ours: Side, theirs: Side, given: Sequence[Pair], order: str) -> Pairing:
    left, right = dict(ours.shapes), dict(theirs.shapes)
    pairs: list[Pair] = []

    def take(pair: Pair | None) -> None:
        if pair is not None:
            pairs.append(pair)
            for name in pair.ours:
                left.pop(name, None)
            for name in pair.theirs:
                right.pop(name, None)

    for pair in given:
        take(pair)
    for name in [name for name in left if name in right]:
        take(_fitting(name, name, ours, theirs, "name"))
    for even in (True, False):  # what one side keeps fused leaves as many of a kind on both
        for a, b in list(_owners(left, right, order)):
            for leaf in _leaves(left, a) if even is _even(left, right, a, b) or not even else ():
                other = _under(b, _role_in(right, b, leaf))
                take(_fitting(_under(a, leaf), other, ours, theirs, "order"))
        for pair in list(_fused(left, right)):
            if left.keys() >= set(pair.ours) and right.keys() >= set(pair.theirs):
                take(pair)
    for a, b in list(_alone(left, right)):
        if a in left and b in right:
            take(_fitting(a, b, ours, theirs, "shape"))
    return Pairing(_decided(pairs, ours, theirs), list(left), list(right))


def _fitting(a: str, b: str, ours: Side, theirs: Side, how: str) -> Pair | None:
    if a not in ours.shapes or b not in theirs.shapes:
        return None
    layout = _layout(ours.shapes[a], theirs.shapes[b])
    return None if layout is None else Pair((a,), (b,), layout, how)


def _layout(ours: Shape, theirs: Shape) -> str | None:
    if ours == theirs:
        return ""
    if len(ours) == 2 and ours[::-1] == theirs:
        return "T"
    if [n for n in ours if n != 1] == [n for n in theirs if n != 1]:
        return "view"
    return None


def _decided(pairs: list[Pair], ours: Side, theirs: Side) -> list[Pair]:
    """A square matrix of a class that keeps others of its matrices transposed is so as well."""
    turned = {_role(pair.theirs[0]) for pair in pairs if pair.layout == "T"}
    straight = {
        _role(pair.theirs[0])
        for pair in pairs
        if not pair.layout and len(set(ours.shapes.get(pair.ours[0], ()))) > 1
    }
    found = []
    for pair in pairs:
        shape = ours.shapes.get(pair.ours[0], ())
        square = len(shape) == 2 and shape[0] == shape[1] and not pair.layout
        role = _role(pair.theirs[0])
        if square and pair.theirs[0] in theirs.raw and role in turned - straight:
            pair = Pair(pair.ours, pair.theirs, "T", pair.how)
        found.append(pair)
    return found


# Parts --------------------------------------------------------------------------------------------


def _owners(
    left: Mapping[str, Shape], right: Mapping[str, Shape], order: str
) -> Iterator[tuple[str, str]]:
    """Parts of both sides that hold tensors of the same roles and shapes, pair by pair."""
    kinds: dict[object, tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
    for index, names in enumerate((left, right)):
        for owner in dict.fromkeys(name.rpartition(".")[0] for name in names):
            kinds[_kind(names, owner)][index].append(owner)
    for mine, other in kinds.values():
        if order == "names":
            yield from _by_name(mine, other)
        elif len(mine) == len(other):
            yield from zip(mine, other, strict=True)
        else:
            yield from _by_name(mine, other)


def _even(left: Mapping[str, Shape], right: Mapping[str, Shape], a: str, b: str) -> bool:
    """Whether both sides have as many parts of the kind of these two."""
    counts = []
    for names, owner in ((left, a), (right, b)):
        owners = dict.fromkeys(name.rpartition(".")[0] for name in names)
        kind = _kind(names, owner)
        counts.append(sum(_kind(names, one) == kind for one in owners))
    return counts[0] == counts[1]


def _kind(names: Mapping[str, Shape], owner: str) -> object:
    return frozenset(
        (_role(name), tuple(sorted(n for n in shape if n != 1)))
        for name, shape in names.items()
        if name.rpartition(".")[0] == owner
    )


def _by_name(mine: list[str], other: list[str]) -> Iterator[tuple[str, str]]:
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


def _leaves(names: Mapping[str, Shape], owner: str) -> list[str]:
    return [n.rpartition(".")[2] for n in list(names) if n.rpartition(".")[0] == owner]


def _role_in(names: Mapping[str, Shape], owner: str, leaf: str) -> str:
    """The tensor of a part that plays the same role."""
    wanted = _role(leaf)
    return next((own for own in _leaves(names, owner) if _role(own) == wanted), leaf)


def _role(name: str) -> str:
    """What a tensor is to its part, whatever the part's author calls it."""
    leaf = _LEVEL.sub("", name.rpartition(".")[2]).lower()
    return {"w": "weight", "b": "bias", "gamma": "weight", "beta": "bias", "scale": "weight",
            "kernel": "weight", "shift": "bias", "g": "weight"}.get(leaf, leaf)  # fmt: skip


def _under(owner: str, leaf: str) -> str:
    return f"{owner}.{leaf}" if owner else leaf


# Single tensors -----------------------------------------------------------------------------------


def _alone(left: Mapping[str, Shape], right: Mapping[str, Shape]) -> Iterator[tuple[str, str]]:
    """Tensors that share a shape with as many of the other side, in order; then single ones."""
    for roles in (True, False):
        kinds: dict[object, tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
        for index, names in enumerate((left, right)):
            for name, shape in names.items():
                key = tuple(sorted(n for n in shape if n != 1))
                kinds[(_role(name) if roles else "", key)][index].append(name)
        for mine, other in kinds.values():
            if len(mine) == len(other):
                yield from _by_name(mine, other) if not roles else zip(mine, other, strict=True)


def _fused(left: Mapping[str, Shape], right: Mapping[str, Shape]) -> Iterator[Pair]:
    """One tensor of one side as consecutive ones of the other, laid along the first dimension."""
    for mine, other, turned in ((left, right, False), (right, left, True)):
        for name, shape in mine.items():
            parts = _parts(name, shape, other)
            if parts:
                yield (
                    Pair(parts, (name,), how="parts")
                    if turned
                    else Pair((name,), parts, how="parts")
                )


def _parts(name: str, shape: Shape, others: Mapping[str, Shape]) -> tuple[str, ...]:
    role = _role(name).rpartition("_")[2]
    same = [n for n, s in others.items() if s[1:] == shape[1:] and _role(n).endswith(role) and s]
    same = sorted(same, key=lambda n: -_depth(name, n))
    for count in (2, 3, 4):
        for start in range(len(same) - count + 1):
            run = _attention_order(same[start : start + count])
            if shape and sum(others[n][0] for n in run) == shape[0]:
                return tuple(run)
    return ()


def _depth(a: str, b: str) -> float:
    """How much of two paths is the same."""
    return SequenceMatcher(None, _words(a)[:-1], _words(b)[:-1]).ratio()


def _attention_order(names: list[str]) -> list[str]:
    """Queries, keys, values: the order in which projections are fused."""

    def place(name: str) -> int:
        word = next((w for w in reversed(_words(name)[:-1]) if w[0] in "qkv" and w != "proj"), "")
        return "qkv".index(word[0]) if word else 3

    return sorted(names, key=place)
