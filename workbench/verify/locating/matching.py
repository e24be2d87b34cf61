"""Divergence of two traces: the first operations whose result the other side does not have.

The two models may be written differently. Values match by properties that do not depend on layout
(size and moments). An operation is right if the other side has its result, or if its result leads
to a value that the other side has. Where operations give different results for the same values, or
none does, elements are compared in order: one side then permutes them.
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

# A mask that is added is a large number, such as -1e4. Its magnitude carries no information.
_MASKED = 5e3
_SMALL = 8  # values with this few elements may match by chance
_FEW = 2
_MOST_HEADS = 16
_LARGE = 1 << 20  # elements
_MATRIX = 2  # dimensions
_SCALES = frozenset({"mul", "multiply", "div", "divide", "truediv", "scale"})
# Operations that one side may apply to parts, and the other to their concatenation.
_IN_ANY_ORDER = frozenset({"sum", "mean", "concat", "cat", "stack"})
_REFLECTED = frozenset({"add", "sub", "pow"})  # `radd` is a number plus a tensor
_JOINING = re.compile("^(con)?cat(enate)?$|(?<!un)stack$")
_TAKING_PART = re.compile("get_?item|slice|select")
_OF_SHAPE = re.compile("_(like|as)$")
_CLOSE = {torch.float64: 1e-8, torch.float32: 3e-6}
# An operation's name, its line, and its index among the operations of that line.
Key = tuple[str, str, int]
# The first inputs of an operation, its name and its line.
Part = tuple[tuple[int, ...], str, tuple[Place, ...]]


@dataclass(frozen=True, slots=True)
class Divergence:
    """The first operation of each side whose result the other side does not have.

    Attributes:
        ours: the original's operation.
        theirs: the port's operation.
        moved: the values agree as multisets, but their order in the tensors differs.
        all_known: no other values differ either.
        known: the port's values that the original has.
        table: the operation that makes a table which the original does not have, such as the parts
            of a complex table.
    """

    ours: Step | None
    theirs: Step | None
    moved: bool = False
    all_known: bool = False
    known: set[int] = field(default_factory=set)
    table: Step | None = None


def divergence_of(ours: Trace, theirs: Trace, *, elsewhere: bool = False) -> Divergence:
    """Return where two traces diverge on the way to the results, or with `elsewhere` off it."""
    known = known_in(theirs, ours), known_in(ours, theirs)
    tables = _of_tables(ours, known[0]), _of_tables(theirs, known[1])

    def firsts(side: int, trace: Trace, right: set[int]) -> list[Step]:
        return _firsts(trace, known[side] | right, _on_the_way(trace, elsewhere), numbers=True)

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
        # Scalars may match by chance: use the first unknown operation on the way.
        until = next(i for i, step in enumerate(theirs.steps) if step is other)
        other = _first_unknown(theirs.steps[: until + 1], theirs, known[1])
    # Only one side may slice a table; that diverges too if nothing after it matches.
    like = [step for step in mine if other is not None and _like(step, other, ours, theirs)]
    found = Divergence(next(iter(like or mine), None), other, known=known[1], table=table)
    if (found.ours is None) is not (found.theirs is None):
        return found
    if earlier := _with_its_weight(found, ours, theirs):
        found = replace(found, theirs=earlier)
    exact = _exact_in(theirs, ours, known[0]), _exact_in(ours, theirs, known[1])
    if table is not None:
        exact[1].update(tables[1])
    if found.ours is None or found.theirs is None:
        moved = _first(ours, exact[0]), _first(theirs, exact[1])
        return Divergence(*moved, moved=True, all_known=True, known=known[1])
    unlike = _other_than(found.ours, found.theirs, ours, theirs)
    if unlike is None:
        return found
    before = _leading_to({unlike[0]}, ours), _leading_to({unlike[1]}, theirs)
    moved = _first(ours, exact[0], before[0]), _first(theirs, exact[1], before[1])
    return found if moved[1] is None else Divergence(*moved, moved=True, known=known[1])


def _of_tables(trace: Trace, known: set[int]) -> set[int]:
    """Return values computed only from values that the other side does not have."""
    found = trace.leaves - known - trace.makers().keys()
    for step in trace.steps:
        if found.issuperset(step.inputs) and not known.intersection(step.outputs):
            found.update(step.outputs)
    return found


def _like(mine: Step, other: Step, ours: Trace, theirs: Trace) -> bool:
    """Return whether two operations are of one kind and take the same matrix, if both take one."""
    weights = _matrices(mine, ours), _matrices(other, theirs)
    same = not all(weights) or any(alike(a, b) for a in weights[0] for b in weights[1])
    return kind_of(mine) == kind_of(other) and same


def _matrices(step: Step, trace: Trace) -> list[torch.Tensor]:
    leaves = [trace.values[n] for n in step.inputs if n in trace.leaves]
    return [leaf for leaf in leaves if leaf.dim() >= _MATRIX]


def _with_its_weight(found: Divergence, ours: Trace, theirs: Trace) -> Step | None:
    """Return the port's earliest divergence on the way to the weight that the original's step uses.

    A wrong value may look right because later operations hide its error, as softmax hides an added
    constant. The weight shows which of the port's operations corresponds.
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
    """Return the first unknown operation of those that lead to the last one."""
    makers = {number: step for step in steps for number in step.outputs}
    last = steps[-1]
    while True:
        made = [makers[n] for n in last.inputs if n in makers and n not in known]
        before = [one for one in made if trace.values[one.outputs[0]].is_floating_point()]
        if not before:
            return last
        last = before[0]


def _other_than(mine: Step, other: Step, ours: Trace, theirs: Trace) -> tuple[int, int] | None:
    """Return two inputs of equal shape that differ in order between two operations, or None."""
    for number in other.inputs:
        value = theirs.values[number]
        alike = [n for n in mine.inputs if _folds(ours.values[n].shape, value.shape)]
        equal = any(same_places(value, ours.values[n]) for n in alike)
        if value.is_floating_point() and alike and not equal:
            return alike[0], number
    return None


def _on_the_way(trace: Trace, elsewhere: bool) -> set[int] | None:
    """Return the values on the way to a pass's results (or all others), or None if unknown."""
    if not trace.ends:
        return None
    found = _leading_to(trace.ends, trace)
    return set(range(len(trace.values))) - found if elsewhere else found


def _leading_to(numbers: set[int], trace: Trace) -> set[int]:
    """Return some values and all values from which they are computed."""
    found = set(numbers)
    for step in reversed(trace.steps):
        if found & set(step.outputs):
            found |= set(step.inputs)
    return found


def _exact_in(other: Trace, trace: Trace, known: set[int]) -> set[int]:
    """Return the known values of a trace that the other trace has in the same element order."""
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
    """Return whether two shapes are equal after merging adjacent dimensions."""
    if prod(a) != prod(b):
        return False
    borders = [set(accumulate(shape, mul)) for shape in (a, b)]
    return borders[0] <= borders[1] or borders[1] <= borders[0]


def same_places(a: torch.Tensor, b: torch.Tensor) -> bool:
    """Return whether two tensors hold the same elements in the same order."""
    first, second = (one.detach().reshape(-1).to(torch.float64) for one in (a, b))
    if not first.isnan().equal(second.isnan()):
        return False
    first, second = (one.nan_to_num(0.0, _MASKED, -_MASKED) for one in (first, second))
    largest = float(first.abs().max()) if first.numel() else 0.0
    # Single elements have more rounding than a mean of them.
    close = 10 * max(_CLOSE.get(one.dtype, 1e-5) for one in (a, b))
    return bool(((first - second).abs() <= close * largest).all())


def rearranges(trace: Trace, step: Step) -> bool:
    """Return whether an operation only permutes or reshapes one of its inputs."""
    return rearranged(trace, step) is not None


def rearranged(trace: Trace, step: Step) -> int | None:
    """Return the number of the input that an operation only permutes or reshapes, or None."""
    given = trace.values[step.outputs[0]]
    close = _CLOSE.get(given.dtype, 1e-5)
    for number in step.inputs:
        one = trace.values[number]
        if one.numel() == given.numel() and torch.allclose(marks(one), marks(given), rtol=close):
            return number
    return None


def turned_before(step: Step, trace: Trace) -> list[Step]:
    """Return up to two operations that only reorder an input of a step, the last first.

    Matching ignores order, so a match says nothing about them.
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
    """Return the operations of the second trace whose results are right by the first one."""
    right = _right(theirs, known_in(ours, theirs), numbers=True)
    both = zip(keys_of(theirs), theirs.steps, strict=True)
    return {key for key, step in both if step.outputs[0] in right}


def keys_of(trace: Trace) -> list[Key]:
    """Return keys that identify the operations of a trace in another trace of the same model.

    Indices would not do: in double precision some casts do not run.
    """
    seen: Counter[tuple[str, str]] = Counter()
    found = []
    for step in trace.steps:
        key = step.name, str(step.lines[0]) if step.lines else ""
        seen[key] += 1
        found.append((*key, seen[key]))
    return found


def alike(a: torch.Tensor, b: torch.Tensor) -> bool:
    """Return whether two values are equal in any layout."""
    return a.numel() == b.numel() and _among(a, marks(a), {b.numel(): torch.stack([marks(b)])})


def found_in(trace: Trace, value: torch.Tensor) -> set[int]:
    """Return the numbers of a trace's values that equal a value in any layout."""
    stack = {value.numel(): torch.stack([marks(value)])}
    whole = ((number, ways[0][0]) for number, ways in enumerate(_marked(trace)))
    return {number for number, (one, own) in whole if _among(one, own, stack)}


def known_in(other: Trace, trace: Trace) -> set[int]:
    """Return the numbers of a trace's values that the other trace also has."""
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
    """Return the marks of every value of a trace: of the whole, and of each way to split it."""
    for value in trace.values[len(trace.marked) :]:
        ways = ((value,), *_pieces(value))
        trace.marked.append(
            [[(one, marks(one) if one.numel() else one) for one in way] for way in ways]
        )
    return trace.marked


def _among(value: torch.Tensor, own: torch.Tensor, stacks: dict[int, torch.Tensor]) -> bool:
    """Return whether a value with these marks is among others, which are keyed by element count."""
    stack = stacks.get(value.numel())
    if stack is None or not value.numel():
        return False
    close = _CLOSE.get(value.dtype, 1e-5)
    # Single elements, such as the maximum, have more rounding than means.
    largest = own[3:5].abs().max()
    scale = torch.stack([own[1], own[1], own[1], largest, largest, largest, own[6]]) + 1e-30
    return bool(((stack - own).abs() <= close * scale).all(1).any())


def _pieces(value: torch.Tensor) -> Iterator[tuple[torch.Tensor, ...]]:
    """Yield ways to split a value that one side may keep fused: in halves, or by head."""
    if value.dim() < 2 or value.numel() <= _SMALL or not value.is_floating_point():
        return
    if value.shape[-1] % 2 == 0:
        yield value.chunk(2, dim=-1)
    for axis, length in enumerate(value.shape[1:-1], 1):
        if 1 < length <= _MOST_HEADS and value.numel() <= _LARGE:
            yield value.unbind(axis)


def marks(value: torch.Tensor) -> torch.Tensor:
    """Return statistics that identify a value in any layout; the second one is its scale."""
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
    """Return the first operation with a wrong result, among those that give certain values, or
    None.
    """
    return next(iter(_firsts(trace, known, among)), None)


def _firsts(
    trace: Trace, known: set[int], among: set[int] | None = None, *, numbers: bool = False
) -> list[Step]:
    """Return the operations with wrong results and right inputs, in order.

    With `numbers`, a known scalar confirms the operations that lead to it within one function. It
    says nothing about element order.
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
    """Return the name of an operation, with one name for all that scale."""
    name = step.name.strip("_")
    bare = name.removeprefix("r")
    return "scale" if bare in _SCALES else bare if bare in _REFLECTED else name


def _of_two(values: torch.Tensor) -> bool:
    return bool(((values == values.min()) | (values == values.max())).all())


def _right(trace: Trace, known: set[int], *, numbers: bool) -> set[int]:
    """Return the values that match, are uninformative, or lead to a value that matches."""
    constant, of_two = _plain(trace)
    # Errors in integers show in the values computed from them.
    whole = {n for n, value in enumerate(trace.values) if not value.is_floating_point()}
    right = trace.leaves | known | constant | whole | _masks_among(trace, constant, of_two)
    right |= _leading(trace, known, constant | of_two, numbers=numbers)
    if trace.steps:  # a trace that ends in a scalar is judged by it
        last = trace.steps[-1].outputs
        if any(n not in known for n in last):
            right -= set(last)
    return right


def masks_in(trace: Trace) -> set[int]:
    """Return the values that are masks of zeros and ones, or computed from such masks alone."""
    return _masks_among(trace, *_plain(trace))


def _masks_among(trace: Trace, constant: set[int], of_two: set[int]) -> set[int]:
    """Return the masks among constants and two-valued tensors."""
    masks: set[int] = set()
    for step in trace.steps:
        floats = {n for n in step.inputs if trace.values[n].is_floating_point()}
        if step.inputs and floats <= masks | constant:
            masks |= {n for n in of_two.intersection(step.outputs) if _is_mask(trace.values[n])}
    for step in reversed(trace.steps):  # a -1 masks only if it is not multiplied afterwards
        if not masks.issuperset(step.outputs):
            masks -= {n for n in step.inputs if bool((trace.values[n] == -1).any())}
    return masks


def hidden(value: torch.Tensor) -> torch.Tensor:
    """Return where elements are so large that they mask what they are added to."""
    return value.abs() >= _MASKED


def hides(value: torch.Tensor) -> bool:
    """Return whether a value is an additive mask: zeros and large numbers."""
    return bool((hidden(value) | (value == 0)).all()) and bool(hidden(value).any())


def _is_mask(value: torch.Tensor) -> bool:
    """Return whether a value holds zeros and one of 1, -1 or masking numbers."""
    nothing = value == 0
    ones = (value == 1, value == -1, hidden(value))
    return any(bool((nothing | one).all()) for one in ones)


def _plain(trace: Trace) -> tuple[set[int], set[int]]:
    """Return constant values, and longer values with two distinct elements.

    Marks of a mask or a one-hot value do not show where its ones are.
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
    """Return the values that lead to known values; adds them to `known`.

    An input of a concatenation counts only if everything computed from the result is known. A value
    that a loop takes apart counts only if every part is known, as a shifted value shares most
    parts.
    """
    own = frozenset(known) - silent
    parts = _taken_apart(trace)
    takers: dict[int, list[Step]] = defaultdict(list)
    for step in trace.steps:
        floats = trace.values[step.outputs[0]].is_floating_point()
        for number in step.inputs if floats and step.outputs[0] not in silent else ():
            takers[number].append(step)
    leading: set[int] = set()  # lead to known values, of any size
    # Intermediate values of a framework's function that ends in a known scalar.
    inner: set[int] = set()
    whole: set[int] = set()  # values all of whose parts lead to known values
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
            numbers_of_part = [one.outputs[0] for one in parts.get(_part_of(step), ())]
            if not all(n in known or n in silent for n in numbers_of_part):
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
    """Return the operations of one line that take parts of one value, as a loop over time does."""
    found: dict[Part, list[Step]] = defaultdict(list)
    for step in trace.steps:
        if step.inputs and _TAKING_PART.search(step.name):
            found[_part_of(step)].append(step)
    return found


def _part_of(step: Step) -> Part:
    return step.inputs[:1], step.name, step.lines[:1]


def _is_odd(value: torch.Tensor) -> bool:
    """Return whether a value is a scalar that is unlikely to match by chance, unlike 0.5 or a
    count.
    """
    if value.numel() != 1 or not value.is_floating_point():
        return False
    return bool((value - value.round(decimals=3)).abs() > 1e-5 * value.abs())


def _acts(trace: Trace, step: Step, number: int, telling: list[int]) -> bool:
    """Return whether a known result confirms an input's values, not just its shape or order."""
    if _OF_SHAPE.search(step.name) and (number != step.inputs[0] or step.name.endswith("_like")):
        return False
    floats = trace.values[number].is_floating_point()
    return not floats or any(trace.values[n].is_floating_point() for n in telling)
