"""Random numbers, seeds and generators."""

from __future__ import annotations

from workbench.rules.family import Family
from workbench.rules.match import Match
from workbench.rules.outcome import Keep, Outcome, Refusal, Rewrite
from workbench.source.types.lattice import TorchObject
from workbench.targets.paddle.creating import IGNORED, MAKING, into_out, problem, single, sizes

rules = Family()

OTHER_NUMBERS = "Paddle draws other numbers than torch from the same seed"
_REST = "dtype={dtype}, device={device}, requires_grad={requires_grad})"


def _drawn(match: Match, callee: str, arguments: str) -> Outcome:
    """A call that draws, from a generator of its own where one is given."""
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


for _name, _cases in {
    "rand": [
        "torch.rand((2, 3), dtype=torch.float64).dtype",
        "k = [(2, 3)]\ntorch.rand(*k).shape, torch.rand(*x.shape, dtype=torch.float64).shape",
        "torch.rand(4, device='cpu', requires_grad=True).requires_grad",
        "bool((torch.rand(1000) >= 0).all()), bool((torch.rand(100) < 1).all())",
        "how = {'dtype': torch.float64}\ntorch.rand((2, 3), **how).dtype",
        "t = torch.zeros(2, 3)\ntorch.rand(2, 3, out=t).shape, bool((t > 0).any())",
    ],
    "randn": [
        "torch.randn(2, 3).shape",
        "torch.randn(*x.shape).shape",
        "torch.randn(x.size()).shape",
        "torch.randn(size=(2,)).shape",
        "torch.randn(2, layout=torch.strided, generator=torch.Generator()).shape",
        "g = torch.Generator().manual_seed(0)\nt = torch.randn(3, generator=g).shape",
        "k = 3\ntorch.randn(k, 2).dtype",
        "how = {'dtype': torch.float64}\ntorch.randn(2, 3, **how).dtype",
    ],
}.items():
    rules.rule(f"torch.{_name}", cases=_cases, unpacked=f"paddle.{_name}(...)", note=OTHER_NUMBERS)(
        rand
    )


_INT = (
    "(low=0, high=None, size=None, *, generator=None, out=None, dtype=None, "
    "layout=None, device=None, requires_grad=False, pin_memory=False)"
)


@rules.rule(
    "torch.randint",
    signature=_INT,
    value="torch_randint_between",
    unpacked="torch_randint_between(...)",
    note=OTHER_NUMBERS,
    cases=[
        "k = (1, 2, (3,))\ntorch.randint(*k), torch.randint(*k[1:], dtype=torch.int32).shape",
        "f = torch.randint\nr = f(0, 1, (2,)), f(1, size=(3,)), f(low=1, high=2, size=[2])",
        "torch.randint(0, 10, (2, 3)).shape",
        "torch.randint(5, (4,)).dtype",
        "bool((torch.randint(3, 5, (100,)) > 2).all()), bool((torch.randint(3, 5, "
        "(100,)) < 5).all())",
        "torch.randint(high=2, size=(3,)).shape",
        "torch.randint(0, 2, (2, 2), dtype=torch.float32).dtype",
        "torch.randint(0, 2, (2,), dtype=torch.int32, device='cpu').dtype",
        "torch.randint(low=0, high=4, size=x.shape).shape",
        "torch.randint(7, size=(2,)).shape",
        "torch.randint(1, 2, ())",
        "t = torch.zeros(3, dtype=torch.int64)\ntorch.randint(1, 2, (3,), out=t)",
    ],
)
def randint(match: Match) -> Outcome:
    """Paddle makes integers of 32 and of 64 bits; other dtypes are cast."""
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

    @rules.rule(
        f"torch.{_name}",
        value=_LIKE,
        unpacked=f"{_LIKE}(...)",
        note=OTHER_NUMBERS,
        cases=[
            f"k = {{'dtype': torch.float64}}\ntorch.{_name}(x, **k).dtype",
            f"f = torch.{_name}\nr = f(x).shape, f(x, requires_grad=True).requires_grad",
            f"torch.{_name}(x).shape",
            f"torch.{_name}(x, dtype=torch.float64).dtype",
            f"torch.{_name}(d, requires_grad=True).requires_grad",
        ],
    )
    def like(match: Match, name: str = _name) -> Outcome:
        return _refused(match) or _drawn(match, f"paddle.{name}", "{input}" + MAKING)


@rules.rule(
    "torch.randint_like",
    signature="(input, low=0, high=None, *, generator=None, dtype=None, layout=None, "
    "device=None, requires_grad=False, pin_memory=False, memory_format=None)",
    unpacked="(lambda input, low=0, high=None, *, dtype=None, layout=None, device=None, "
    "requires_grad=False, pin_memory=False, memory_format=None: torch_randint_like(input, "
    "0 if high is None else low, low if high is None else high, dtype, device, "
    "requires_grad))(...)",
    cases=[
        "k = {'input': x, 'low': 2, 'high': 3}\ntorch.randint_like(**k)",
        "k, f = (i, 1), torch.randint_like\ntorch.randint_like(*k), f(x, 1, dtype=torch.int64)",
        "torch.randint_like(x, 5).dtype",
        "torch.randint_like(i, 1, 3).shape",
        "torch.randint_like(x, high=4, dtype=torch.int64).dtype",
    ],
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


@rules.rule(
    "torch.randperm",
    value=_PERMUTED,
    unpacked=f"{_PERMUTED}(...)",
    note=OTHER_NUMBERS,
    cases=[
        "k, f = {'n': 4}, torch.randperm\ntorch.randperm(**k).sort()[0], f(3).shape",
        "torch.randperm(5).shape",
        "torch.randperm(4).sort().values",
        "torch.randperm(n=3, dtype=torch.int32).dtype",
        "x[torch.randperm(x.size(0))].shape",
        "t = torch.zeros(3, dtype=torch.int64)\ntorch.randperm(3, out=t)\nt = t.sort()[0]",
    ],
)
def randperm(match: Match) -> Outcome:
    return _refused(match) or _drawn(match, "paddle.randperm", "{n}" + MAKING)


_NORMAL = (
    "(lambda mean, std=1.0, size=None, *, generator=None, **options: "
    "torch_drawn(generator, torch_normal, mean, std, size, **options))"
)


@rules.rule(
    "torch.normal",
    signature="(mean, std=1.0, size=None, *, generator=None, out=None, dtype=None, "
    "layout=None, device=None, requires_grad=False, pin_memory=False)",
    cases=[
        "torch.normal(0.0, 1.0, (2, 3)).shape",
        "torch.normal(x, 0.0)",
        "torch.normal(x, torch.zeros_like(x))",
        "torch.normal(mean=0.0, std=0.0, size=(2,))",
        "torch.normal(2.0, torch.zeros(3))",
        "t = torch.empty(3, 4)\ntorch.normal(x, torch.zeros(3, 4), out=t)",
        "t = torch.normal(w, 0.0)\nt.sum().backward()\ng = w.grad",
        "torch.normal(0, 1, size=(2, 3), dtype=torch.float64).dtype",
        "k = (x, 0.0)\nf = torch.normal\nr = torch.normal(*k), f(x, torch.zeros(3, 4))",
    ],
    value=_NORMAL,
    unpacked=f"{_NORMAL}(...)",
)
def normal(match: Match) -> Outcome:
    if (refusal := _refused(match)) is not None:
        return refusal
    return _drawn(match, "torch_normal", "{mean}, {std=1.0}, {size=None}" + MAKING)


rules.both(
    "multinomial",
    "paddle.multinomial({input}, {num_samples}, {replacement})",
    "torch_drawn({generator}, paddle.multinomial, {input}, {num_samples}, {replacement})",
    signature="(input, num_samples, replacement=False, *, generator=None, out=None)",
    note=OTHER_NUMBERS,
    cases=[
        "torch.multinomial(p, 2).shape",
        "p.multinomial(num_samples=5, replacement=True).shape",
        "torch.multinomial(torch.tensor([0.0, 1.0, 0.0]), 1)",
        "torch.multinomial(p, num_samples=1).dtype",
    ],
)
rules.row(
    "torch.bernoulli",
    "torch_bernoulli({input}, p={p})",
    "torch_drawn({generator}, torch_bernoulli, {input}, {p=None})",
    signature="(input, p=None, *, generator=None)",
    note=OTHER_NUMBERS,
    cases=[
        "torch.bernoulli(torch.ones(2, 3))",
        "torch.bernoulli(p).shape",
        "torch.bernoulli(x, 1.0)",
        "torch.bernoulli(torch.ones(3, requires_grad=True))",
    ],
)
rules.row(
    "torch.Tensor.bernoulli",
    "torch_bernoulli({self}, p={p})",
    "torch_drawn({generator}, torch_bernoulli, {self}, {p=None})",
    signature="(p=None, *, generator=None)",
    note=OTHER_NUMBERS,
    cases=[
        "torch.zeros(3).bernoulli()",
        "p.bernoulli(1.0)",
        "k = torch.Generator()\np.bernoulli(generator=k).shape, p.bernoulli(0.0, generator=k)",
    ],
)
rules.row(
    "torch.poisson",
    "paddle.poisson({input})",
    "torch_drawn({generator}, paddle.poisson, {input})",
    signature="(input, generator=None)",
    note=OTHER_NUMBERS,
    cases=["torch.poisson(p).shape", "torch.poisson(torch.zeros(2))"],
)
rules.row(
    "torch.binomial",
    "torch_binomial({count}, {prob})",
    signature="(count, prob)",
    note=OTHER_NUMBERS,
    cases=["torch.binomial(torch.tensor([3.0]), torch.tensor([1.0]))"],
)

_FILLS = (
    (
        "normal_",
        "{mean=0.0}, {std=1.0}",
        "(mean=0.0, std=1.0, *, generator=None)",
        "normal_",
        [
            "torch.zeros(2, 3).normal_(0, 1).shape",
            "torch.zeros(2).normal_(std=0.0, mean=3.0)",
            "torch.zeros(3, 4).normal_().dtype",
        ],
    ),
    (
        "uniform_",
        "{from_=0.0}, {to=1.0}",
        "(from_=0.0, to=1.0, *, generator=None)",
        "uniform_",
        [
            "torch.zeros(3, 4).uniform_(-1, 1).shape",
            "torch.zeros(3, 4).uniform_().dtype",
            "bool((torch.zeros(9).uniform_(to=0.5) < 0.5).all())",
        ],
    ),
    (
        "exponential_",
        "{lambd=1.0}",
        "(lambd=1.0, *, generator=None)",
        "exponential_",
        [
            "torch.zeros(3, 4).exponential_().shape",
            "bool((torch.zeros(3, 4).exponential_(lambd=2.0) > 0).all())",
        ],
    ),
    (
        "cauchy_",
        "{median=0.0}, {sigma=1.0}",
        "(median=0.0, sigma=1.0, *, generator=None)",
        "cauchy_",
        ["torch.zeros(3, 4).cauchy_().shape"],
    ),
    (
        "log_normal_",
        "{mean=1.0}, {std=2.0}",
        "(mean=1.0, std=2.0, *, generator=None)",
        "log_normal_",
        ["torch.zeros(3, 4).log_normal_().shape"],
    ),
)
for _name, _arguments, _signature, _target, _cases in _FILLS:
    rules.row(
        f"torch.Tensor.{_name}",
        f"{{self}}.{_target}({_arguments})",
        f"torch_drawn({{generator}}, {{self}}.{_target}, {_arguments})",
        signature=_signature,
        note=OTHER_NUMBERS,
        cases=_cases,
    )
rules.row(
    "torch.Tensor.bernoulli_",
    "torch_bernoulli_({self}, {p=0.5})",
    "torch_drawn({generator}, torch_bernoulli_, {self}, {p=0.5})",
    signature="(p=0.5, *, generator=None)",
    note=OTHER_NUMBERS,
    cases=[
        "torch.zeros(3).bernoulli_(1.0)",
        "torch.zeros(3, 4).bernoulli_().shape",
        "torch.zeros(3, dtype=torch.int64).bernoulli_(1.0)",
        "torch.zeros(2, 2).bernoulli_(torch.tensor([0.0, 1.0]))",
    ],
)
rules.row(
    "torch.Tensor.geometric_",
    "torch_geometric_({self}, {p})",
    signature="(p)",
    note=OTHER_NUMBERS,
    cases=["torch.zeros(3, 4).geometric_(0.5).shape"],
)
rules.row(
    "torch.Tensor.random_",
    "torch_random_({self}, start={from_}, end={to})",
    signature="(from_=0, to=None)",
    note=OTHER_NUMBERS,
    cases=[
        "bool((torch.zeros(3, 4).random_(3) < 3).all())",
        "torch.zeros(3, dtype=torch.int64).random_(0, 2).shape",
        "torch.zeros(3, 4).random_(4, 5)",
        "torch.zeros(3, dtype=torch.int64).random_().dtype",
    ],
)

rules.row(
    "torch.manual_seed",
    "paddle.seed({seed})",
    note=OTHER_NUMBERS,
    cases=[
        "torch.manual_seed(0)\na1 = torch.rand(2)\ntorch.manual_seed(0)\n"
        "a2 = torch.rand(2)\na1 = bool((a1 == a2).all())\na2 = 0"
    ],
)
rules.row("torch.seed", "torch_seed()", note=OTHER_NUMBERS, cases=["isinstance(torch.seed(), int)"])
rules.row(
    "torch.initial_seed",
    "paddle.framework.core.default_cpu_generator().initial_seed()",
    cases=["torch.manual_seed(7)\nt = torch.initial_seed()"],
)
rules.row(
    "torch.get_rng_state",
    "paddle.get_rng_state()",
    note="Paddle's states are objects of its own",
    cases=[
        "s = torch.get_rng_state()\nt = torch.rand(2)\ntorch.set_rng_state(s)\n"
        "v = torch.rand(2)\nt, v, s = bool((t == v).all()), 0, 0"
    ],
)
rules.row(
    "torch.set_rng_state",
    "paddle.set_rng_state({new_state})",
    cases=[
        "s = torch.get_rng_state()\nt = torch.rand(2)\ntorch.set_rng_state(s)\n"
        "v = torch.rand(2)\nt, v, s = bool((t == v).all()), 0, 0"
    ],
)
rules.row(
    "torch.Generator",
    "paddle.Generator({device})",
    value="paddle.framework.core.Generator",  # of which those that paddle.Generator makes are
    cases=[
        "torch.Generator().manual_seed(0)\nt = 1",
        "g = torch.Generator(device='cpu')",
        "g = torch.Generator()\nt = isinstance(g, torch.Generator)\ng = 0",
    ],
)
rules.row(
    "torch.default_generator",
    "paddle.framework.core.default_cpu_generator()",
    cases=[
        "torch.manual_seed(4)\nt = torch.default_generator.initial_seed()",
        "torch.default_generator.manual_seed(6)\nt = torch.initial_seed()",
    ],
)
for _name, _case in (
    ("manual_seed", "g = torch.Generator()\ng.manual_seed(3)\nt = g.initial_seed()\ng = 0"),
    ("initial_seed", "g = torch.Generator().manual_seed(5)\nt = g.initial_seed()\ng = 0"),
    ("seed", "g = torch.Generator()\nt = isinstance(g.seed(), int)\ng = 0"),
    ("get_state", "g = torch.Generator()\ng.set_state(g.get_state())\ng = 0"),
    (
        "set_state",
        "g = torch.Generator()\nh = torch.Generator()\nh.set_state(g.get_state())\ng = h = 0",
    ),
):
    rules.rule(f"torch.Generator.{_name}", cases=[_case])(lambda match: Keep())
rules.row(
    "torch.random.manual_seed",
    "paddle.seed({seed})",
    signature="(seed)",
    note=OTHER_NUMBERS,
    cases=["torch.random.manual_seed(0)\na1 = bool((torch.rand(2) >= 0).all())"],
)
rules.row(
    "torch.random.fork_rng",
    "torch_fork_rng(enabled={enabled})",
    signature="(devices=None, enabled=True)",
    ignored={"devices": "the states that Paddle keeps are those of its device"},
    cases=[
        "with torch.random.fork_rng(devices=[]):\n    t = torch.rand(2).shape",
        "torch.manual_seed(0)\nwith torch.random.fork_rng():\n    torch.rand(2)\n"
        "u = torch.rand(2)\ntorch.manual_seed(0)\nu = bool((u == torch.rand(2)).all())",
    ],
)
