"""Random draws, with the keys of the program."""

from __future__ import annotations

import ast
from collections.abc import Callable

from workbench.rules.difference import Difference
from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Refusal, Rewrite
from workbench.rules.rule import Rule, RuleSet
from workbench.source.types.lattice import TorchObject
from workbench.targets.jax.rules.creation import size_of
from workbench.targets.jax.writing import T, dtype_kind, in_place

rules = RuleSet()
_WITHOUT_EFFECT = frozenset(
    {"device", "dtype", "generator", "layout", "out", "p", "pin_memory", "requires_grad"}
)
_WHOLE = [TorchObject(f"torch.{name}") for name in ("int32", "int64", "int", "long")]
_DRAWS = {"rand": "uniform", "randn": "normal"}


def _drawn(match: Match, method: str, shape: str) -> Outcome:
    return _refused(match, "dtype") or _draw(match, f"rngs.{method}({shape})")


def _refused(match: Match, *others: str) -> Refusal | None:
    """Return the refusal of an argument that draws have no equivalent of, or None."""
    if match.given("requires_grad"):
        return Refusal("JAX differentiates functions instead of recording tensors")
    for name in ("out", "names", "memory_format", *others):
        if match.given(name):
            return Refusal(f"its argument `{name}` has no equivalent")
    return None


def _draw(match: Match, template: str) -> Rewrite:
    """Return a draw, without the arguments that its template does not name."""
    if match.given("generator"):
        template = template.replace("rngs", "{generator}", 1)
    return Rewrite(
        template,
        consumed=_WITHOUT_EFFECT & match.arguments.keys() - {"generator"},
        differs=(Difference.RANDOM_DRAWS,),
    )


def in_place_draw(name: str) -> Callable[[Callable[[Match], str]], Callable[[Match], str]]:
    """Return a decorator that adds the rule of a method which fills a tensor with draws."""

    def add(template: Callable[[Match], str]) -> Callable[[Match], str]:
        def decide(match: Match) -> Outcome:
            if dtype_kind(match) not in {2, None}:
                return Refusal("only floats are drawn like this")
            return _refused(match) or _draw(match, template(match))

        rules.rules.append(in_place(Rule(T + name, function=decide)))
        return template

    return add


for _name, _method in _DRAWS.items():

    @rules.rule(f"torch.{_name}")
    def draw(match: Match, method: str = _method) -> Outcome:
        """Draw floats of a size."""
        return _drawn(match, method, size_of(match))

    @rules.rule(f"torch.{_name}_like")
    def like(match: Match, method: str = _method) -> Outcome:
        """Draw floats of a tensor's size; another dtype than float32 is not known here."""
        if dtype_kind(match) not in {2, None}:
            return Refusal("only floats are drawn like this")
        return _drawn(match, method, "{input}.shape")


@rules.rule("torch.randint")
def whole_numbers(match: Match) -> Outcome:
    """Draw whole numbers of a size."""
    if refusal := _refused(match):
        return refusal
    dtype = ", dtype={dtype}" if match.given("dtype") else ""
    if match.given("dtype") and match.value("dtype") not in _WHOLE:
        return Refusal("only whole numbers are drawn like this", "rngs.randint(...).astype(dtype)")
    if not match.given("size"):  # torch.randint(10, (3,))
        return _draw(match, f"rngs.randint({{high}}, 0, {{low}}{dtype})")
    size = size_of(match)
    if not match.given("high"):  # torch.randint(10, size=(3,))
        return _draw(match, f"rngs.randint({size}, 0, {{low}}{dtype})")
    low = "{low}" if match.given("low") else "0"
    return _draw(match, f"rngs.randint({size}, {low}, {{high}}{dtype})")


@rules.rule("torch.randperm")
def order(match: Match) -> Outcome:
    """Draw the numbers from 0 in random order."""
    if match.given("dtype"):
        return Refusal(
            "its argument `dtype` has no equivalent", "rngs.permutation(n).astype(dtype)"
        )
    return _refused(match) or _draw(match, "rngs.permutation({n})")


@rules.rule("torch.normal")
def normal(match: Match) -> Outcome:
    """Draw from normal distributions: of one mean and deviation and a size, or one per element."""
    if refusal := _refused(match, "dtype"):
        return refusal
    if match.given("size"):
        return _draw(match, f"{{mean}} + {{std}} * rngs.normal({size_of(match)})")
    mean = "{mean}" if match.given("mean") else "0.0"
    std = "{std}" if match.given("std") else "1.0"
    return _draw(match, f"torch_normal(rngs, {mean}, {std})")


@rules.rule("torch.bernoulli", T + "bernoulli")
def bernoulli(match: Match) -> Outcome:
    """Draw 0 or 1 for each probability."""
    tensor = "{self}" if match.use.receiver is not None else "{input}"
    return _refused(match, "p") or _draw(match, f"torch_bernoulli(rngs, {tensor})")


@rules.rule("torch.multinomial", T + "multinomial")
def multinomial(match: Match) -> Outcome:
    """Draw places by their weights."""
    tensor = "{self}" if match.use.receiver is not None else "{input}"
    again = ", {replacement}" if match.given("replacement") else ""
    drawn = f"torch_multinomial(rngs, {tensor}, {{num_samples}}{again})"
    return _refused(match) or _draw(match, drawn)


@in_place_draw("uniform_")
def uniform_(match: Match) -> str:
    """Return the new values of a tensor, between two bounds."""
    low, high = (
        ("{from_}" if match.given("from_") else "0.0"),
        ("{to}" if match.given("to") else "1.0"),
    )
    bounds = f", minval={low}, maxval={high}" if match.given("from_") or match.given("to") else ""
    return f"rngs.uniform({{self}}.shape{bounds})"


@in_place_draw("normal_")
def normal_(match: Match) -> str:
    """Return the new values of a tensor, of a mean and a deviation."""
    drawn = "rngs.normal({self}.shape)"
    drawn = f"{{std}} * {drawn}" if match.given("std") else drawn
    return f"{{mean}} + {drawn}" if match.given("mean") else drawn


@rules.rule("torch.Generator")
def generator(match: Match) -> Outcome:
    """Write keys of their own; `manual_seed` gives them another seed."""
    return Rewrite(
        "nnx.Rngs(0)",
        consumed=frozenset({"device"}) & match.arguments.keys(),
        differs=(Difference.RANDOM_DRAWS,),
    )


@rules.rule("torch.Generator.manual_seed")
def seeded(match: Match) -> Outcome:
    """Write new keys in the place of a generator that was just made, or of a variable."""
    receiver, statement = match.use.receiver, match.use.statement
    if isinstance(receiver, ast.Call):
        return Rewrite("nnx.Rngs({seed})", differs=(Difference.RANDOM_DRAWS,))
    alone = isinstance(statement, ast.Expr) and statement.value is match.use.node
    if alone and isinstance(receiver, ast.Name) and "seed" in match:
        seed = match.arguments["seed"].node
        pieces = (f"{receiver.id} = nnx.Rngs(", seed, ")")
        return Rewrite("nnx.Rngs({seed})", pieces=pieces, differs=(Difference.RANDOM_DRAWS,))
    return Refusal("keys have no other seed later", "generator = nnx.Rngs(seed)")


rules.refuse(
    "torch.poisson",
    "torch.randint_like",
    *(
        T + name
        for name in (
            "bernoulli_",
            "cauchy_",
            "exponential_",
            "geometric_",
            "log_normal_",
            "random_",
        )
    ),
    reason="these random numbers have no proven form in JAX yet",
)
