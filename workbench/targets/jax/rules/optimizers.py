"""Optimizers: torch's constructors become `nnx.Optimizer` over a chain of optax."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable

from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Refusal, Rewrite
from workbench.rules.rule import RuleSet
from workbench.source.tree import inside
from workbench.targets.jax.trained import models_of

rules = RuleSet()
_KINDS = ("Adam", "AdamW", "SGD", "RMSprop")
_PARTS = re.compile(r", (?![^{]*})")
_SCHEDULES = (
    "StepLR",
    "MultiStepLR",
    "ExponentialLR",
    "LambdaLR",
    "LinearLR",
    "CosineAnnealingLR",
    "ReduceLROnPlateau",
)
# Arguments that choose between implementations that compute the same.
_SPEED = frozenset({"foreach", "fused", "capturable", "differentiable"})


def _betas(match: Match) -> tuple[str, dict[str, str]]:
    """Return the arguments for both decay rates of Adam, and their texts."""
    argument = match.arguments.get("betas")
    if argument is None:
        return "", {}
    if isinstance(argument.node, ast.Tuple) and len(argument.node.elts) == 2:
        first, second = map(ast.unparse, argument.node.elts)
        return ", b1={b1}, b2={b2}", {"b1": first, "b2": second}
    return ", *{betas}", {}


def _made(
    match: Match, core: str, texts: dict[str, str] | None = None, *, decays: bool = False
) -> Outcome:
    """Return the construction of an optimizer around the call `core` of optax.

    Args:
        match: the call of torch's constructor.
        core: the template, in which `{lr}` comes first.
        texts: texts of placeholders.
        decays: whether `core` holds the decay of weights.
    """
    given = match.arguments.get("params")
    if given is None or models_of(given.node) is None:
        return Refusal(
            "only an optimizer of all parameters of models is converted",
            "nnx.Optimizer(model, optax.adam(1e-3), wrt=nnx.Param)",
        )
    if match.given("maximize"):
        return Refusal("its argument `maximize` has no equivalent")
    chained = not decays and match.given("weight_decay")
    if match.program.calls(*_SCHEDULES):
        core = _with_rate_in_state(core, chained)
    elif chained:
        core = f"optax.chain(optax.add_decayed_weights({{weight_decay}}), {core})"
    consumed = _SPEED & match.arguments.keys()
    consumed |= {name for name in match.arguments if match.is_default(name)}
    return Rewrite(
        f"nnx.Optimizer({{params}}, {core}, wrt=nnx.Param)",
        texts=texts or {},
        consumed=frozenset(consumed | ({"betas"} if texts else set())),
    )


def _with_rate_in_state(core: str, chained: bool) -> str:
    """Return the optimizer whose state holds the rate, so that a schedule can change it."""
    function, _, rest = core.partition("(")
    rate, *others = _PARTS.split(rest.removesuffix(")"), maxsplit=1)
    given = f"learning_rate={rate}"
    if not chained:
        more = f", {others[0]}" if others else ""
        return f"optax.inject_hyperparams({function})({given}{more})"
    inner = ", ".join(["learning_rate", *others])
    chain = f"optax.chain(optax.add_decayed_weights({{weight_decay}}), {function}({inner}))"
    made = f"optax.inject_hyperparams(lambda learning_rate: {chain})"
    return f"{made}({given})"


@rules.rule("torch.optim.SGD")
def sgd(match: Match) -> Outcome:
    """optax adds the decay before the momentum, as torch does; it has no dampening."""
    if match.given("dampening"):
        return Refusal("its argument `dampening` has no equivalent")
    return _made(match, "optax.sgd({lr=0.001}, momentum={momentum}, nesterov={nesterov})")


def _adam(name: str, function: str, *, decays: bool = False) -> Callable[[Match], Outcome]:
    def decide(match: Match) -> Outcome:
        if match.given("amsgrad", "decoupled_weight_decay"):
            return Refusal("amsgrad and decoupled_weight_decay have no equivalent")
        betas, texts = _betas(match)
        decay = ", weight_decay={weight_decay=0.01}" if decays else ""
        core = f"optax.{function}({{lr=0.001}}{betas}, eps={{eps}}{decay})"
        return _made(match, core, texts, decays=decays)

    return rules.rule(f"torch.optim.{name}")(decide)


_adam("Adam", "adam")
_adam("AdamW", "adamw", decays=True)


@rules.rule("torch.optim.RMSprop")
def rmsprop(match: Match) -> Outcome:
    """optax has other defaults, and may add eps inside the root."""
    return _made(
        match,
        "optax.rmsprop({lr=0.01}, decay={alpha=0.99}, eps={eps=1e-08}, centered={centered},"
        " momentum={momentum}, eps_in_sqrt=False)",
    )


@rules.rule("torch.nn.Module.parameters")
def parameters(match: Match) -> Outcome:
    """Pass the model itself to its optimizer; elsewhere there is no such list."""
    node = match.use.node
    if any(
        isinstance(call, ast.Call) and call.args[:1] == [node] and _name_of(call.func) in _KINDS
        for call in inside(match.use.statement)
    ):
        return Rewrite("{self}", consumed=frozenset(match.arguments))
    return Refusal(
        "a model of JAX has no list of parameters that can be changed",
        "nnx.state(model, nnx.Param)",
    )


def _name_of(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


rules.refuse(
    "torch.optim.Optimizer.zero_grad",
    "torch.optim.Optimizer.step",
    "torch.nn.utils.clip_grad_norm_",
    reason="it is not part of a training step that is recognized: zero_grad, a loss of one model,"
    " backward, step, in one block",
    instead="loss, grads = nnx.value_and_grad(loss_fn)(model); optimizer.update(model, grads)",
)
