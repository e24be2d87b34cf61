"""Optimizers: torch's constructors become `nnx.Optimizer` over a chain of optax."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable

from workbench.rules.difference import unless
from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Refusal, Rewrite
from workbench.rules.rule import RuleSet
from workbench.source.traits.rates import rate
from workbench.source.traits.training import simple
from workbench.source.traits.traits import Training
from workbench.source.tree import inside
from workbench.targets.jax.rules.parameters import listed
from workbench.targets.jax.trained import models_of

rules = RuleSet()
_KINDS = (
    *("Adadelta", "Adagrad", "Adam", "AdamW", "Adamax", "NAdam", "RAdam", "RMSprop", "Rprop"),
    "SGD",
)
_PARTS = re.compile(r", (?![^{]*})")
_SCHEDULES = (
    *("StepLR", "MultiStepLR", "ExponentialLR", "LambdaLR", "MultiplicativeLR", "LinearLR"),
    *("ConstantLR", "PolynomialLR", "CosineAnnealingLR", "CosineAnnealingWarmRestarts"),
    *("OneCycleLR", "SequentialLR", "ReduceLROnPlateau"),
)
_RATES = {Training.READS_RATE, Training.SETS_RATE, Training.SCALES_RATE}
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
    match: Match,
    core: str,
    texts: dict[str, str] | None = None,
    *,
    decays: bool = False,
    consumed: frozenset[str] = frozenset(),
) -> Outcome:
    """Return the construction of an optimizer around the call `core` of optax.

    Args:
        match: the call of torch's constructor.
        core: the template, in which `{lr}` comes first.
        texts: texts of placeholders.
        decays: whether `core` holds the decay of weights.
        consumed: arguments that `core` takes into account.
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
    if _holds_rate(match):
        cycled = match.program.calls("OneCycleLR")
        core = _with_rate_in_state(_with_momentum(core) if cycled else core, chained, cycled)
    elif chained:
        core = f"optax.chain(optax.add_decayed_weights({{weight_decay}}), {core})"
    consumed |= _SPEED & match.arguments.keys()
    consumed |= {name for name in match.arguments if match.is_default(name)}
    return Rewrite(
        f"nnx.Optimizer({{params}}, {core}, wrt=nnx.Param)",
        texts=texts or {},
        consumed=frozenset(consumed | ({"betas"} if texts else set())),
    )


def _holds_rate(match: Match) -> bool:
    """Return whether the program reads or changes the rate of optimizers."""
    return match.program.calls(*_SCHEDULES) or bool(_RATES & match.program.traits.training)


def _with_momentum(core: str) -> str:
    """Return the optimizer with a momentum in any case, which OneCycleLR changes."""
    return core.replace("momentum={momentum}", "momentum={momentum=0.0}")


def _with_rate_in_state(core: str, chained: bool, cycled: bool) -> str:
    """Return the optimizer whose state holds the rate, so that a schedule can change it.

    Args:
        core: the optimizer.
        chained: whether a decay of the weights comes before it.
        cycled: whether a schedule changes the momentum too.
    """
    function, _, rest = core.partition("(")
    rate, *others = _PARTS.split(rest.removesuffix(")"), maxsplit=1)
    given = f"learning_rate={rate}"
    if not chained:
        more = f", {others[0]}" if others else ""
        return f"optax.inject_hyperparams({function})({given}{more})"
    names = "learning_rate"
    inner = ["learning_rate", *others]
    if cycled and (momentum := _momentum_of(core)) is not None:
        name, value = momentum
        inner[1] = re.sub(rf"{name}={{.*?}}, ", "", inner[1])
        inner.insert(1, f"{name}={name}")
        names, given = f"{names}, {name}", f"{given}, {name}={value}"
    chain = (
        f"optax.chain(optax.add_decayed_weights({{weight_decay}}), {function}({', '.join(inner)}))"
    )
    return f"optax.inject_hyperparams(lambda {names}: {chain})({given})"


def _momentum_of(core: str) -> tuple[str, str] | None:
    """Return the argument that is an optimizer's momentum, and its text; None if unknown."""
    if "momentum={" in core:
        return "momentum", "{momentum=0.0}"
    return ("b1", "{b1=0.9}") if core.startswith("optax.adam") and "*" not in core else None


@rules.rule("torch.optim.SGD")
def sgd(match: Match) -> Outcome:
    """optax adds the decay before the momentum, as torch does; it has no dampening."""
    if match.given("dampening"):
        return _made(
            match,
            "torch_sgd({lr=0.001}, momentum={momentum}, dampening={dampening},"
            " nesterov={nesterov})",
        )
    return _made(match, "optax.sgd({lr=0.001}, momentum={momentum}, nesterov={nesterov})")


def _adam(name: str, function: str, *, decays: bool = False) -> Callable[[Match], Outcome]:
    def decide(match: Match) -> Outcome:
        if match.given("decoupled_weight_decay"):
            return Refusal("its argument `decoupled_weight_decay` has no equivalent")
        betas, texts = _betas(match)
        decay = ", weight_decay={weight_decay=0.01}" if decays else ""
        if match.constant("amsgrad", False) is True:
            core = f"torch_amsgrad({{lr=0.001}}{betas}, eps={{eps}}{decay})"
            return _made(match, core, texts, decays=decays, consumed=frozenset({"amsgrad"}))
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


@rules.rule("torch.optim.Adamax")
def adamax(match: Match) -> Outcome:
    betas, texts = _betas(match)
    return _made(match, f"optax.adamax({{lr=0.002}}{betas}, eps={{eps}})", texts)


@rules.rule("torch.optim.RAdam")
def radam(match: Match) -> Outcome:
    """optax loses digits of the variance's length in 32 bits."""
    if match.given("decoupled_weight_decay"):
        return Refusal("its argument `decoupled_weight_decay` has no equivalent")
    betas, texts = _betas(match)
    return _made(match, f"torch_radam({{lr=0.001}}{betas}, eps={{eps}})", texts)


@rules.rule("torch.optim.NAdam")
def nadam(match: Match) -> Outcome:
    """optax has no schedule of the momentum."""
    if match.given("decoupled_weight_decay"):
        return Refusal("its argument `decoupled_weight_decay` has no equivalent")
    betas, texts = _betas(match)
    core = f"torch_nadam({{lr=0.002}}{betas}, eps={{eps}}, momentum_decay={{momentum_decay}})"
    return _made(match, core, texts)


@rules.rule("torch.optim.Adadelta")
def adadelta(match: Match) -> Outcome:
    return _made(match, "optax.adadelta({lr=1.0}, rho={rho=0.9}, eps={eps=1e-06})")


@rules.rule("torch.optim.Adagrad")
def adagrad(match: Match) -> Outcome:
    """optax adds eps inside the root."""
    return _made(
        match,
        "torch_adagrad({lr=0.01}, lr_decay={lr_decay},"
        " initial_accumulator_value={initial_accumulator_value}, eps={eps})",
    )


@rules.rule("torch.optim.Rprop")
def rprop(match: Match) -> Outcome:
    if _holds_rate(match):
        return Refusal("a schedule may change the first size of its steps only")
    return _made(match, "torch_rprop({lr=0.01}, etas={etas}, step_sizes={step_sizes})")


@rules.rule("torch.optim.Optimizer.param_groups")
def param_groups(match: Match) -> Outcome:
    """Read or set the rate that the state of the optimizer holds."""
    receiver = match.use.receiver
    known = receiver is not None and simple(receiver)
    found = rate(match.use.statement, match.use.node) if known else None
    if found is None or receiver is None or found.returns:
        return Refusal(
            "an optimizer of JAX has no groups of parameters",
            'optimizer.opt_state.hyperparams["learning_rate"]',
        )
    if found.use == Training.READS_RATE:
        assert isinstance(found.node, ast.expr)
        return Rewrite("torch_rate({self})", around=found.node)
    if match.program.calls(*_SCHEDULES):
        return Refusal("a schedule sets the rate too, from the first one")
    held = f'{ast.unparse(receiver)}.opt_state.hyperparams["learning_rate"][...]'
    operator = "=" if found.use == Training.SETS_RATE else "/=" if found.divides else "*="
    return Rewrite("{self}", instead=(f"{held} {operator} ", found.value, ""))


@rules.rule("torch.nn.Module.parameters")
def parameters(match: Match) -> Outcome:
    """Pass the model itself to its optimizer; elsewhere list its variables."""
    node = match.use.node
    if any(
        isinstance(call, ast.Call) and call.args[:1] == [node] and _name_of(call.func) in _KINDS
        for call in inside(match.use.statement)
    ):
        return Rewrite("{self}", consumed=frozenset(match.arguments))
    return listed(match)


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


_KEPT = unless(
    "if the state is kept while training goes on: in torch its tensors change with the optimizer"
)
_SNAPSHOTS = ("save", "deepcopy", "load_state_dict")


@rules.rule("torch.optim.Optimizer.state_dict")
def state_dict(match: Match) -> Outcome:
    """Write a dict of the state's arrays, as JAX names them."""
    if any(
        isinstance(node, ast.Subscript) and node.value is match.use.node
        for node in inside(match.use.statement)
    ):
        return Refusal("the state of an optimizer of JAX has other names")
    saved = any(
        isinstance(call, ast.Call)
        and _name_of(call.func) in _SNAPSHOTS
        and any(node is match.use.node for one in call.args for node in inside(one))
        for call in inside(match.use.statement)
    )
    return Rewrite("nnx.to_pure_dict(nnx.state({self}))", differs=() if saved else _KEPT)


rules.row("torch.optim.Optimizer.load_state_dict", "torch_load_optimizer({self}, {state_dict})")
