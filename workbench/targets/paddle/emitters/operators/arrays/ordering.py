"""Sorting and the largest few."""

from __future__ import annotations

from workbench.lower.writing.call import Call
from workbench.targets.paddle.emitters.registry import emits, writes

writes(
    {
        "argsort argsort.stable": (
            "paddle.argsort({self}, axis={dim!s}, descending={descending!s}, stable=True)"
        ),
    }
)


@emits("sort", "sort.stable")
def _sort(call: Call) -> str:
    x = call.tensor("self")
    if call.rank("self") == 0:
        return f"({x}, paddle.zeros([], 'int64'))"
    rest = f"axis={call['dim']}, descending={call['descending']}, stable=True"
    return f"(paddle.sort({x}, {rest}), paddle.argsort({x}, {rest}))"


@emits("topk")
def _topk(call: Call) -> str:
    x = call.tensor("self")
    if call.rank("self") == 0:
        call.refuse("topk of a tensor without dimensions")
    rest = f"axis={call['dim']}, largest={call['largest']}, sorted={call['sorted']}"
    call.caveat("equal values may be in another order than in torch")
    return f"paddle.topk({x}, {call.text('k')}, {rest})"
