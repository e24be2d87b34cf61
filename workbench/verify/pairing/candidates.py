"""Possible pairings of a port's tensors with the original's, for models that nobody converted.

Tensors are paired by name first; then module by module, if they hold tensors of the same roles and
shapes, in the order of definition or of use; then one by one; last where one side splits a tensor.
If several orders are possible, `candidates` yields each of them. A run of both sides decides, and
the user is asked about what a run cannot decide.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from workbench.verify.pairing.aligned import aligned
from workbench.verify.pairing.bound import Pair
from workbench.verify.pairing.layout import (
    FLAT_TRANSPOSED,
    RESHAPED,
    SAME,
    TRANSPOSED,
    Kind,
    Layout,
)
from workbench.verify.pairing.levels import recurrent
from workbench.verify.pairing.names import (
    block_of,
    by_name,
    role_of,
)
from workbench.verify.pairing.singly import (
    PartsOf,
    Shape,
    alone,
    by_size,
    cut_and_stacked,
    fused,
    in_blocks,
    nearest_pairs,
    nearness,
    parts,
    stacked,
)

if TYPE_CHECKING:
    import torch

    from workbench.targets.port import PortTensor

# A counter of batches, which does not affect results.
UNPAIRED = "num_batches_tracked"


@dataclass(frozen=True, slots=True)
class Side:
    """The tensors of one model: their shapes by name, in the order of definition.

    Attributes:
        shapes: by name; a tensor with several names has the first one.
        raw: names whose layout is the model's own choice.
        tables: names of tensors that are not trained.
        embeddings: names of embedding weights, whose shape may equal that of an output head.
        used: names in the order in which a forward pass first uses them, if known.
    """

    shapes: Mapping[str, Shape]
    raw: frozenset[str] = frozenset()
    tables: frozenset[str] = frozenset()
    embeddings: frozenset[str] = frozenset()
    used: tuple[str, ...] = ()

    def as_used(self) -> Side:
        """Return a copy with the tensors in the order of use; unused ones come last."""
        order = dict.fromkeys((*self.used, *self.shapes))
        return replace(self, shapes={n: self.shapes[n] for n in order if n in self.shapes})


@dataclass
class Pairing:
    """Pairs, the names without a partner, and an equally likely alternative if there is one.

    `order` is the one that paired tensors of one shape: `defined`, `names` or `used`.
    """

    pairs: list[Pair] = field(default_factory=list)
    ours_left: list[str] = field(default_factory=list)
    theirs_left: list[str] = field(default_factory=list)
    order: str = ""
    instead: list[Pair] = field(default_factory=list)

    @property
    def doubtful(self) -> list[tuple[Pair, Pair]]:
        """The pairs in which the alternative differs, each with the alternative's pair."""
        others = {pair.theirs: pair for pair in self.instead}
        both = ((pair, others.get(pair.theirs)) for pair in self.pairs)
        return [(pair, other) for pair, other in both if other and str(other) != str(pair)]

    @property
    def left(self) -> int:
        """The number of tensors of either side without a partner."""
        return len(self.ours_left) + len(self.theirs_left)

    @property
    def block_pairs(self) -> int:
        """The number of block pairs that the tensors are spread over; few if they follow the
        structure.
        """
        return len({(block_of(p.ours[0]), block_of(p.theirs[0])) for p in self.pairs})


def side_of_original(model: torch.nn.Module) -> Side:
    """Return the tensors of a torch model."""
    shapes = {name: tuple(t.shape) for name, t in tensors_of(model).items()}
    owners = {name: model.get_submodule(name.rpartition(".")[0]) for name in shapes}
    tables = frozenset(name for name, _ in model.named_buffers())
    return Side(shapes, tables=tables, embeddings=embeddings_among(owners))


def embeddings_among(owners: Mapping[str, object]) -> frozenset[str]:
    """Return the names whose owners are embeddings of a framework."""
    kinds = {name: type(owner).__mro__ for name, owner in owners.items()}
    return frozenset(n for n, mro in kinds.items() if any(c.__name__ == "Embedding" for c in mro))


def tensors_of(model: torch.nn.Module) -> dict[str, torch.Tensor]:
    """Return parameters and buffers of a torch model by name, each once.

    Complex tables are left out: a port splits them in two or computes its own.
    """
    tables = [(name, buffer) for name, buffer in model.named_buffers() if not buffer.is_complex()]
    both = [*model.named_parameters(), *tables]
    return {name: tensor for name, tensor in both if not name.endswith(UNPAIRED)}


def held_once(held: Mapping[str, PortTensor]) -> dict[str, PortTensor]:
    """Return a port's tensors by name, each once."""
    seen: set[tuple[int, ...]] = set()
    found = {}
    for name, one in held.items():
        key = tuple(map(id, one.tensors))
        if key not in seen and not name.endswith(UNPAIRED):
            seen.add(key)
            found[name] = one
    return found


def candidates(ours: Side, theirs: Side, given: Sequence[Pair] = ()) -> Iterator[Pairing]:
    """Yield possible pairings without duplicates, the likeliest first.

    The `order` of a pairing that several orders give is the last of them.
    """
    seen: dict[frozenset[str], Pairing] = {}
    for pairing in _in_all_orders(ours, theirs, given):
        known = seen.setdefault(frozenset(map(str, pairing.pairs)), pairing)
        if known is pairing:
            yield pairing
        known.order = pairing.order


def flattened_last(pairing: Pairing, ours: Side) -> Pairing | None:
    """Return the pairing for a port that flattens images channels last, or None if nothing changes.

    It affects the first matrix after a convolution that takes several numbers per channel.
    """
    pairs = {pair.ours: pair for pair in pairing.pairs}
    channels, changed = 0, False
    for name, shape in ours.shapes.items():
        if len(shape) in (4, 5):
            channels = shape[0]
        elif len(shape) == 2 and channels and (name,) in pairs:
            pair = pairs[(name,)]
            if pair.layout == SAME and shape[1] > channels and shape[1] % channels == 0:
                pairs[(name,)] = replace(pair, layout=Layout(Kind.CHANNELS_LAST, channels))
                changed = True
            channels = 0
    return replace(pairing, pairs=list(pairs.values())) if changed else None


def _in_all_orders(ours: Side, theirs: Side, given: Sequence[Pair]) -> Iterator[Pairing]:
    for order in ("defined", "names"):
        yield _pairing(ours, theirs, given, order)
    if within := _within_parts(ours, theirs, given):
        yield _pairing(ours, theirs, [*given, *within], "defined")
    if ours.used and theirs.used:
        first, second = ours.as_used(), theirs.as_used()
        for named in (True, False):  # equal names may mean different tensors
            yield _pairing(first, second, given, "used", named=named)
        yield _pairing(first, second, [*given, *_along(first, second, given)], "used")


def _within_parts(ours: Side, theirs: Side, given: Sequence[Pair]) -> list[Pair]:
    """Pair layers that have siblings of their kind by the module of a layer that is unique.

    Of two heads with the same layers, a unique last layer shows which is which. Lists keep their
    order.
    """
    taken = _taken(given)
    sides = [
        {name: shape for name, shape in side.shapes.items() if name not in taken}
        for side in (ours, theirs)
    ]
    kinds = _kinds(sides[0], sides[1])
    single = [(*mine, *other) for mine, other in kinds if len(mine) == len(other) == 1]
    near = nearness([*given, *(pair for a, b in single for pair in _of_parts(a, b, ours, theirs))])
    found: list[Pair] = []
    for mine, other in kinds:
        groups: dict[tuple[str, ...], list[str]] = defaultdict(list)
        for a in mine if len(mine) == len(other) > 1 else ():
            depths = {b: near(_under(a, "*"), _under(b, "*")) for b in other}
            deepest = max(depths.values())
            groups[tuple(b for b in other if deepest and depths[b] == deepest)].append(a)
        for partners, group in groups.items():
            if len(partners) == len(group) and all(map(_is_list, (group, partners))):
                for a, b in zip(group, partners, strict=True):
                    found += _of_parts(a, b, ours, theirs)
    return found


def _taken(given: Sequence[Pair]) -> set[str]:
    """Return the names of either side that are already paired."""
    return {name for pair in given for name in (*pair.ours, *pair.theirs)}


def _of_parts(a: str, b: str, ours: Side, theirs: Side) -> list[Pair]:
    """Pair the tensors of one module of either side by role."""
    leaves = ((leaf, _role_in(theirs.shapes, b, leaf)) for leaf in _leaves(ours.shapes, a))
    pairs = (_fitting(_under(a, x), _under(b, y), ours, theirs, "order") for x, y in leaves)
    return [pair for pair in pairs if pair is not None]


def _is_list(names: Sequence[str]) -> bool:
    """Return whether names differ only in a number."""
    return len({re.sub(r"(?<=\.)\d+(?=\.|$)", "#", name) for name in names}) == 1


def _along(ours: Side, theirs: Side, given: Sequence[Pair]) -> list[Pair]:
    """Pair the trained tensors of both sides by the order of use alone."""
    taken = _taken(given)
    left, right = (
        {n: s for n, s in side.shapes.items() if n not in side.tables and n not in taken}
        for side in (ours, theirs)
    )
    return aligned(left, right, lambda a, b: _layout(left[a], right[b]))


def _pairing(
    ours: Side, theirs: Side, given: Sequence[Pair], order: str, *, named: bool = True
) -> Pairing:
    rest = _Unpaired(ours, theirs, order)
    for pair in given:
        rest.take(pair)
    if named:
        rest.pair_by_name()
    rest.pair_embeddings()
    rest.pair_recurrent()
    rest.pair_parts(even=True)  # a fused layer on one side leaves equally many of a kind on both
    rest.pair_near(by_size)
    rest.pair_parts(even=False)
    rest.pair_parts(even=True, flat=True)
    rest.pair_blocks()
    for _ in ("those of two lists", "what they leave"):
        rest.pair_stacks()
    rest.pair_alone()
    rest.pair_remaining()
    pairs = _decided(rest.pairs, ours, theirs)
    return Pairing(pairs, list(rest.left), list(rest.right), order)


class _Unpaired:
    """Tensors of both sides without a partner, and the pairs so far."""

    def __init__(self, ours: Side, theirs: Side, order: str) -> None:
        self.left, self.right = dict(ours.shapes), dict(theirs.shapes)
        self.pairs: list[Pair] = []
        self._ours, self._theirs = ours, theirs
        self._order = order

    def take(self, pair: Pair | None) -> None:
        if pair is not None:
            self.pairs.append(pair)
            for name in pair.ours:
                self.left.pop(name, None)
            for name in pair.theirs:
                self.right.pop(name, None)

    def _try(self, a: str, b: str, how: str) -> None:
        self.take(_fitting(a, b, self._ours, self._theirs, how))

    def pair_by_name(self) -> None:
        for name in [name for name in self.left if name in self.right]:
            self._try(name, name, "name")

    def pair_embeddings(self) -> None:
        left = {n: s for n, s in self.left.items() if n in self._ours.embeddings}
        right = {n: s for n, s in self.right.items() if n in self._theirs.embeddings}
        if len(left) == len(right):
            for a, b in list(_owners(left, right, self._order)):
                for leaf in _leaves(left, a):
                    self._try(_under(a, leaf), _under(b, leaf), "order")

    def pair_recurrent(self) -> None:
        """Pair recurrent layers level by level; a port may keep the sum of torch's two biases."""
        for pair in list(recurrent(self.left, self.right, self._order)):
            self.take(pair)

    def pair_parts(self, *, even: bool, flat: bool = False) -> None:
        """Pair modules, with `even` only kinds with equal counts; then pair fused tensors."""
        for a, b in list(_owners(self.left, self.right, self._order, flat)):
            if not even or _even(self.left, self.right, a, b, flat):
                for leaf in _leaves(self.left, a):
                    other = _under(b, _role_in(self.right, b, leaf))
                    self._try(_under(a, leaf), other, "order")
        parts_of = partial(parts, in_order=self._order == "used")
        self.pair_near(parts_of)
        for pair in fused(self.left, self.right, parts_of):
            self._take_fused(pair)

    def pair_blocks(self) -> None:
        """Pair matrices that the port's classes keep in blocks, if their neighbours are paired."""
        raw = {name: shape for name, shape in self.right.items() if name in self._theirs.raw}
        for pair in in_blocks(self.left, raw, nearness(self.pairs)):
            self._take_if_left(pair)

    def pair_stacks(self) -> None:
        """Pair matrices that one side keeps in a list and the other in one tensor."""
        for pair in list(stacked(self.left, self.right)):
            self._take_if_left(pair)
        for pair in list(stacked(self.right, self.left)):
            self._take_if_left(replace(pair, ours=pair.theirs, theirs=pair.ours))
        for pair in list(cut_and_stacked(self.left, self.right)):
            self._take_if_left(pair)

    def pair_alone(self) -> None:
        for a, b in list(alone(self.left, self.right, self._order)):
            if a in self.left and b in self.right:
                self._try(a, b, "shape")

    def pair_remaining(self) -> None:
        """Pair fused tensors by size alone, then single ones by name."""
        for pair in fused(self.left, self.right, by_size):
            self._take_fused(pair)
        for a, b in list(alone(self.left, self.right, "names", uneven=True)):
            self._try(a, b, "shape")

    def pair_near(self, parts_of: PartsOf) -> None:
        """Pair tensors that one side splits, if their neighbours are paired."""
        for pair in nearest_pairs(self.left, self.right, parts_of, nearness(self.pairs)):
            self._take_fused(pair)

    def _take_fused(self, pair: Pair) -> None:
        # A table may be computed in any other form.
        if not self._ours.tables.intersection(pair.ours):
            self._take_if_left(pair)

    def _take_if_left(self, pair: Pair) -> None:
        if self.left.keys() >= set(pair.ours) and self.right.keys() >= set(pair.theirs):
            self.take(pair)


def _fitting(a: str, b: str, ours: Side, theirs: Side, how: str) -> Pair | None:
    if a not in ours.shapes or b not in theirs.shapes:
        return None
    if a in ours.tables and b not in theirs.tables:
        return None
    layout = _layout(ours.shapes[a], theirs.shapes[b])
    return None if layout is None else Pair((a,), (b,), layout, how)


def _layout(ours: Shape, theirs: Shape) -> Layout | None:
    if ours == theirs:
        return SAME
    if len(ours) == 2 and ours[::-1] == theirs:
        return TRANSPOSED
    bare, other = _without_ones(ours), _without_ones(theirs)
    if bare == other:
        return RESHAPED
    if len(bare) > 2 and len(set(bare)) == len(bare) and sorted(bare) == sorted(other):
        return Layout(Kind.PERMUTED, axes=tuple(map(bare.index, other)))
    if ours and theirs and 2 in (len(ours), len(theirs)) and len(ours) != len(theirs):
        if _matrix(ours) == _matrix(theirs):
            return RESHAPED
        if len(theirs) == 2 and _matrix(ours)[::-1] == theirs:
            return FLAT_TRANSPOSED
    return None


def _without_ones(shape: Shape) -> Shape:
    return tuple(n for n in shape if n != 1)


def _matrix(shape: Shape) -> Shape:
    """Return the shape with all dimensions but the first merged."""
    return shape if len(shape) < 2 else (shape[0], math.prod(shape[1:]))


def _decided(pairs: list[Pair], ours: Side, theirs: Side) -> list[Pair]:
    """Transpose square matrices if others of their role or module are transposed in the port."""

    def deciders(layout: Layout) -> set[str]:
        found = (p for p in pairs if p.layout == layout and _is_matrix(p, ours.shapes))
        deciding = [p.theirs[0] for p in found if layout != SAME or not _square(p, theirs.shapes)]
        return {role_of(name) for name in deciding} | {_part_of(name) for name in deciding}

    turned = deciders(TRANSPOSED) - deciders(SAME)
    return [
        replace(pair, layout=TRANSPOSED)
        if pair.layout == SAME
        and _is_matrix(pair, ours.shapes)
        and _square(pair, theirs.shapes)
        and theirs.raw.issuperset(pair.theirs)
        and turned & {role_of(pair.theirs[0]), _part_of(pair.theirs[0])}
        else pair
        for pair in pairs
    ]


def _is_matrix(pair: Pair, ours: Mapping[str, Shape]) -> bool:
    return len(ours.get(pair.ours[0], ())) == 2


def _square(pair: Pair, theirs: Mapping[str, Shape]) -> bool:
    """Return whether each of the port's tensors is a square matrix."""
    shapes = [theirs.get(name, ()) for name in pair.theirs]
    return all(len(shape) == 2 and shape[0] == shape[1] for shape in shapes)


def _part_of(name: str) -> str:
    """Return a tensor's module with a final dot, which no role has; "" for the model itself."""
    return f"{name.rpartition('.')[0]}." if "." in name else ""


# Modules ------------------------------------------------------------------------------------------


def _owners(
    left: Mapping[str, Shape], right: Mapping[str, Shape], order: str, flat: bool = False
) -> Iterator[tuple[str, str]]:
    """Yield pairs of modules that hold tensors of the same roles and shapes.

    With `flat`, a convolution of patches counts as a matrix over the flattened patch.
    """
    for mine, other in _kinds(left, right, flat):
        if order == "names":
            yield from by_name(mine, other)
        elif len(mine) == len(other):
            yield from zip(mine, other, strict=True)
        else:
            yield from by_name(mine, other)


def _kinds(
    left: Mapping[str, Shape], right: Mapping[str, Shape], flat: bool = False
) -> list[tuple[list[str], list[str]]]:
    """Return the modules of both sides grouped by the roles and shapes of their tensors."""
    kinds: dict[object, tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
    for index, names in enumerate((left, right)):
        for owner in dict.fromkeys(name.rpartition(".")[0] for name in names):
            kinds[_kind(names, owner, flat)][index].append(owner)
    return list(kinds.values())


def _even(
    left: Mapping[str, Shape], right: Mapping[str, Shape], a: str, b: str, flat: bool
) -> bool:
    """Return whether both sides have equally many modules of the kind of these two."""
    counts = []
    for names, owner in ((left, a), (right, b)):
        owners = dict.fromkeys(name.rpartition(".")[0] for name in names)
        kind = _kind(names, owner, flat)
        counts.append(sum(_kind(names, one, flat) == kind for one in owners))
    return counts[0] == counts[1]


def _kind(names: Mapping[str, Shape], owner: str, flat: bool) -> object:
    def size(shape: Shape) -> Shape:
        return _matrix(_without_ones(shape)) if flat else _without_ones(shape)

    return frozenset(
        (role_of(name), tuple(sorted(size(shape))))
        for name, shape in names.items()
        if name.rpartition(".")[0] == owner
    )


def _leaves(names: Mapping[str, Shape], owner: str) -> list[str]:
    return [n.rpartition(".")[2] for n in list(names) if n.rpartition(".")[0] == owner]


def _role_in(names: Mapping[str, Shape], owner: str, leaf: str) -> str:
    """Return the tensor of a module that has the same role."""
    wanted = role_of(leaf)
    return next((own for own in _leaves(names, owner) if role_of(own) == wanted), leaf)


def _under(owner: str, leaf: str) -> str:
    return f"{owner}.{leaf}" if owner else leaf
