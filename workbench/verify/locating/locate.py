"""Location of a check's difference: the lines of both sides, and the likely cause, tested."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any

import torch

from workbench.streams.recurrent import KINDS
from workbench.targets.port import Ports
from workbench.verify.locating.lines import (
    line_as_deep,
    line_of_number,
    line_that_passes,
    lines_at_fault,
    made_at,
    numbers_of,
    own_line,
)
from workbench.verify.locating.matching import (
    Divergence,
    alike,
    divergence_of,
    found_in,
    hidden,
    hides,
    kind_of,
    turned_before,
)
from workbench.verify.locating.missing import missing_behind
from workbench.verify.locating.tracing import Step, Trace, port_trace, torch_trace
from workbench.verify.result import Where
from workbench.verify.sides.literals import line_of_keyword, line_of_value, other_argument
from workbench.verify.sides.places import Births, Place, package_of
from workbench.verify.sides.sides import Sides

# Affects how a model is trained, or nothing.
_IRRELEVANT = frozenset({"training"})
# Arguments that configure these parts of composite layers, such as Paddle's transformer layers.
_SAYING = {
    "dropout": ("act_dropout", "attn_dropout", "dropout"),
    "norm": ("normalize_before",),
    "elu": ("activation",),
}
# For other settings None lets the framework decide; for these it means that there is none.
_OR_NONE = frozenset({"padding_idx"})


def locate(
    sides: Sides,
    births: Births,
    *,
    training: bool,
    agrees: Callable[[], bool],
    step: int = 0,
    buffers_alone: bool = False,
) -> list[Where]:
    """Return where a forward pass (and the loss) diverges, the likeliest location first.

    Args:
        sides: both models.
        births: where their modules were created.
        training: the mode in which the sides diverge.
        agrees: repeats the check; returns True if it agrees now.
        step: index of the batch.
        buffers_alone: the outputs agree, and only buffers differ.
    """
    ours, theirs = traces(sides, training=training, step=step)
    divergence = divergence_of(ours, theirs, elsewhere=buffers_alone)
    found = places_of(divergence, ours, theirs, births, sides.ports)
    differing_settings = list(settings_that_differ(sides, births, agrees))
    near = [where for _, where in differing_settings if where.tested]
    if near or buffers_alone:
        return (near or [where for _, where in differing_settings]) + found
    return ordered(divergence, found, differing_settings)


def ordered(
    divergence: Divergence, found: list[Where], differing_settings: list[tuple[Any, Where]]
) -> list[Where]:
    """Merge locations from traces and from settings: settings of the diverging layer come first."""
    part = divergence.theirs.part if divergence.theirs is not None else None
    inner = [where for one, where in differing_settings if one is part]
    return inner + found + [where for one, where in differing_settings if one is not part]


def places_of(
    divergence: Divergence, ours: Trace, theirs: Trace, births: Births, ports: Ports
) -> list[Where]:
    """Return the lines at which two traces diverge, or none."""
    if divergence.theirs is None and divergence.ours is None:
        return []
    layer = divergence.theirs.part if divergence.theirs is not None else None
    # torch computes these layers in one operation; the port may compute them in several.
    whole = divergence.ours is not None and divergence.ours.name in KINDS
    made = layer is not None and (whole or not ports.held(layer))
    return _of_steps(divergence, ours, theirs, births, ports, made)


def traces(sides: Sides, *, training: bool, step: int = 0) -> tuple[Trace, Trace]:
    """Trace a forward pass (and the loss) of either side, operation by operation."""
    ours, theirs = Trace("torch"), Trace(sides.ports.package)
    with sides.restored(parameters=False):
        around = lambda: torch_trace(ours)  # noqa: E731
        mine = sides.torch_pass(training=training, step=step, around=around)
    around = lambda: port_trace(theirs, sides.ports)  # noqa: E731
    other = sides.port_pass(mine.stream, training=training, step=step, around=around)
    for trace, given in ((ours, mine), (theirs, other)):
        trace.end_with(given.outputs.values() if given.loss is None else [given.loss])
    sides.carry()
    return ours, theirs


def settings_that_differ(
    sides: Sides, births: Births, agrees: Callable[[], bool] | None
) -> Iterator[tuple[Any, Where]]:
    """Yield the port's modules with different settings, each tried with the original's setting."""
    yield from differing_modules(paired_parts(sides), births, sides.ports, agrees)


def differing_modules(
    pairs: Iterable[tuple[torch.nn.Module, Any]],
    births: Births,
    ports: Ports,
    agrees: Callable[[], bool] | None = None,
) -> Iterator[tuple[Any, Where]]:
    """Yield the modules with different settings among pairs of modules."""
    pairs = list(pairs)
    right: dict[str, list[Any]] = defaultdict(list)
    alike: dict[tuple[str, str], list[Any]] = defaultdict(list)  # by the setting that differs
    wrong = []
    for mine, other in pairs:
        settings = ports.settings(other)
        levels = settings.get("num_layers")
        if levels is not None and levels != getattr(mine, "num_layers", levels):
            continue  # one level of a recurrent layer has other settings than the whole
        for name, value in settings.items():
            wanted = getattr(mine, name, None)
            if name in _IRRELEVANT or (wanted is None and name not in _OR_NONE):
                continue
            if wanted == value if name in _OR_NONE else _equal(wanted, value):
                right[name].append(other)
            else:
                kind = name, repr((value, wanted))
                alike[kind].append(other)
                wrong.append((mine, other, kind, value, wanted))
    tests: dict[tuple[str, str], bool] = {}
    for mine, other, kind, value, wanted in wrong:
        name = kind[0]
        if kind not in tests:
            tests[kind] = agrees is not None and _agrees_with(
                alike[kind], name, value, wanted, ports, agrees
            )
        what = f"{type(other).__name__} was created with other settings"
        cause = f"{name} is {value} in the port and {wanted} in the original"
        for line in _lines_of_setting(other, name, value, right[name], births):
            yield other, Where(line, str(births.of(mine) or ""), what, cause, tests[kind])


def _agrees_with(
    parts: list[Any], name: str, value: Any, wanted: Any, ports: Ports, agrees: Callable[[], bool]
) -> bool:
    """Return whether both sides agree once all modules with one setting have the original's."""
    changed = [one for one in parts if ports.set_setting(one, name, wanted)]
    found = bool(changed) and agrees()
    for one in changed:
        ports.set_setting(one, name, value)
    return found


def _lines_of_setting(
    part: Any, name: str, value: Any, right: list[Any], births: Births
) -> list[str]:
    """Return the lines that give a module its setting; other modules of that line may be right."""
    born = births.of(part)
    if born is None:
        return [""]
    others = [other for other in right if births.of(other) == born]
    if others:
        return list(dict.fromkeys([*made_at(part, others, births), str(born)]))
    written = line_of_value(born, value)
    if written is None and name == "momentum":  # other frameworks keep 1 - momentum
        written = line_of_value(born, round(1 - value, 12))
    return list(dict.fromkeys([str(written or born), str(born)]))


def paired_parts(sides: Sides) -> list[tuple[torch.nn.Module, Any]]:
    """Pair the modules of both sides: by their tensors, then by kind and order."""
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
    divergence: Divergence, left: Trace, right: Trace, births: Births, ports: Ports, made: bool
) -> list[Where]:
    """Return the operations at which two traces diverge, and where the port lacks an operation.

    With `made`, the step is all that its layer does, so the line that creates the layer decides.
    """
    ours, theirs = divergence.ours, divergence.theirs
    if theirs is None:
        name = ours.name if ours is not None else ""
        last = right.steps[-1] if right.steps else None
        what = f"the original computes {name}, which the port never computes"
        return [Where(line_as_deep(last, ours), own_line(ours), what)]
    mask = _other_mask(ours, theirs, left, right) if ours is not None else ""
    lines = []
    if not divergence.moved:
        lines = lines_at_fault(
            theirs, right, divergence.known, births, ports, masks_first=bool(mask)
        )
    lines = lines or [own_line(theirs)]
    if ours is None:
        what = f"{theirs.name} gives values that the original never has"
        return [Where(line, "", what) for line in lines]
    what = f"{theirs.name} gives other values than the original's {ours.name}"
    if divergence.moved:
        what = f"{theirs.name} gives the values of the original's {ours.name} at other positions"
    if made and (born := births.of(theirs.part)):
        lines = [str(born), *lines[1:]]
    cause = mask or _cause(ours, theirs, left, right)
    number = line_of_number(theirs, ours, right, divergence.known, births)
    if number and kind_of(ours) == kind_of(theirs):
        lines = [number, *lines]
    found = [Where(line, own_line(ours), what, cause) for line in dict.fromkeys(lines)]
    if not made and (written := _written_otherwise(ours, theirs, births)):
        found.insert(0, Where(str(written[0]), own_line(ours), what, written[1]))
    if kind_of(ours) != kind_of(theirs) and (line := _made_with(ours, theirs, births)):
        found.insert(0, Where(line, own_line(ours), what, cause))
    if kind_of(ours) == kind_of(theirs) and (
        line := _line_that_passes_other(divergence, left, right)
    ):
        message = f"{theirs.name} gets another value than the original's {ours.name}"
        found.insert(0, Where(line, own_line(ours), message))
    for step in [] if divergence.moved else turned_before(theirs, right):
        message = f"{step.name}, whose values {theirs.name} reads, may give them at other positions"
        found.append(Where(own_line(step), "", message))
    if divergence.table is not None:
        message = f"{divergence.table.name} gives values that the original never has"
        tables = lines_at_fault(divergence.table, right, divergence.known, births, ports)
        found += [Where(line, "", message) for line in tables]
    places, missing = missing_behind(divergence, ours, theirs, left, right, births)
    return [*places, *found] if missing else [*found, *places]


def _written_otherwise(ours: Step, theirs: Step, births: Births) -> tuple[Place, str] | None:
    """Return the argument that the port's call writes differently, and its values, or None."""
    calls = (*ours.lines[:1], births.of(ours.part) if ours.part is not None else None)
    if not theirs.lines:
        return None
    found = (other_argument(theirs.lines[0], call) for call in calls if call is not None)
    return next((one for one in found if one is not None), None)


def _made_with(ours: Step, theirs: Step, births: Births) -> str:
    """Return the argument of a composite layer that selects the differing operation."""
    born = births.of(theirs.part) if theirs.part is not None else None
    words = (word for key, word in _SAYING.items() if key in theirs.name or key in ours.name)
    lines = (line_of_keyword(born, *word) for word in words if born is not None)
    return str(next((line for line in lines if line is not None), ""))


def _line_that_passes_other(divergence: Divergence, left: Trace, right: Trace) -> str:
    """Return the line that passes a different value to the port's operation, or "".

    Both sides have both values, such as a query in the place of a value. If the function also has
    the right value, its own line is wrong, unless another call of it is right.
    """
    ours, theirs = divergence.ours, divergence.theirs
    assert ours is not None and theirs is not None
    mine = [left.values[number] for number in ours.inputs]
    taken = [right.values[number] for number in theirs.inputs]
    here = [step for step in right.steps if step.lines[:1] == theirs.lines[:1]]
    proven = any(step.outputs[0] in divergence.known for step in here if step.name == theirs.name)
    within = [step for step in right.steps if step.frames[:1] == theirs.frames[:1]]
    held = {number for step in within for number in (*step.inputs, *step.outputs)}
    for number, value in zip(theirs.inputs, taken, strict=True):
        others = [one for one in mine if one.numel() == value.numel() > 1]
        if not value.is_floating_point() or not others or any(alike(value, o) for o in others):
            continue
        wanted = [one for one in others if not any(alike(one, own) for own in taken)]
        if proven or not any(held & found_in(right, one) for one in wanted):
            return line_that_passes(theirs, number, right)
    return ""


def _other_mask(ours: Step, theirs: Step, left: Trace, right: Trace) -> str:
    """Return a message if both operations apply masks that differ, else ""."""
    mine, others = _masks_of(ours, left), _masks_of(theirs, right)
    if len(mine) != 1 or len(others) != 1 or mine[0].numel() != others[0].numel():
        return ""
    first, second = mine[0].flatten(), others[0].flatten()
    if first.equal(second):
        return ""
    return f"the mask {'is inverted' if first.equal(~second) else 'hides others'}"


def _masks_of(step: Step, trace: Trace) -> list[torch.Tensor]:
    """Return the masks that an operation takes; True where elements are hidden."""
    taken = [trace.values[number] for number in step.inputs]
    found = [hidden(one) for one in taken if one.is_floating_point() and hides(one)]
    if step.name.startswith("masked_fill"):
        found += [one for one in taken if one.dtype is torch.bool]
    return found


def _cause(ours: Step, theirs: Step, left: Trace, right: Trace) -> str:
    if "dropout" in theirs.name and "dropout" not in ours.name:
        return "dropout acts here, and not in the original"
    a, b = left.values[ours.outputs[0]], right.values[theirs.outputs[0]]
    if "gelu" in ours.name and "gelu" in theirs.name:
        return "GELU is exact on one side, and approximated by tanh on the other"
    if "softmax" in ours.name and "softmax" in theirs.name:
        return "softmax over another axis"
    if bool(a.isnan().any()) is not bool(b.isnan().any()):
        return f"NaN in the {'port' if bool(b.isnan().any()) else 'original'} alone"
    if a.shape == b.shape and _finite(a) and _finite(b) and bool(a.any()):
        ratio = (b.double() * a.double()).sum() / a.double().square().sum()
        close = 1e-5 * float(b.abs().max())  # near zero all is rounding
        scaled = torch.allclose(b.double(), ratio * a.double(), rtol=1e-5, atol=close)
        if scaled and abs(ratio - 1) > 1e-4:
            return f"the port's value is the original's times {float(ratio):.6g}"
        apart = b.double() - a.double()
        if torch.allclose(apart, apart.reshape(-1)[0].expand_as(apart), rtol=1e-4, atol=1e-12):
            constant = float(apart.reshape(-1)[0])
            return f"the port's value is the original's plus a constant, {constant:.6g}"
    if ours.name.strip("_") != theirs.name.strip("_"):
        return f"the values diverge here: the port calls {theirs.name}, the original {ours.name}"
    mine, other = (numbers_of(step) for step in (ours, theirs))
    if set(mine) - set(other) and set(other) - set(mine):
        words = ", ".join(other), ", ".join(mine)
        return f"{theirs.name} is called with {words[0]}, and the original's with {words[1]}"
    return ""


def _finite(value: torch.Tensor) -> bool:
    return value.is_floating_point() and bool(value.isfinite().all())
