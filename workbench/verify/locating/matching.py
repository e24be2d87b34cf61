"""Where two traces part: the first operations whose result the other side does not have.

The two models need not be written alike: a value is known again by what does not depend on layout
(its size, its moments), and an operation is right if its result is known on the other side, or
leads to one that is. Where operations that take the same values in the same order give others, or
none does, the values themselves are held together: then one side puts them elsewhere.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from math import prod
from operator import mul

import torch

from workbench.verify.locating.tracing import Step, Trace
from workbench.verify.sides.places import Place

# What is masked by adding a large number, such as -1e4, says nothing but that it is masked.
_MASKED = 5e3
_SMALL = 8  # numbers that agree by chance
_FEW = 2
_MOST_HEADS = 16
_LARGE = 1 << 20  # numbers of a value
_MATRIX = 2  # dimensions
_SCALES = frozenset({"mul", "multiply", "div", "divide", "truediv", "scale"})
# What one side may do to parts, and the other to what these make up.
_IN_ANY_ORDER = frozenset({"sum", "mean", "concat", "cat", "stack"})
_REFLECTED = frozenset({"add", "sub", "pow"})  # `radd` is that of a number before a tensor
_JOINING = re.compile("^(con)?cat(enate)?$|(?<!un)stack$")
_TAKING_PART = re.compile("get_?item|slice|select")
_OF_SHAPE = re.compile("_(like|as)$")
_CLOSE = {torch.float64: 1e-8, torch.float32: 3e-6}
# The name of an operation, its line, and the how-manieth it is of these.
Key = tuple[str, str, int]
# What an operation takes first, its name and its line.
Part = tuple[tuple[int, ...], str, tuple[Place, ...]]


@dataclass(frozen=True, slots=True)
class Parting:
    """The first operation of each side whose result the other does not have.

    `moved` says that the values are the same, and that their places in the tensors differ;
    `all_known` that no other values differ either; `known` are those of the second side that the
    first has as well. `table` is what makes a table of the second side's that the first never has,
    as one that keeps complex numbers does not.
    """

    ours: Step | None
    theirs: Step | None
    moved: bool = False
    all_known: bool = False
    known: set[int] = field(default_factory=set)
    table: Step | None = None


def part(ours: Trace, theirs: Trace, *, aside: bool = False) -> Parting:
    """Where the sides part: on the way to what they give, or aside of it, as buffers are made."""
    known = known_in(theirs, ours), known_in(ours, theirs)
    tables = _of_tables(ours, known[0]), _of_tables(theirs, known[1])

    def firsts(side: int, trace: Trace, right: set[int]) -> list[Step]:
        return _firsts(trace, known[side] | right, _on_the_way(trace, aside), numbers=True)

    mine, others = firsts(0, ours, set()), firsts(1, theirs, set())
    other, table = next(iter(others), None), None
    if other is not None and mine and other.outputs[0] in tables[1]:
        used = firsts(1, theirs, tables[1])
        if used and mine[0].outputs[0] not in tables[0]:
            other, table = used[0], other
    if other is not None and kind_of(other) in _IN_ANY_ORDER:
        paired = (o for o in others if any(_like(step, o, ours, theirs) for step in mine))
        other = next(paired, other)
    if other is not None and theirs.values[other.outputs[0]].numel() == 1:
        # What is a single number may be so by chance: the first that is unknown decides.
        until = next(i for i, step in enumerate(theirs.steps) if step is other)
        other = _first_unknown(theirs.steps[: until + 1], theirs, known[1])
    # A table that only one side slices parts as well, once nothing behind it is known.
    like = [step for step in mine if other is not None and _like(step, other, ours, theirs)]
    found = Parting(next(iter(like or mine), None), other, known=known[1], table=table)
    if (found.ours is None) is not (found.theirs is None):
        return found
    if earlier := _with_its_weight(found, ours, theirs):
        found = replace(found, theirs=earlier)
    exact = _exact_in(theirs, ours, known[0]), _exact_in(ours, theirs, known[1])
    if table is not None:
        exact[1].update(tables[1])
    if found.ours is None or found.theirs is None:
        moved = _first(ours, exact[0]), _first(theirs, exact[1])
        return Parting(*moved, moved=True, all_known=True, known=known[1])
    unlike = _other_than(found.ours, found.theirs, ours, theirs)
    if unlike is None:
        return found
    before = _leading_to({unlike[0]}, ours), _leading_to({unlike[1]}, theirs)
    moved = _first(ours, exact[0], before[0]), _first(theirs, exact[1], before[1])
    return found if moved[1] is None else Parting(*moved, moved=True, known=known[1])


def _of_tables(trace: Trace, known: set[int]) -> set[int]:
    """Values made of nothing, or of what the other side never has, and of nothing else."""
    found = trace.leaves - known - trace.makers().keys()
    for step in trace.steps:
        if found.issuperset(step.inputs) and not known.intersection(step.outputs):
            found.update(step.outputs)
    return found


def _like(mine: Step, other: Step, ours: Trace, theirs: Trace) -> bool:
    """Whether two operations are of one kind, and take the same matrix if both take one."""
    weights = _matrices(mine, ours), _matrices(other, theirs)
    same = not all(weights) or any(alike(a, b) for a in weights[0] for b in weights[1])
    return kind_of(mine) == kind_of(other) and same


def _matrices(step: Step, trace: Trace) -> list[torch.Tensor]:
    leaves = [trace.values[n] for n in step.inputs if n in trace.leaves]
    return [leaf for leaf in leaves if leaf.dim() >= _MATRIX]


def _with_its_weight(found: Parting, ours: Trace, theirs: Trace) -> Step | None:
    """What parts in the second side before its step does: what leads to the first's own weight.

    A value may be taken for right since others hide its fault, as softmax hides what it is moved
    by; the weight of the operation whose result is missing says which of the port's that is.
    """
    if found.ours is None or found.theirs is None:
        return None
    weights = _matrices(found.ours, ours)
    for index, step in enumerate(theirs.steps):
        if step is found.theirs:
            return None
        leaves = [theirs.values[n] for n in step.inputs if n in theirs.leaves]
        if step.outputs[0] not in found.known and any(
            alike(weight, leaf) for weight in weights for leaf in leaves
        ):
            return _first_unknown(theirs.steps[: index + 1], theirs, found.known)
    return None


def _first_unknown(steps: Sequence[Step], trace: Trace, known: set[int]) -> Step:
    """Where that starts to be unknown which leads to the last of some operations."""
    makers = {number: step for step in steps for number in step.outputs}
    last = steps[-1]
    while True:
        made = [makers[n] for n in last.inputs if n in makers and n not in known]
        before = [one for one in made if trace.values[one.outputs[0]].is_floating_point()]
        if not before:
            return last
        last = before[0]


def _other_than(mine: Step, other: Step, ours: Trace, theirs: Trace) -> tuple[int, int] | None:
    """Values of one shape that two operations take, and that differ, if there are such."""
    for number in other.inputs:
        value = theirs.values[number]
        alike = [n for n in mine.inputs if _folds(ours.values[n].shape, value.shape)]
        equal = any(same_places(value, ours.values[n]) for n in alike)
        if value.is_floating_point() and alike and not equal:
            return alike[0], number
    return None


def _on_the_way(trace: Trace, aside: bool) -> set[int] | None:
    """The values that lead to what a pass gives, or all others; None if that is not known."""
    if not trace.ends:
        return None
    found = _leading_to(trace.ends, trace)
    return set(range(len(trace.values))) - found if aside else found


def _leading_to(numbers: set[int], trace: Trace) -> set[int]:
    """The values that some are computed from, and these."""
    found = set(numbers)
    for step in reversed(trace.steps):
        if found & set(step.outputs):
            found |= set(step.inputs)
    return found


def _exact_in(other: Trace, trace: Trace, known: set[int]) -> set[int]:
    """Those known values of a trace that the other has with every number in its place."""
    shelf: dict[int, list[torch.Tensor]] = defaultdict(list)
    for value in other.values:
        for piece in (value, *(one for way in _pieces(value) for one in way)):
            shelf[piece.numel()].append(piece)
    values = ((number, trace.values[number]) for number in known)
    return {
        n
        for n, value in values
        if any(same_places(value, v) for v in shelf[value.numel()] if _folds(value.shape, v.shape))
    }


def _folds(a: Sequence[int], b: Sequence[int]) -> bool:
    """Whether two shapes are the same once dimensions that follow each other are one."""
    if prod(a) != prod(b):
        return False
    borders = [set(accumulate(shape, mul)) for shape in (a, b)]
    return borders[0] <= borders[1] or borders[1] <= borders[0]


def same_places(a: torch.Tensor, b: torch.Tensor) -> bool:
    """Whether tensors of as many numbers hold the same ones in the same order."""
    first, second = (one.detach().reshape(-1).to(torch.float64) for one in (a, b))
    if not first.isnan().equal(second.isnan()):
        return False
    first, second = (one.nan_to_num(0.0, _MASKED, -_MASKED) for one in (first, second))
    largest = float(first.abs().max()) if first.numel() else 0.0
    # One number may be rounded by more than a mean of them is.
    close = 10 * max(_CLOSE.get(one.dtype, 1e-5) for one in (a, b))
    return bool(((first - second).abs() <= close * largest).all())


def rearranges(trace: Trace, step: Step) -> bool:
    """Whether an operation gives what it took, elsewhere."""
    return rearranged(trace, step) is not None


def rearranged(trace: Trace, step: Step) -> int | None:
    """The number of the value that an operation gives as it took it, elsewhere; None for none."""
    given = trace.values[step.outputs[0]]
    close = _CLOSE.get(given.dtype, 1e-5)
    for number in step.inputs:
        one = trace.values[number]
        if one.numel() == given.numel() and torch.allclose(marks(one), marks(given), rtol=close):
            return number
    return None


def turned_before(step: Step, trace: Trace) -> list[Step]:
    """The operations that only put elsewhere what one takes, a few, the last first.

    What is known of a value in any order says nothing of them.
    """
    makers = trace.makers()
    found = []
    for number in step.inputs:
        maker = makers.get(number)
        while maker is not None and (source := rearranged(trace, maker)) is not None:
            if not same_places(trace.values[source], trace.values[number]):
                found.append(maker)
            number, maker = source, makers.get(source)
    return found[:_FEW]


def known_steps(ours: Trace, theirs: Trace) -> set[Key]:
    """Which operations of the second side give what is right by the first one."""
    right = _right(theirs, known_in(ours, theirs), numbers=True)
    both = zip(keys_of(theirs), theirs.steps, strict=True)
    return {key for key, step in both if step.outputs[0] in right}


def keys_of(trace: Trace) -> list[Key]:
    """What the operations of a trace are known by in another of the same model.

    Not by their number: in double precision some casts are none.
    """
    seen: Counter[tuple[str, str]] = Counter()
    found = []
    for step in trace.steps:
        key = step.name, str(step.lines[0]) if step.lines else ""
        seen[key] += 1
        found.append((*key, seen[key]))
    return found


def alike(a: torch.Tensor, b: torch.Tensor) -> bool:
    """Whether two values are one and the same, whatever their layout."""
    return a.numel() == b.numel() and _among(a, marks(a), {b.numel(): torch.stack([marks(b)])})


def found_in(trace: Trace, value: torch.Tensor) -> set[int]:
    """The numbers of a trace's values that are this one, whatever their layout."""
    stack = {value.numel(): torch.stack([marks(value)])}
    whole = ((number, ways[0][0]) for number, ways in enumerate(_marked(trace)))
    return {number for number, (one, own) in whole if _among(one, own, stack)}


def known_in(other: Trace, trace: Trace) -> set[int]:
    """The numbers of a trace's values that the other trace has as well."""
    shelf: dict[int, list[torch.Tensor]] = defaultdict(list)
    for ways in _marked(other):
        for piece, own in (one for way in ways for one in way):
            if piece.numel():
                shelf[piece.numel()].append(own)
    stacks = {size: torch.stack(held) for size, held in shelf.items()}
    return {
        number
        for number, ways in enumerate(_marked(trace))
        if any(all(_among(*piece, stacks) for piece in way) for way in ways)
    }


def _marked(trace: Trace) -> list[list[list[tuple[torch.Tensor, torch.Tensor]]]]:
    """Every value of a trace with its marks: whole, and in each way in pieces."""
    for value in trace.values[len(trace.marked) :]:
        ways = ((value,), *_pieces(value))
        trace.marked.append(
            [[(one, marks(one) if one.numel() else one) for one in way] for way in ways]
        )
    return trace.marked


def _among(value: torch.Tensor, own: torch.Tensor, stacks: dict[int, torch.Tensor]) -> bool:
    """Whether a value with these marks is among others, by their number of elements."""
    stack = stacks.get(value.numel())
    if stack is None or not value.numel():
        return False
    close = _CLOSE.get(value.dtype, 1e-5)
    # One number, as the largest is, may be rounded by more than a mean of them is.
    largest = own[3:5].abs().max()
    scale = torch.stack([own[1], own[1], own[1], largest, largest, largest, own[6]]) + 1e-30
    return bool(((stack - own).abs() <= close * scale).all(1).any())


def _pieces(value: torch.Tensor) -> Iterator[tuple[torch.Tensor, ...]]:
    """A value in parts: what one side keeps fused, twice or for all heads, the other may not."""
    if value.dim() < 2 or value.numel() <= _SMALL or not value.is_floating_point():
        return
    if value.shape[-1] % 2 == 0:
        yield value.chunk(2, dim=-1)
    for axis, length in enumerate(value.shape[1:-1], 1):
        if 1 < length <= _MOST_HEADS and value.numel() <= _LARGE:
            yield value.unbind(axis)


def marks(value: torch.Tensor) -> torch.Tensor:
    """What a value is known by, whatever its layout; the second is its scale."""
    flat = value.detach().reshape(-1).to(torch.float64).nan_to_num(_MASKED, _MASKED, -_MASKED)
    masked = flat.abs() >= _MASKED
    share = masked.double().mean()
    flat = flat if bool(masked.all()) else flat.masked_fill(masked, 0.0)
    size = flat.abs()
    root = flat.square().mean().sqrt()
    cube = flat.pow(3).mean()
    cube = cube.sign() * cube.abs() ** (1 / 3)
    return torch.stack([flat.mean(), root, size.mean(), flat.max(), flat.min(), cube, share])


def _first(trace: Trace, known: set[int], among: set[int] | None = None) -> Step | None:
    """The first operation, among those that give certain values, whose result is not right."""
    return next(iter(_firsts(trace, known, among)), None)


def _firsts(
    trace: Trace, known: set[int], among: set[int] | None = None, *, numbers: bool = False
) -> list[Step]:
    """The operations whose results are not right, and which take what is, in order.

    With `numbers`, a known number vouches for what leads to it within one function: it says
    nothing of places.
    """
    right = _right(trace, known, numbers=numbers)
    return [
        step
        for step in trace.steps
        if step.outputs[0] not in right
        and all(n in right for n in step.inputs)
        and (among is None or step.outputs[0] in among)
    ]


def kind_of(step: Step) -> str:
    """The name of an operation, as one for all that scale."""
    name = step.name.strip("_")
    bare = name.removeprefix("r")
    return "scale" if bare in _SCALES else bare if bare in _REFLECTED else name


def _of_two(values: torch.Tensor) -> bool:
    return bool(((values == values.min()) | (values == values.max())).all())


def _right(trace: Trace, known: set[int], *, numbers: bool) -> set[int]:
    """Values that are known on the other side, that say nothing, or that lead to a known one."""
    constant, of_two = _plain(trace)
    # Integers show in what is computed from them.
    whole = {n for n, value in enumerate(trace.values) if not value.is_floating_point()}
    right = trace.leaves | known | constant | whole | _masks_among(trace, constant, of_two)
    right |= _leading(trace, known, constant | of_two, numbers=numbers)
    if trace.steps:  # what ends in a single number is judged by it
        last = trace.steps[-1].outputs
        if any(n not in known for n in last):
            right -= set(last)
    return right


def masks_in(trace: Trace) -> set[int]:
    """Whole numbers as ones and zeros, and what is made of these alone."""
    return _masks_among(trace, *_plain(trace))


def _masks_among(trace: Trace, constant: set[int], of_two: set[int]) -> set[int]:
    """The same among the values of two numbers."""
    masks: set[int] = set()
    for step in trace.steps:
        floats = {n for n in step.inputs if trace.values[n].is_floating_point()}
        if step.inputs and floats <= masks | constant:
            masks |= {n for n in of_two.intersection(step.outputs) if _is_mask(trace.values[n])}
    for step in reversed(trace.steps):  # what is minus one masks once it has been multiplied
        if not masks.issuperset(step.outputs):
            masks -= {n for n in step.inputs if bool((trace.values[n] == -1).any())}
    return masks


def hidden(value: torch.Tensor) -> torch.Tensor:
    """Which numbers are those that hide what they are added to."""
    return value.abs() >= _MASKED


def hides(value: torch.Tensor) -> bool:
    """Whether a value is a mask that is added: nothing, and numbers that hide."""
    return bool((hidden(value) | (value == 0)).all()) and bool(hidden(value).any())


def _is_mask(value: torch.Tensor) -> bool:
    """Whether it is all zeros and ones, with one sign, or zeros and what masks."""
    nothing = value == 0
    ones = (value == 1, value == -1, hidden(value))
    return any(bool((nothing | one).all()) for one in ones)


def _plain(trace: Trace) -> tuple[set[int], set[int]]:
    """Values that are all one number, and longer ones of two numbers.

    What is masked or one-hot is as large wherever its ones are.
    """
    constant: set[int] = set()
    of_two: set[int] = set()
    for number, value in enumerate(trace.values):
        flat = value.reshape(-1)
        if value.numel() <= 1 or bool((flat == flat[0]).all()):
            constant.add(number)
        elif value.numel() > _SMALL and value.is_floating_point() and _of_two(flat):
            of_two.add(number)
    return constant, of_two


def _leading(trace: Trace, known: set[int], silent: set[int], *, numbers: bool) -> set[int]:
    """Values that lead to what is known; these are known from now on.

    What lies beside others in a joined value is only if all that is made of that is known, too, and
    what a loop takes apart only if every part is: of a value that is moved on, most parts are.
    """
    own = frozenset(known) - silent
    parts = _taken_apart(trace)
    takers: dict[int, list[Step]] = defaultdict(list)
    for step in trace.steps:
        floats = trace.values[step.outputs[0]].is_floating_point()
        for number in step.inputs if floats and step.outputs[0] not in silent else ():
            takers[number].append(step)
    leading: set[int] = set()  # to what is known, however few numbers they are
    inner: set[int] = set()  # what a framework's function computes on the way to a known number
    whole: set[int] = set()  # values of which every part leads to what is known
    makers = trace.makers()
    for step in reversed(trace.steps):
        for number in step.outputs:
            after = takers[number]
            if number in own or (after and all(whole.issuperset(s.outputs[:1]) for s in after)):
                whole.add(number)
        telling = [n for n in step.outputs if n in known - silent]
        shown = any(trace.values[n].numel() > 2 or n in leading for n in telling)
        if shown and (whole.intersection(step.outputs) or not _JOINING.search(step.name)):
            led = {n for n in step.inputs if _acts(trace, step, n, telling)}
            numbers_beside = [one.outputs[0] for one in parts.get(_part_of(step), ())]
            if not all(n in known or n in silent for n in numbers_beside):
                led.discard(step.inputs[0])
            known |= led
            leading |= led
        elif numbers and any(
            n in inner or (n in known and _is_odd(trace.values[n])) for n in step.outputs
        ):
            inner |= {
                n for n in step.inputs if n in makers and makers[n].lines[:1] == step.lines[:1]
            }
    return leading | inner


def _taken_apart(trace: Trace) -> dict[Part, list[Step]]:
    """The operations of one line that take parts of one value, as a loop over its steps does."""
    found: dict[Part, list[Step]] = defaultdict(list)
    for step in trace.steps:
        if step.inputs and _TAKING_PART.search(step.name):
            found[_part_of(step)].append(step)
    return found


def _part_of(step: Step) -> Part:
    return step.inputs[:1], step.name, step.lines[:1]


def _is_odd(value: torch.Tensor) -> bool:
    """A single number that no other computation gives by chance, as a half or a count."""
    if value.numel() != 1 or not value.is_floating_point():
        return False
    return bool((value - value.round(decimals=3)).abs() > 1e-5 * value.abs())


def _acts(trace: Trace, step: Step, number: int, telling: list[int]) -> bool:
    """Whether what is known of a result shows an input's value, and not its shape or order."""
    if _OF_SHAPE.search(step.name) and (number != step.inputs[0] or step.name.endswith("_like")):
        return False
    floats = trace.values[number].is_floating_point()
    return not floats or any(trace.values[n].is_floating_point() for n in telling)
