"""Sorting and the largest few."""

from __future__ import annotations

from workbench.lower.writing.call import Call
from workbench.targets.jax.emitters.registry import emits, writes

writes({"median": "{_median}({self}.reshape(-1), 0, False)[0]"})


def _order(call: Call) -> str:
    rest = "descending=True, stable=True" if call["descending"] else "stable=True"
    return f"axis={call['dim']}, {rest}"


_TIES = "equal values may be in another order than in torch"
_UNSORTED = (
    "the values are sorted, in torch they may have any order: dropout after it may drop other rows"
)


@emits("sort", "sort.stable")
def _sort(call: Call) -> str:
    x = call.tensor("self")
    if not call["stable"]:
        call.caveat(_TIES)
    if call.rank("self") == 0:
        return f'({x}, jnp.zeros([], "int64"))'
    return f"({call.helper('_sort')}({x}, {_order(call)}))"


@emits("argsort", "argsort.stable")
def _argsort(call: Call) -> str:
    if call.rank("self") == 0:
        return 'jnp.zeros([], "int64")'
    if not call["stable"]:
        call.caveat(_TIES)
    return f"jnp.argsort({call.tensor('self')}, {_order(call)})"


@emits("topk")
def _topk(call: Call) -> str:
    if call.rank("self") == 0:
        call.refuse("topk of a tensor without dimensions")
    call.caveat(_TIES)
    if not call["sorted"]:
        call.caveat(_UNSORTED)
    smallest = "" if call["largest"] else ", largest=False"
    place = f"{call.tensor('self')}, {call.text('k')}, {call.axis('dim')}"
    return f"{call.helper('_topk')}({place}{smallest})"


@emits("median.dim")
def _median_along(call: Call) -> str:
    if call.rank("self") == 0:
        call.refuse("median of a tensor without dimensions")
    call.caveat(_TIES)
    place = f"{call.tensor('self')}, {call.axis('dim')}, {call['keepdim']}"
    return f"{call.helper('_median')}({place})"
