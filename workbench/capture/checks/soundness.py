"""Comparison of a graph with its model on other inputs, and on repeated calls.

Export silently fixes what Python decides during tracing (a random number, a counter, a branch).
Such a graph agrees on the example inputs, and differs on others or on the second call.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch.utils import _pytree as pytree

from workbench.capture.callables import as_module
from workbench.capture.checks.assumptions import refuses
from workbench.capture.outputs import plain

if TYPE_CHECKING:
    from workbench.capture.graph import Graph


@dataclass(frozen=True)
class Replay:
    """One call on both sides: the inputs, the number of the call, and the difference."""

    inputs: str
    call: int
    reason: str

    @property
    def agrees(self) -> bool:
        """Return whether graph and model returned the same."""
        return not self.reason


def replay(
    graph: Graph,
    model: torch.nn.Module | Callable[..., Any],
    args: Sequence[Any] | torch.Tensor,
    kwargs: Mapping[str, Any] | None = None,
    *,
    tries: int = 3,
    calls: int = 2,
) -> list[Replay]:
    """Compare a graph with the model that it was captured from.

    Args:
        graph: the captured graph.
        model: the module or function; a module is copied, so that its state is preserved.
        args: the example inputs; further ones are drawn with the same shapes and dtypes.
        kwargs: keyword inputs.
        tries: the number of different inputs, including the given one.
        calls: the number of consecutive calls with each.

    Returns:
        One entry per call. Both sides use the same torch seed, so that layers such as dropout
        agree if the graph draws as the model does.
    """
    args = (args,) if isinstance(args, torch.Tensor) else tuple(args)
    kwargs = dict(kwargs or {})
    ours: Any = copy.deepcopy(graph.program).module()
    theirs = _copy(as_module(model, args, kwargs))
    found = []
    for attempt in range(tries):
        name = "the example inputs" if attempt == 0 else f"other inputs ({attempt})"
        for call in range(1, calls + 1):
            given = _drawn(args, kwargs, attempt)
            results = []
            for side in (theirs, ours):
                torch.manual_seed(attempt)
                results.append(_outcome(side, given))
            found.append(Replay(name, call, _difference(*results)))
    return found


def _copy(module: torch.nn.Module) -> torch.nn.Module:
    """Return a copy of a module that shares non-leaf tensors, which torch cannot copy."""
    held = pytree.tree_leaves([vars(part) for part in module.modules()])
    computed = [one for one in held if isinstance(one, torch.Tensor) and not one.is_leaf]
    return copy.deepcopy(module, {id(tensor): tensor for tensor in computed})


def _drawn(args: Any, kwargs: Any, attempt: int) -> tuple[Any, Any]:
    """Return the inputs, or others of the same kind with other signs, magnitudes and order."""
    generator = torch.Generator().manual_seed(attempt)

    def draw(value: Any) -> Any:
        if not isinstance(value, torch.Tensor):
            return value
        if attempt == 0 or not value.numel():
            return value.detach().clone()
        if value.dtype.is_floating_point or value.dtype.is_complex:
            noise = torch.randn(value.shape, generator=generator, dtype=torch.float32)
            return (noise * (1 + value.detach().abs().float().max())).to(value.dtype)
        # Integers may be ids or counts, so only their order changes, not their range.
        place = torch.randperm(value.numel(), generator=generator)
        return value.detach().flatten()[place].reshape(value.shape)

    drawn: tuple[Any, Any] = pytree.tree_map(draw, (args, kwargs))
    return drawn


def _outcome(side: Any, given: tuple[Any, Any]) -> Any:
    args, kwargs = copy.deepcopy(given)
    with torch.no_grad():
        try:
            return pytree.tree_leaves(plain(side(*args, **kwargs)))
        except Exception as error:
            return error


def _difference(model: Any, graph: Any) -> str:
    if isinstance(model, Exception):
        # Inputs that the model rejects say nothing about the graph.
        return ""
    if isinstance(graph, Exception) and refuses(graph):
        # The graph itself reports that it holds only for choices like the example's.
        return ""
    if isinstance(graph, Exception):
        first = (str(graph).strip().splitlines() or [type(graph).__name__])[0]
        return f"the graph refuses inputs that the model accepts: {first}"
    if len(model) != len(graph):
        return f"the graph returns {len(graph)} values, the model {len(model)}"
    for place, (theirs, ours) in enumerate(zip(model, graph, strict=True)):
        reason = _values(theirs, ours)
        if reason:
            return (
                f"output {place} {reason}: the graph contains a value that was computed only once,"
                " during capture"
            )
    return ""


def _values(theirs: Any, ours: Any) -> str:
    if not isinstance(theirs, torch.Tensor) or not isinstance(ours, torch.Tensor):
        return (
            "" if type(theirs) is type(ours) and theirs == ours else f"is {ours!r}, not {theirs!r}"
        )
    if theirs.shape != ours.shape:
        return f"has shape {list(ours.shape)}, not {list(theirs.shape)}"
    if theirs.dtype != ours.dtype:
        return f"is {ours.dtype}, not {theirs.dtype}"
    if torch.allclose(ours, theirs, rtol=1e-4, atol=1e-5, equal_nan=True):
        return ""
    return "differs"
