"""Limits of the target on a machine: kernels for a dtype, and devices."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from workbench.rules.difference import Difference
from workbench.rules.match import Match, literal
from workbench.rules.outcome import Keep, Outcome, Refusal, Rewrite, as_rewrite
from workbench.rules.rule import Rule
from workbench.rules.template import compile_template
from workbench.source.types.dtypes import of_value
from workbench.source.types.lattice import HALVES, Items, Table, Tensor, TorchObject, Value
from workbench.source.uses import Use
from workbench.targets import Target
from workbench.targets.evidence import unsupported

_HALVES = frozenset({"torch.float16", "torch.bfloat16"})
_NO_LAYERS = ("torch.nn.functional.", "torch.nn.init.", "torch.nn.utils.", "torch.nn.attention.")


def with_kernels(use: Use, rule: Rule, outcome: Outcome, target: Target) -> Outcome:
    """Return the outcome with a caveat for dtypes without a kernel in the target's proofs."""
    values = (use.receiver_value, *use.values, *use.keywords.values())
    if not isinstance(outcome, Refusal) and _gives_half_precision(use):
        outcome = replace(outcome, differs=(*outcome.differs, Difference.HALVES_ON_CPU))
    known = set(_held_dtypes(values))
    if not isinstance(outcome, Refusal) and _makes_half_precision_layers(rule, values):
        caveat = f"on a CPU {target.title} raises an error for most layers in half precision"
        return replace(outcome, caveat=f"{outcome.caveat}; {caveat}" if outcome.caveat else caveat)
    if isinstance(outcome, Refusal) or known <= {"float32"}:
        return outcome
    lacking = unsupported(rule.name, target.name)
    if rule.name.startswith("torch.Tensor."):
        lacking |= unsupported(f"torch.{rule.name.rpartition('.')[2]}", target.name)
    if "bfloat16" in lacking:
        lacking |= {"float16"}  # both are halves, and a CPU seldom has only one of them
    if "complex64" in lacking:
        lacking |= {"complex", "complex128"}
    missing = sorted(known & lacking)
    if not missing:
        return outcome
    caveat = f"on a CPU {target.title} raises an error for tensors of {' and '.join(missing)}"
    return replace(outcome, caveat=f"{outcome.caveat}; {caveat}" if outcome.caveat else caveat)


def _gives_half_precision(use: Use) -> bool:
    """Return whether a call gives tensors of half precision: `x.half()`, `x.to(torch.bfloat16)`."""
    name = use.name.removeprefix("torch.")
    if name in {"Tensor.half", "Tensor.bfloat16"}:
        return True
    given = [use.keywords.get("dtype")] + use.values * (name in {"Tensor.to", "Tensor.type"})
    return "autocast" not in name and any(
        isinstance(one, TorchObject) and of_value(one) in HALVES for one in given
    )


def _held_dtypes(values: Iterable[Value | None]) -> Iterator[str]:
    """Yield the dtypes of tensors, and of those that lists and tables of arguments hold."""
    for value in values:
        if isinstance(value, Tensor) and value.dtype:
            yield value.dtype
        elif isinstance(value, Items):
            yield from _held_dtypes(value.items or (value.item,))
        elif isinstance(value, Table):
            yield from _held_dtypes((value.item,))


def _makes_half_precision_layers(rule: Rule, values: Iterable[Value | None]) -> bool:
    """Return whether layers are made of, or turned into, numbers of half precision."""
    if rule.name in {"torch.nn.Module.half", "torch.nn.Module.bfloat16"}:
        return True
    of_layers = rule.name.startswith("torch.nn.") and not rule.name.startswith(_NO_LAYERS)
    names = {value.name for value in values if isinstance(value, TorchObject)}
    return of_layers and not names.isdisjoint(_HALVES)


def lacking_device(match: Match, target: Target) -> Refusal | None:
    """Return a refusal where a device is named that the target does not have."""
    given = [match.constant("device", None)]
    if match.use.name.endswith(".to") and (placed := match.arguments.get("args")):
        given += map(literal, placed.nodes)
    for device in given:
        kind = device.partition(":")[0] if isinstance(device, str) else None
        if kind == "meta" and match.use.name == "torch.nn.Module.to":
            continue  # the module may stay where it is
        if kind is not None and target.devices and kind not in target.devices:
            return Refusal(f"{target.title} has no device {kind!r}")
    return None


def _with_arguments(match: Match, outcome: Rewrite) -> str:
    """Return the template that calls what an outcome calls, with the use's own arguments."""
    placed, parts = len(match.use.arguments), []
    for name, given in sorted(match.arguments.items(), key=lambda item: item[1].indexes[0]):
        keyword = "" if given.indexes[0] < placed else f"{name}="
        parts.append(f"{keyword}{{{name}}}")
    return f"{outcome.template}({', '.join(parts)})"


def without_cpu_index(match: Match, outcome: Outcome) -> Outcome:
    """Write `device="cpu:0"` without the index, which only torch accepts for a CPU."""
    if match.use.name == "torch.device" or match.constant("device", None) != "cpu:0":
        return outcome
    if isinstance(outcome, Keep) and match.use.receiver is not None:
        outcome = as_rewrite(outcome, f"{{self}}.{match.use.name.rpartition('.')[2]}")
    if not isinstance(outcome, Rewrite):
        return outcome
    if outcome.callee_only:
        outcome = replace(outcome, template=_with_arguments(match, outcome), callee_only=False)
    placed = "device" in compile_template(outcome.template).placeholders
    return replace(outcome, texts={**outcome.texts, "device": "'cpu'"}) if placed else outcome
