"""Kinds of samples that a program's text shows for a data set.

Paddle's loader returns torch's batches if each sample contains a tensor, an array or a number. Its
loop ends at a sample of strings only, a named tuple becomes a list, and a sample that cannot be
batched stops its thread, so that the loop waits forever.
"""

from __future__ import annotations

from workbench.source.traits.program import Program
from workbench.source.traits.samples import Samples, together
from workbench.source.types.lattice import (
    Instance,
    Items,
    Plain,
    Tensor,
    UserObject,
    Value,
    alternatives,
)

_NUMBERS = frozenset({"int", "float", "bool", "complex"})


def samples_of(dataset: Value, program: Program) -> Samples:
    """Return whether Paddle's loader takes the samples of a data set."""
    if isinstance(dataset, UserObject):
        return program.samples(dataset.cls.node.name)
    if isinstance(dataset, Items):
        return together([_of_value(one) for one in dataset.items or (dataset.item,)])
    if isinstance(dataset, Instance) and dataset.cls.startswith(("torchvision.", "torch.utils.")):
        return Samples.TAKEN
    return Samples.OPEN


def _of_value(value: Value) -> Samples:
    """Return the kind of a sample of this type."""
    found = set()
    for one in alternatives(value):
        match one:
            case Tensor():
                found.add(Samples.TAKEN)
            case Plain(kind=kind):
                found.add(Samples.TAKEN if kind in _NUMBERS else Samples.NOT_TAKEN)
            case Items(items=items, item=item):
                parts = items or (item,)
                nothing = Plain("NoneType") in parts
                whole = together([_of_value(part) for part in parts])
                found.add(Samples.NOT_TAKEN if nothing else whole)
            case _:
                found.add(Samples.OPEN)
    return found.pop() if len(found) == 1 else Samples.OPEN
