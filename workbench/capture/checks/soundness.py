"""Is the graph the model? Replays it on other inputs, and again, against the model itself.

Export bakes in what Python decides while it watches (a drawn number, a counter, a branch) without
a word. A graph that has done so agrees on the example inputs and differs on others or on the
second call, which is what is tried here.
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
    """One call on both sides: which inputs, which call in a row, and what differed."""

    inputs: str
    call: int
    reason: str

    @property
    def agrees(self) -> bool:
        """True where graph and model returned the same."""
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
    """Hold a graph against the model it was captured from.

    Args:
        graph: the captured graph.
        model: the module or function; a module is copied, so that its state stays as it is.
        args: the example inputs; further ones are drawn with the same shapes and dtypes.
        kwargs: keyword inputs.
        tries: how many different inputs, the given one included.
        calls: how often in a row each is used.

    Returns:
        One entry for each call. torch's random stream is the same on both sides, so that layers
        such as dropout agree where the graph draws as the model does.
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
    """A copy of a module; it shares tensors with a gradient function, which torch cannot copy."""
    held = pytree.tree_leaves([vars(part) for part in module.modules()])
    computed = [one for one in held if isinstance(one, torch.Tensor) and not one.is_leaf]
    return copy.deepcopy(module, {id(tensor): tensor for tensor in computed})


def _drawn(args: Any, kwargs: Any, attempt: int) -> tuple[Any, Any]:
    """The inputs, or others of the same kind: signs, sizes and order of values all change."""
    generator = torch.Generator().manual_seed(attempt)

    def draw(value: Any) -> Any:
        if not isinstance(value, torch.Tensor):
            return value
        if attempt == 0 or not value.numel():
            return value.detach().clone()
        if value.dtype.is_floating_point or value.dtype.is_complex:
            noise = torch.randn(value.shape, generator=generator, dtype=torch.float32)
            return (noise * (1 + value.detach().abs().float().max())).to(value.dtype)
        # Integers are ids as often as counts: their order changes, not their range.
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
        # Inputs that the model refuses say nothing of the graph.
        return ""
    if isinstance(graph, Exception) and refuses(graph):
        # The graph says itself that it holds for choices like the example's alone.
        return ""
    if isinstance(graph, Exception):
        first = (str(graph).strip().splitlines() or [type(graph).__name__])[0]
        return f"the graph refuses inputs that the model takes: {first}"
    if len(model) != len(graph):
        return f"the graph returns {len(graph)} values, the model {len(model)}"
    for place, (theirs, ours) in enumerate(zip(model, graph, strict=True)):
        reason = _values(theirs, ours)
        if reason:
            return f"output {place} {reason}: something was baked in while capturing"
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
