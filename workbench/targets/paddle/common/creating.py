"""Common parts of the rules of functions that create tensors: sizes, devices, layouts."""

from __future__ import annotations

from dataclasses import replace

from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Refusal, Rewrite
from workbench.source.types.lattice import UNKNOWN, Plain, TorchObject

MAKING = ", dtype={dtype}, device={device}, requires_grad={requires_grad})"
LIKE = MAKING
IGNORED = {
    "layout": "dense tensors have only the strided layout",
    "pin_memory": "page-locked memory affects only the speed of copies",
    "memory_format": "the memory layout affects only speed",
}
UNSEEN = {name: IGNORED[name] for name in ("layout", "pin_memory")}
_STRIDED = frozenset({"torch.strided"})


def problem(match: Match, draws: bool = False) -> Refusal | None:
    """Return a refusal for arguments that change the result in a way that Paddle does not support.

    A generator is no reason to refuse if the rule `draws` from it.
    """
    layout = match.value("layout")
    if "layout" in match and layout is not UNKNOWN:
        none = isinstance(layout, Plain) and layout.kind == "NoneType"
        if not none and not (isinstance(layout, TorchObject) and layout.name in _STRIDED):
            return Refusal(
                "Paddle makes tensors of other layouts with separate functions", "paddle.sparse"
            )
    if match.given("out") and match.given("requires_grad"):
        return Refusal("Paddle cannot set `requires_grad` of a tensor given as `out`")
    for name in ("names",) if draws else ("names", "generator"):
        if name in match and not match.is_default(name):
            if name == "generator" and match.constant(name, None) is None:
                continue
            return Refusal(_REASONS[name])
    return None


_REASONS = {
    "names": "Paddle has no named dimensions",
    "generator": "Paddle draws only from its global generator",
}


def into_out(match: Match, outcome: Outcome) -> Outcome:
    """Return the outcome that writes its result to the tensor given as `out`."""
    if not isinstance(outcome, Rewrite) or not match.given("out"):
        return outcome
    return replace(outcome, template=f"torch_out({outcome.template}, {{out}})")


def sizes(match: Match, parameter: str = "size") -> str:
    """Return the placeholder of a size; an ambiguous argument is unchanged."""
    argument = match.arguments.get(parameter)
    lone = argument is not None and argument.variadic and len(argument.nodes) == 1
    if lone and not match.is_number(parameter) and _takes_either(match):
        return f"*{{{parameter}}}"
    return f"{{{parameter}}}"


def single(match: Match, parameter: str) -> Refusal | None:
    """Return a refusal if a single argument does not fit the overload `f(size)` or `f(*size)`."""
    argument = match.arguments.get(parameter)
    if argument is None or len(argument.nodes) != 1 or argument.starred:
        return None
    if argument.variadic == match.is_number(parameter):
        return None
    if match.is_tensor(parameter) and _takes_either(match):
        return None  # torch accepts a tensor with a number
    return Refusal(
        "it is not known whether the one argument is the whole size or a single dimension"
    )


def _takes_either(match: Match) -> bool:
    """Return whether Paddle's functions accept a size or its numbers, as in torch (since 3.3)."""
    return not match.target or [int(n) for n in match.target.split(".")[:2]] >= [3, 3]
