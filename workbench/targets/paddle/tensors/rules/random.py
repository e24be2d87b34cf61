"""Random numbers, seeds and generators."""

from __future__ import annotations

from workbench.rules.family import Family
from workbench.rules.match import Match
from workbench.rules.outcome import Keep, Outcome, Refusal, Rewrite
from workbench.source.types.lattice import TorchObject
from workbench.targets.paddle.common.creating import (
    IGNORED,
    MAKING,
    into_out,
    problem,
    single,
    sizes,
)

rules = Family()

OTHER_NUMBERS = "Paddle draws other numbers than torch from the same seed"
_REST = "dtype={dtype}, device={device}, requires_grad={requires_grad})"


def _drawn(match: Match, callee: str, arguments: str) -> Outcome:
    """Return the call that draws random numbers, from the given generator if there is one."""
    unseen = frozenset(IGNORED) & match.arguments.keys()
    return into_out(match, _from_generator(match, callee, arguments, unseen))


def _from_generator(match: Match, callee: str, arguments: str, unseen: frozenset[str]) -> Rewrite:
    if match.given("generator") and match.constant("generator") is not None:
        return Rewrite(
            f"torch_drawn({{generator}}, {callee}, {arguments}", consumed=unseen, note=OTHER_NUMBERS
        )
    return Rewrite(
        f"{callee}({arguments}",
        consumed=unseen | {"generator"} & match.arguments.keys(),
        note=OTHER_NUMBERS,
    )


def _refused(match: Match) -> Refusal | None:
    for name in ("layout", "names", "out"):
        if match.given(name) and (refusal := problem(match, draws=True)) is not None:
            return refusal
    return None


def rand(match: Match) -> Outcome:
    if (refusal := _refused(match) or single(match, "size")) is not None:
        return refusal
    return _drawn(match, match.use.name.replace("torch", "paddle"), sizes(match) + MAKING)


for _name in ("rand", "randn"):
    rules.rule(f"torch.{_name}", unpacked=f"paddle.{_name}(...)", note=OTHER_NUMBERS)(rand)


@rules.rule(
    "torch.randint",
    value="torch_randint_between",
    unpacked="torch_randint_between(...)",
    note=OTHER_NUMBERS,
)
def randint(match: Match) -> Outcome:
    """Cast random integers, which Paddle creates with 32 and 64 bits only."""
    if (refusal := _refused(match)) is not None:
        return refusal
    if "size" in match:
        bounds = (
            "{low}, {high}"
            if "low" in match and "high" in match
            else "0, {high}"
            if "high" in match
            else "0, {low}"
        )
        size = "{size}"
    elif "high" in match:
        bounds, size = "0, {low}", "{high}"
    else:
        return Refusal("it needs a size")
    dtype = match.value("dtype")
    whole = not match.given("dtype") or (
        isinstance(dtype, TorchObject) and dtype.name in {"torch.int64", "torch.int32"}
    )
    plain = whole and not match.given("device", "requires_grad")
    if plain:
        outcome = _drawn(match, "paddle.randint", f"{bounds}, {size}, dtype={{dtype}})")
        assert isinstance(outcome, Rewrite)
        extra = frozenset({"device", "requires_grad"}) & match.arguments.keys()
        return Rewrite(outcome.template, consumed=outcome.consumed | extra, note=outcome.note)
    return _drawn(match, "torch_randint", f"{bounds}, {size}, {_REST}")


for _name in ("rand_like", "randn_like"):
    _LIKE = (
        "(lambda input, *, dtype=None, device=None, requires_grad=False, **_: "
        f"paddle.{_name}(input, dtype=dtype, device=device, requires_grad=requires_grad))"
    )

    @rules.rule(f"torch.{_name}", value=_LIKE, unpacked=f"{_LIKE}(...)", note=OTHER_NUMBERS)
    def like(match: Match, name: str = _name) -> Outcome:
        return _refused(match) or _drawn(match, f"paddle.{name}", "{input}" + MAKING)


@rules.rule(
    "torch.randint_like",
    unpacked="(lambda input, low=0, high=None, *, dtype=None, layout=None, device=None, "
    "requires_grad=False, pin_memory=False, memory_format=None: torch_randint_like(input, "
    "0 if high is None else low, low if high is None else high, dtype, device, "
    "requires_grad))(...)",
)
def randint_like(match: Match) -> Outcome:
    bounds = (
        "{low}, {high}"
        if "low" in match and "high" in match
        else "0, {high}"
        if "high" in match
        else "0, {low}"
    )
    return _refused(match) or _drawn(match, "torch_randint_like", "{input}, " + bounds + MAKING)


_PERMUTED = (
    "(lambda n, *, generator=None, dtype='int64', device=None, requires_grad=False, **_: "
    "torch_drawn(generator, paddle.randperm, n, dtype=dtype, device=device, "
    "requires_grad=requires_grad))"
)


@rules.rule("torch.randperm", value=_PERMUTED, unpacked=f"{_PERMUTED}(...)", note=OTHER_NUMBERS)
def randperm(match: Match) -> Outcome:
    return _refused(match) or _drawn(match, "paddle.randperm", "{n}" + MAKING)


_NORMAL = (
    "(lambda mean, std=1.0, size=None, *, generator=None, **options: "
    "torch_drawn(generator, torch_normal, mean, std, size, **options))"
)


@rules.rule("torch.normal", value=_NORMAL, unpacked=f"{_NORMAL}(...)")
def normal(match: Match) -> Outcome:
    if (refusal := _refused(match)) is not None:
        return refusal
    return _drawn(match, "torch_normal", "{mean}, {std=1.0}, {size=None}" + MAKING)


rules.both(
    "multinomial",
    "paddle.multinomial({input}, {num_samples}, {replacement})",
    "torch_drawn({generator}, paddle.multinomial, {input}, {num_samples}, {replacement})",
    note=OTHER_NUMBERS,
)
rules.row(
    "torch.bernoulli",
    "torch_bernoulli({input}, p={p})",
    "torch_drawn({generator}, torch_bernoulli, {input}, {p=None})",
    note=OTHER_NUMBERS,
)
rules.row(
    "torch.Tensor.bernoulli",
    "torch_bernoulli({self}, p={p})",
    "torch_drawn({generator}, torch_bernoulli, {self}, {p=None})",
    note=OTHER_NUMBERS,
)
rules.row(
    "torch.poisson",
    "paddle.poisson({input})",
    "torch_drawn({generator}, paddle.poisson, {input})",
    note=OTHER_NUMBERS,
)
rules.row("torch.binomial", "torch_binomial({count}, {prob})", note=OTHER_NUMBERS)

_FILLS = (
    ("normal_", "{mean=0.0}, {std=1.0}", "normal_"),
    ("exponential_", "{lambd=1.0}", "exponential_"),
    ("cauchy_", "{median=0.0}, {sigma=1.0}", "cauchy_"),
    ("log_normal_", "{mean=1.0}, {std=2.0}", "log_normal_"),
)
for _name, _arguments, _target in _FILLS:
    rules.row(
        f"torch.Tensor.{_name}",
        f"{{self}}.{_target}({_arguments})",
        f"torch_drawn({{generator}}, {{self}}.{_target}, {_arguments})",
        note=OTHER_NUMBERS,
    )


@rules.rule("torch.Tensor.uniform_")
def uniform(match: Match) -> Outcome:
    """Draw between two bounds; Paddle refuses bounds that are equal."""
    low, high = match.constant("from_", 0.0), match.constant("to", 1.0)
    if isinstance(low, int | float) and low == high:
        return Rewrite("{self}.fill_({from_=0.0})", consumed=frozenset({"to", "generator"}))
    arguments = "{from_=0.0}, {to=1.0}"
    text = f"{{self}}.uniform_({arguments})"
    if match.given("generator"):
        text = f"torch_drawn({{generator}}, {{self}}.uniform_, {arguments})"
    return Rewrite(text, note=OTHER_NUMBERS)


rules.row(
    "torch.Tensor.bernoulli_",
    "torch_bernoulli_({self}, {p=0.5})",
    "torch_drawn({generator}, torch_bernoulli_, {self}, {p=0.5})",
    note=OTHER_NUMBERS,
)
rules.row("torch.Tensor.geometric_", "torch_geometric_({self}, {p})", note=OTHER_NUMBERS)
rules.row(
    "torch.Tensor.random_", "torch_random_({self}, start={from_}, end={to})", note=OTHER_NUMBERS
)

rules.row("torch.manual_seed", "paddle.seed({seed})", note=OTHER_NUMBERS)
rules.row("torch.seed", "torch_seed()", note=OTHER_NUMBERS)
rules.row("torch.initial_seed", "paddle.framework.core.default_cpu_generator().initial_seed()")
rules.row(
    "torch.get_rng_state",
    "paddle.get_rng_state()",
    note="Paddle returns a state object, not a tensor",
)
rules.row("torch.set_rng_state", "paddle.set_rng_state({new_state})")
rules.row("torch.Generator", "paddle.Generator({device})", value="paddle.framework.core.Generator")
rules.row("torch.default_generator", "paddle.framework.core.default_cpu_generator()")
for _name in (
    "manual_seed",
    "initial_seed",
    "seed",
    "get_state",
    "set_state",
):
    rules.rule(f"torch.Generator.{_name}")(lambda match: Keep())
rules.row("torch.random.manual_seed", "paddle.seed({seed})", note=OTHER_NUMBERS)
rules.row(
    "torch.random.fork_rng",
    "torch_fork_rng(enabled={enabled})",
    ignored={"devices": "the state of Paddle's current device is saved"},
)
