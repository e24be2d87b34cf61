"""Readable conditions on the shapes that a captured graph accepts."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch

from workbench.capture.checks.assumptions import assumptions
from workbench.capture.checks.guards import guards

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from torch.export import ExportedProgram

    from workbench.capture.graph import Graph


def auto(module: torch.nn.Module, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """Return `dynamic_shapes` that let torch determine which dimensions can vary."""

    def spec(value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            return dict.fromkeys(range(value.ndim), torch.export.Dim.AUTO)
        if isinstance(value, dict):
            return {key: spec(item) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return (
                type(value)(spec(item) for item in value)
                if type(value) in (list, tuple)
                else [spec(item) for item in value]
            )
        return None

    bound = _bound(module, args, kwargs)
    return {name: spec(value) for name, value in bound.items()}


def symbol_names(
    exported: ExportedProgram,
    module: torch.nn.Module,
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
    dynamic_shapes: Any,
) -> dict[str, str]:
    """Return a readable name for each symbol of the program: the user's if one was given.

    Other symbols are named after the first input dimension that has them, such as `x_dim0`.
    """
    given = dict(_given(_bound(module, args, kwargs), dynamic_shapes))
    found: dict[str, str] = {}
    tensors = [
        node
        for node in exported.graph.nodes
        if node.op == "placeholder" and node.name in set(exported.graph_signature.user_inputs)
    ]
    order = [value for value in _leaves((args, kwargs)) if isinstance(value, torch.Tensor)]
    held = [node for node in tensors if isinstance(node.meta.get("val"), torch.Tensor)]
    for node, tensor in zip(held, order, strict=False):
        for axis, size in enumerate(node.meta["val"].shape):
            text = str(size)
            if not isinstance(size, int) and text.isidentifier() and text not in found:
                found[text] = given.get((id(tensor), axis), f"{node.name}_dim{axis}")
    return found


def _bound(
    module: torch.nn.Module, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> dict[str, Any]:
    return dict(inspect.signature(module.forward).bind(*args, **kwargs).arguments)


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from _leaves(item)
    else:
        yield value


def _given(value: Any, spec: Any) -> Iterator[tuple[tuple[int, int], str]]:
    """Yield the names that `Dim` objects in `spec` give to axes of tensors in `value`."""
    if spec is None:
        return
    if isinstance(value, torch.Tensor):
        axes = spec.items() if isinstance(spec, dict) else enumerate(spec)
        for axis, dim in axes:
            name = getattr(dim, "__name__", None)
            if isinstance(name, str):
                yield (id(value), axis), name
    elif isinstance(value, dict):
        pairs = spec.items() if isinstance(spec, dict) else zip(value, spec, strict=False)
        for key, inner in pairs:
            if key in value:
                yield from _given(value[key], inner)
    elif isinstance(value, (list, tuple)):
        for item, inner in zip(value, spec, strict=False):
            yield from _given(item, inner)


@dataclass(frozen=True)
class Clause:
    """One condition: its subject, and what must hold, in words."""

    subject: str
    words: str

    def __str__(self) -> str:
        return f"{self.subject} {self.words}"


def clauses(graph: Graph) -> tuple[Clause, ...]:
    """Return the graph's conditions on its inputs, in readable form.

    A dynamic dimension has a range, and may have to be a multiple of a number or to match another
    dimension; dimensions with one name must be equal; all others are as in the example.
    Data-dependent assumptions come last.
    """
    found: list[Clause] = []
    places: dict[str, list[str]] = {}
    for name in graph.inputs:
        value = graph.node(name).values[0]
        if value is None:
            continue
        fixed = []
        for axis, size in enumerate(value.shape):
            place = f"{name}.shape[{axis}]"
            if isinstance(size, int):
                fixed.append(f"{place} = {size}")
            else:
                places.setdefault(size, []).append(place)
        if fixed:
            found.append(Clause(name, f"has fixed sizes: {', '.join(fixed)}"))
    ranges = _ranges(graph)
    for symbol, where in places.items():
        low, high = ranges.get(symbol, (0, None))
        limits = f"is from {low} to {high}" if high is not None else f"is {low} or more"
        found.append(Clause(symbol, f"{limits} ({where[0]})"))
        if len(where) > 1:
            found.append(Clause(" == ".join(where), f"have to be equal ({symbol})"))
    for guard in guards(graph.program):
        if guard.divisor is not None:
            found.append(Clause(str(guard.sizes[0]), f"is a multiple of {guard.divisor}"))
        else:
            found.append(Clause(guard.text(), "has to hold"))
    for each in assumptions(graph.program):
        found.append(Clause(f"`{each.code}`", f"gives {each.value} ({each.place})"))
    return tuple(found)


def _ranges(graph: Graph) -> dict[str, tuple[int, int | None]]:
    found: dict[str, tuple[int, int | None]] = {}
    for symbol, bounds in graph.program.range_constraints.items():
        low = int(bounds.lower) if bounds.lower.is_Integer else 0
        # torch represents "no limit" by a number near the largest 64-bit integer.
        finite = bounds.upper.is_Integer and int(bounds.upper) < 2**31
        name = str(symbol)
        for inner, readable in graph.symbols.items():
            name = name.replace(inner, readable)
        found[name] = (low, int(bounds.upper) if finite else None)
    return found
