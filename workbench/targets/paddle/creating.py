"""What the rules of functions that make tensors share: sizes, devices, layouts."""

from __future__ import annotations

from dataclasses import replace

from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Refusal, Rewrite
from workbench.source.types.lattice import UNKNOWN, Plain, TorchObject

MAKING = ", dtype={dtype}, device={device}, requires_grad={requires_grad})"
LIKE = MAKING
IGNORED = {
    "layout": "strided is the only layout of dense tensors",
    "pin_memory": "page-locked memory changes the speed of copies alone",
    "memory_format": "how values lie in memory changes speed alone",
}
UNSEEN = {name: IGNORED[name] for name in ("layout", "pin_memory")}
_STRIDED = frozenset({"torch.strided"})


def problem(match: Match, draws: bool = False) -> Refusal | None:
    """A refusal for arguments that change what is made in a way that Paddle does not know.

    A generator is none of them where the rule `draws` from it.
    """
    layout = match.value("layout")
    if "layout" in match and layout is not UNKNOWN:
        none = isinstance(layout, Plain) and layout.kind == "NoneType"
        if not none and not (isinstance(layout, TorchObject) and layout.name in _STRIDED):
            return Refusal(
                "Paddle makes other layouts with functions of their own", "paddle.sparse"
            )
    if match.given("out") and match.given("requires_grad"):
        return Refusal("whether `out` keeps gradients is not said to Paddle with its values")
    for name in ("names",) if draws else ("names", "generator"):
        if name in match and not match.is_default(name):
            if name == "generator" and match.constant(name, None) is None:
                continue
            return Refusal(_REASONS[name])
    return None


_REASONS = {
    "names": "Paddle has no named dimensions",
    "generator": "Paddle draws from its global generator alone",
}


def into_out(match: Match, outcome: Outcome) -> Outcome:
    """The outcome, with what is made written into the tensor that is given as `out`."""
    if not isinstance(outcome, Rewrite) or not match.given("out"):
        return outcome
    return replace(outcome, template=f"torch_out({outcome.template}, {{out}})")


def sizes(match: Match, parameter: str = "size") -> str:
    """The placeholder of a size; what may be a number or the whole size stays as it is written."""
    argument = match.arguments.get(parameter)
    lone = argument is not None and argument.variadic and len(argument.nodes) == 1
    if lone and not match.is_number(parameter) and _takes_either(match):
        return f"*{{{parameter}}}"
    return f"{{{parameter}}}"


def single(match: Match, parameter: str) -> Refusal | None:
    """Of the overloads `f(size)` and `f(*size)`, the one that a lone argument is not meant for."""
    argument = match.arguments.get(parameter)
    if argument is None or len(argument.nodes) != 1 or argument.starred:
        return None
    if argument.variadic == match.is_number(parameter):
        return None
    if match.is_tensor(parameter) and _takes_either(match):
        return None  # torch takes one that holds a number
    return Refusal("one argument may be the whole size or the first of several")


def _takes_either(match: Match) -> bool:
    """Whether Paddle's functions take the whole size or its numbers, as torch's do: from 3.3 on."""
    return not match.target or [int(n) for n in match.target.split(".")[:2]] >= [3, 3]
