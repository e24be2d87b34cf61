"""Where a check's difference comes from: the lines of both sides, and the likely cause, tested."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any

import torch

from workbench.targets.port import Ports
from workbench.verify.locating.matching import Parting, part, rearranges, same_places
from workbench.verify.locating.tracing import Step, Trace, port_trace, torch_trace
from workbench.verify.result import Where
from workbench.verify.sides.places import Births, package_of
from workbench.verify.sides.sides import Sides

# What changes how a model is trained, or nothing at all.
_ASIDE = frozenset({"training"})
# Layers that torch computes in one operation, of whatever operations the port's are made.
_LEVELS = frozenset({"lstm", "gru", "rnn_tanh", "rnn_relu"})


def locate(
    sides: Sides, births: Births, *, training: bool, agrees: Callable[[], bool], step: int = 0
) -> list[Where]:
    """Where a forward pass (and the loss) parts, the likeliest place first.

    Args:
        sides: both models.
        births: where their parts were made.
        training: in which mode the sides part.
        agrees: runs the check again; True if it agrees now.
        step: whose batch it is that the sides take.
    """
    ours, theirs = traces(sides, training=training, step=step)
    parting = part(ours, theirs)
    found = places_of(parting, ours, theirs, births, sides.ports)
    set_otherwise = list(settings_that_differ(sides, births, agrees))
    near = [w for w in set_otherwise if w.tested]
    if near:
        return near + found
    return ordered(parting, found, set_otherwise, births)


def ordered(
    parting: Parting, found: list[Where], set_otherwise: list[Where], births: Births
) -> list[Where]:
    """Places of a parting with those of settings: first those of the part that it lies in."""
    if parting.theirs is not None and parting.theirs.part is not None:
        born = births.of(parting.theirs.part)
        inner = [w for w in set_otherwise if w.port == str(born)]
        return inner + found + [w for w in set_otherwise if w not in inner]
    return found + set_otherwise


def places_of(
    parting: Parting, ours: Trace, theirs: Trace, births: Births, ports: Ports
) -> list[Where]:
    """The lines at which two traces part; none where they do not."""
    if parting.theirs is None and parting.ours is None:
        return []
    layer = parting.theirs.part if parting.theirs is not None else None
    whole = parting.ours is not None and parting.ours.name in _LEVELS
    made = layer is not None and (whole or not ports.held(layer))
    return _of_steps(parting, ours, theirs, births, made)


def traces(sides: Sides, *, training: bool, step: int = 0) -> tuple[Trace, Trace]:
    """A forward pass (and the loss) of either side, operation by operation."""
    ours, theirs = Trace("torch"), Trace(sides.ports.package)
    stream = sides.torch_pass(training=training, step=step, around=lambda: torch_trace(ours)).stream
    around = lambda: port_trace(theirs, sides.ports)  # noqa: E731
    sides.port_pass(stream, training=training, step=step, around=around)
    return ours, theirs


def settings_that_differ(
    sides: Sides, births: Births, agrees: Callable[[], bool] | None
) -> Iterator[Where]:
    """Parts of both sides that were made otherwise, each tried with the original's setting."""
    yield from made_otherwise(paired_parts(sides), births, sides.ports, agrees)


def made_otherwise(
    pairs: Iterable[tuple[torch.nn.Module, Any]],
    births: Births,
    ports: Ports,
    agrees: Callable[[], bool] | None = None,
) -> Iterator[Where]:
    """The same for pairs of modules."""
    for mine, other in pairs:
        theirs = ports.settings(other)
        for name, value in theirs.items():
            wanted = getattr(mine, name, None)
            if name in _ASIDE or wanted is None or _equal(wanted, value):
                continue
            tested = False
            if agrees is not None and ports.set_setting(other, name, wanted):
                tested = agrees()
                ports.set_setting(other, name, value)
            yield Where(
                str(births.of(other) or ""),
                str(births.of(mine) or ""),
                f"{type(other).__name__} was made otherwise",
                f"{name} is {value} in the port and {wanted} in the original",
                tested,
            )


def paired_parts(sides: Sides) -> list[tuple[torch.nn.Module, Any]]:
    """Parts of both sides that are each other's: by their tensors, then by kind and order."""
    if not sides.has_weights:
        return []
    modules = dict(sides.ours.named_modules())
    parts = sides.ports.parts(sides.theirs)
    found: dict[int, tuple[torch.nn.Module, Any]] = {}
    for pair in sides.pairs:
        mine = modules.get(pair.ours[0].rpartition(".")[0])
        other = parts.get(pair.theirs[0].rpartition(".")[0])
        if mine is not None and other is not None and len(pair.ours) == len(pair.theirs) == 1:
            found[id(other)] = mine, other
    used = {id(mine) for mine, _ in found.values()}
    packages = ("torch", sides.ports.package)
    kinds = {_kind(m, packages) for m in modules.values()} & {
        _kind(p, packages) for p in parts.values()
    }
    for kind in sorted(kinds):
        left = [m for m in modules.values() if _kind(m, packages) == kind and id(m) not in used]
        right = [p for p in parts.values() if _kind(p, packages) == kind and id(p) not in found]
        if len(left) == len(right):
            found.update({id(p): (m, p) for m, p in zip(left, right, strict=True)})
    return list(found.values())


def _kind(part: Any, packages: Collection[str]) -> str:
    return type(part).__name__.lower() if package_of(part) in packages else ""


def _equal(wanted: Any, value: Any) -> bool:
    def flat(one: Any) -> list[Any]:
        return list(one) if isinstance(one, list | tuple) else [one]

    a, b = flat(wanted), flat(value)
    size = max(len(a), len(b))
    a, b = (one * size if len(one) == 1 else one for one in (a, b))
    if any(not isinstance(x, int | float) for x in (*a, *b)):
        return not all(isinstance(x, type(y)) for x, y in zip(a, b, strict=False)) or a == b
    return len(a) == len(b) and all(
        abs(x - y) <= 1e-9 * max(1e-12, abs(x), abs(y)) for x, y in zip(a, b, strict=True)
    )


def _of_steps(
    parting: Parting, left: Trace, right: Trace, births: Births, made: bool
) -> list[Where]:
    """The operations at which two traces part, and the one before where the port lacks one.

    With `made` the port's is all that its layer does, so that the line that makes it decides.
    """
    ours, theirs = parting.ours, parting.theirs
    if theirs is None:
        name = ours.name if ours is not None else ""
        last = right.steps[-1] if right.steps else None
        what = f"the original's {name} has no counterpart"
        return [Where(_line(last, ours), _line(ours, ours), what)]
    if ours is None:
        return [Where(_line(theirs, None), "", f"{theirs.name} gives what the original never has")]
    what = f"{theirs.name} gives what the original's {ours.name} does not"
    if parting.moved:
        what = f"{theirs.name} leaves values in other places than the original's {ours.name}"
    taken = set(ours.outputs)
    missing = any(s.name == theirs.name and taken & set(s.inputs) for s in left.steps)
    line = _line(theirs, ours if missing else None)
    first = Where(line, _line(ours, ours), what, _cause(ours, theirs, left, right))
    if made and not missing:
        first.port = str(births.of(theirs.part) or first.port)
    given = set(theirs.inputs)
    before = [step for step in right.steps if given & set(step.outputs)]
    if ours.name == theirs.name or not before:
        return [first]
    what = f"the original's {ours.name} may be missing behind {before[-1].name}"
    second = Where(_line(before[-1], ours), first.original, what)
    if parting.all_known and rearranges(left, ours) and not rearranges(right, theirs):
        value = left.values[ours.inputs[0]]
        giving = (step for step in right.steps if _gives(step, value, right))
        last = next(giving, before[-1])
        what = f"the original's {ours.name} is missing behind {last.name}"
        return [Where(_line(last, ours), first.original, what), first]
    return [first, second]


def _gives(step: Step, value: torch.Tensor, trace: Trace) -> bool:
    """Whether an operation gives a value."""
    given = (trace.values[number] for number in step.outputs)
    return any(one.numel() == value.numel() and same_places(one, value) for one in given)


def _line(step: Step | None, ours: Step | None) -> str:
    """An operation's line, or among those that led to it the one as deep as the original's.

    What goes on as the original does behind an operation that it lacks was called too early.
    """
    lines = step.lines if step is not None else ()
    depth = len(ours.lines) if ours is not None and ours.lines else len(lines)
    return str(lines[max(0, len(lines) - depth)]) if lines else ""


def _cause(ours: Step, theirs: Step, left: Trace, right: Trace) -> str:
    if "dropout" in theirs.name and "dropout" not in ours.name:
        return "dropout acts here, and not in the original"
    a, b = left.values[ours.outputs[0]], right.values[theirs.outputs[0]]
    if "gelu" in ours.name and "gelu" in theirs.name:
        return "GELU's form: exact on one side, by tanh on the other"
    if "softmax" in ours.name and "softmax" in theirs.name:
        return "softmax over another axis"
    if a.shape == b.shape and a.is_floating_point() and b.is_floating_point() and bool(a.any()):
        ratio = (b.double() * a.double()).sum() / a.double().square().sum()
        close = 1e-5 * float(b.abs().max())  # near zero all is rounding
        scaled = torch.allclose(b.double(), ratio * a.double(), rtol=1e-5, atol=close)
        if scaled and abs(ratio - 1) > 1e-4:
            return f"the port's value is the original's times {float(ratio):.6g}"
        apart = b.double() - a.double()
        if torch.allclose(apart, apart.reshape(-1)[0].expand_as(apart), rtol=1e-4, atol=1e-12):
            return f"the port's value is the original's and {float(apart.reshape(-1)[0]):.6g}"
    if ours.name.strip("_") != theirs.name.strip("_"):
        return f"the original calls {ours.name} where the port calls {theirs.name}"
    mine, other = _numbers(ours), _numbers(theirs)
    if mine != other:
        return f"called with {other or 'no number'}, the original's with {mine or 'none'}"
    return ""


def _numbers(step: Step) -> str:
    """The numbers that an operation was called with; what else it takes has no counterpart."""
    return ", ".join(n for n in step.numbers.split(", ") if n.lstrip("-")[:1].isdigit())
