"""Creation of tensors of evenly spaced numbers."""

from __future__ import annotations

from workbench.rules.family import Family
from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Refusal, Rewrite
from workbench.source.types.dtypes import of_value
from workbench.source.uses import UseKind
from workbench.targets.paddle.common.creating import IGNORED, MAKING, UNSEEN, into_out, problem

rules = Family()

# Dtypes for which Paddle has no CPU kernel of ranges.
_NARROW = frozenset({"float16", "bfloat16", "uint8", "int8", "int16", "complex64", "complex128"})


def _is_narrow(match: Match) -> bool:
    return of_value(match.value("dtype")) in _NARROW


@rules.rule("torch.arange", unpacked="paddle.arange(...)", value="paddle.arange")
def arange(match: Match) -> Outcome:
    if (refusal := problem(match)) is not None:
        return refusal
    consumed = frozenset(IGNORED) & match.arguments.keys()
    rest = ", dtype={dtype}, device={device}, requires_grad={requires_grad})"
    if _is_narrow(match) and match.use.kind is not UseKind.PARTIAL:
        ends = [name for name in ("start", "end") if name in match]
        first, last = ("0", *(f"{{{name}}}" for name in ends))[-2:]
        text = f"torch_arange({first}, {last}, {{step=1}}, dtype={{dtype}}"
        text += ", device={device}, requires_grad={requires_grad})"
        return into_out(match, Rewrite(text, consumed=consumed))
    if match.use.kind is UseKind.PARTIAL:
        if match.given("start", "end", "step"):
            return Refusal("whether these numbers are start, end or step depends on later calls")
        return Rewrite("paddle.arange(" + rest.removeprefix(", "), consumed=consumed)
    start = "{start}" if "start" in match else "0"
    made = Rewrite(f"paddle.arange({start}, {{end}}, {{step}}{rest}", consumed=consumed)
    return into_out(match, made)


rules.row(
    "torch.range",
    "torch_range({start=0}, {end}, {step=1}, dtype={dtype}, device={device}, "
    "requires_grad={requires_grad})",
    ignored=UNSEEN,
)


@rules.rule(
    "torch.linspace",
    value="paddle.linspace",
    unpacked="(lambda start, end, steps, *, dtype=None, layout=None, device=None, "
    "pin_memory=False, requires_grad=False: torch_linspace(start, end, steps, dtype, device, "
    "requires_grad))(...)",
)
def linspace(match: Match) -> Outcome:
    if (refusal := problem(match)) is not None:
        return refusal
    unseen = frozenset(UNSEEN) & match.arguments.keys()
    made = "torch_linspace" if _is_narrow(match) else "paddle.linspace"
    text = f"{made}({{start}}, {{end}}, {{steps}}{MAKING}"
    return into_out(match, Rewrite(text, consumed=unseen))


@rules.rule(
    "torch.logspace",
    unpacked="(lambda start, end, steps, base=10.0, *, dtype=None, layout=None, device=None, "
    "pin_memory=False, requires_grad=False: torch_logspace(start, end, steps, base, dtype, "
    "device, requires_grad))(...)",
)
def logspace(match: Match) -> Outcome:
    """Write Paddle's function for a positive number of steps; it never returns an empty tensor."""
    if (refusal := problem(match)) is not None:
        return refusal
    unseen = frozenset({"layout", "pin_memory"}) & match.arguments.keys()
    steps = match.constant("steps")
    if isinstance(steps, int) and steps > 0 and not match.given("device", "requires_grad"):
        text = "paddle.logspace({start}, {end}, {steps}, {base=10.0}, dtype={dtype})"
        unseen |= frozenset({"device", "requires_grad"}) & match.arguments.keys()
    else:
        text = f"torch_logspace({{start}}, {{end}}, {{steps}}, {{base=10.0}}{MAKING}"
    return into_out(match, Rewrite(text, consumed=unseen))
