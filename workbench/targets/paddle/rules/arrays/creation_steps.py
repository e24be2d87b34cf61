"""Making tensors of numbers at equal distances."""

from __future__ import annotations

from workbench.rules.family import Family
from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Refusal, Rewrite
from workbench.source.types.dtypes import of_value
from workbench.source.uses import UseKind
from workbench.targets.paddle.creating import IGNORED, MAKING, UNSEEN, into_out, problem

rules = Family()

# Dtypes for which a CPU has none of Paddle's kernels that count.
_NARROW = frozenset({"float16", "bfloat16", "uint8", "int8", "int16", "complex64", "complex128"})


def _is_narrow(match: Match) -> bool:
    return of_value(match.value("dtype")) in _NARROW


_ARANGE = (
    "(start=0, end=None, step=1, *, out=None, dtype=None, layout=None, device=None, "
    "pin_memory=False, requires_grad=False)"
)


@rules.rule(
    "torch.arange",
    signature=_ARANGE,
    cases=[
        "torch.arange(5)",
        "torch.arange(1, 4)",
        "torch.arange(1, 2.5, 0.5)",
        "torch.arange(0, 10, 2, dtype=torch.float32)",
        "torch.arange(end=3)",
        "torch.arange(start=5, end=0, step=-2)",
        "torch.arange(4.0)",
        "t = torch.ones(2)\nr = torch.arange(4, out=t)",
        "k = 3\ntorch.arange(k, device=x.device)",
        "torch.arange(x.shape[0], dtype=torch.long)",
        "torch.arange(0, 1, 0.1)",
        "torch.arange(5, dtype=torch.uint8), torch.arange(1, 9, 3, dtype=torch.int16)",
        "k = torch.float16\ntorch.arange(0, 1, 0.25, dtype=k, requires_grad=True)",
        "from functools import partial\nmake = partial(torch.arange, device=x.device)\n"
        "make(4), make(1, 6, 2), make(3, dtype=torch.float32)",
        "how = {'dtype': torch.float64, 'device': 'cpu'}\ntorch.arange(3, **how)",
        "ends = (1, 6, 2)\ntorch.arange(*ends)",
    ],
    unpacked="paddle.arange(...)",
    value="paddle.arange",
)
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
            return Refusal("what later calls add to these numbers decides which of them is which")
        return Rewrite("paddle.arange(" + rest.removeprefix(", "), consumed=consumed)
    start = "{start}" if "start" in match else "0"
    made = Rewrite(f"paddle.arange({start}, {{end}}, {{step}}{rest}", consumed=consumed)
    return into_out(match, made)


rules.row(
    "torch.range",
    "torch_range({start=0}, {end}, {step=1}, dtype={dtype}, device={device}, "
    "requires_grad={requires_grad})",
    signature="(start, end, step=1, *, dtype=None, layout=None, device=None, pin_memory=False, "
    "requires_grad=False)",
    ignored=UNSEEN,
    cases=[
        "torch.range(1, 4)",
        "torch.range(1, 2, 0.5), torch.range(0, 3, 0.7), torch.range(5, 1, -2)",
        "torch.range(1, 2, dtype=torch.int64), torch.range(1, 5, 2, dtype=torch.int32)",
        "torch.range(1, 5, device='cpu', requires_grad=True)",
    ],
)


_SPACE = (
    "(start, end, steps, *, out=None, dtype=None, layout=None, device=None, "
    "pin_memory=False, requires_grad=False)"
)


@rules.rule(
    "torch.linspace",
    signature=_SPACE,
    value="paddle.linspace",
    unpacked="(lambda start, end, steps, *, dtype=None, layout=None, device=None, "
    "pin_memory=False, requires_grad=False: torch_linspace(start, end, steps, dtype, device, "
    "requires_grad))(...)",
    cases=[
        "torch.linspace(0, 10, 4, dtype=torch.uint8)",
        "torch.linspace(0, 1, 3, dtype=torch.float16, requires_grad=True)",
        "torch.linspace(0, 1, 5)",
        "torch.linspace(0, 1, 5, device='cpu:0'), torch.zeros(2, device='cpu:0', dtype=None)",
        "torch.linspace(0, 1, 5, dtype=float), torch.zeros(2, dtype=int), x.sum(dtype=float)",
        "t = torch.ones(2)\nr = torch.linspace(0, 1, 5, out=t)",
        "torch.linspace(-1.0, 1.0, steps=4, dtype=torch.float64)",
        "torch.linspace(0, 10, 4, dtype=torch.int64)",
        "torch.linspace(start=3, end=1, steps=1)",
        "k = (0, 1, 5)\ntorch.linspace(*k), torch.linspace(*k, dtype=torch.float64)",
        "k = dict(start=0, end=9, steps=4, dtype=torch.int32)\ntorch.linspace(**k)",
        "torch.linspace(-1, 2 + 1j, 4, dtype=torch.complex64)",
    ],
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
    signature="(start, end, steps, base=10.0, *, out=None, dtype=None, layout=None, device=None, "
    "pin_memory=False, requires_grad=False)",
    unpacked="(lambda start, end, steps, base=10.0, *, dtype=None, layout=None, device=None, "
    "pin_memory=False, requires_grad=False: torch_logspace(start, end, steps, base, dtype, "
    "device, requires_grad))(...)",
    cases=[
        "k, f = (0, 2, 5), torch.logspace\ntorch.logspace(*k), f(0, 3, 4, base=2.0)",
        "torch.logspace(0, 2, 5)",
        "torch.logspace(0, 3, 4, base=2.0, dtype=torch.float64)",
        "torch.logspace(0, 1, 3, device='cpu')",
        "torch.logspace(0, 1, 3, requires_grad=True)",
        "k = 0\ntorch.logspace(0, 2, 0), torch.logspace(0, 2, k, dtype=torch.int64)",
        "t = torch.zeros(3)\nr = torch.logspace(0, 2, 3, out=t)",
    ],
)
def logspace(match: Match) -> Outcome:
    """Paddle makes no empty one."""
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
