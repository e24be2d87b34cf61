"""Optimizers: Paddle's own classes, if the program only needs their steps."""

from __future__ import annotations

import ast
from collections.abc import Callable

from workbench.rules.difference import Difference, unless
from workbench.rules.forms import FormSet
from workbench.rules.match import NOT_CONSTANT, Match
from workbench.rules.outcome import Keep, Outcome, Refusal, Rewrite
from workbench.source.traits.containers import last_name
from workbench.source.traits.program import Program
from workbench.source.traits.rates import rate
from workbench.source.traits.training import (
    simple,
)
from workbench.source.traits.traits import STARRED, Argument, Training

forms = FormSet()

_O = "torch.optim"


def native(program: Program) -> bool:
    """Return whether Paddle's own optimizers and schedules do for a program.

    Either all optimizers are Paddle's or none: Paddle's schedules only drive Paddle's optimizers.
    """
    uses, keys = program.traits.training, program.traits.group_keys
    sets = uses & {Training.SETS_RATE, Training.SCALES_RATE}
    if Training.ODD in uses or (Training.SCHEDULES in uses and sets):
        return False
    if program.calls("Rprop") and program.uses_function("Parameter", "requires_grad_"):
        return False  # Paddle's Rprop raises an error if its first parameter has no dimensions
    if program.traits.complex_parameters:
        return False  # Paddle's optimizers have no kernels for them
    if uses >= {Training.LOADS_STATE, Training.SCALES_RATE}:
        return False  # torch restores the reached rate from the state
    if uses >= {Training.RESTARTS, Training.SAVES_SCHEDULE}:
        return False  # Paddle's saved state lacks its position
    return keys <= {"weight_decay", "lr"} and ("lr" not in keys or _in_step(program))


# Names that make the rates of groups differ, or that show them individually.
_APART = frozenset({"CyclicLR", "OneCycleLR", "ReduceLROnPlateau", "get_last_lr"})
_LOWEST = frozenset(
    Argument(name, place)
    for name, at in (("CosineAnnealingLR", 2), ("CosineAnnealingWarmRestarts", 3))
    for place in (at, "eta_min", STARRED)
)


def _in_step(program: Program) -> bool:
    """Return whether the rates of all groups only ever change by one factor for all."""
    traits = program.traits
    if traits.training & {Training.READS_RATE, Training.SETS_RATE}:
        return False
    return traits.called.isdisjoint(_APART) and traits.given.isdisjoint(_LOWEST)


_RPROP = unless("a first parameter without dimensions raises an error in {target}")


def _value(text: str) -> Callable[[Program], str | None]:
    return lambda program: text if native(program) else None


# By torch's class: Paddle's class if its name differs, torch's default rate if Paddle has another
# default, and the other arguments.
_BETAS = ("beta1={beta1}", "beta2={beta2}")
_DECAY = "weight_decay={weight_decay}"
_CLASSES: dict[str, tuple[str, tuple[str, ...]]] = {
    "Adadelta": ("{lr=1.0}", ("epsilon={eps}", "rho={rho=0.9}", "parameters={params}", _DECAY)),
    "Adagrad": (
        "{lr=0.01}",
        (
            "epsilon={eps=1e-10}",
            "parameters={params}",
            _DECAY,
            "initial_accumulator_value={initial_accumulator_value}",
        ),
    ),
    "Adam": (
        "{lr}",
        (*_BETAS, "epsilon={eps}", "parameters={params}", _DECAY, "amsgrad={amsgrad}"),
    ),
    "AdamW": (
        "{lr}",
        (*_BETAS, "epsilon={eps}", "parameters={params}", _DECAY, "amsgrad={amsgrad}"),
    ),
    "NAdam": (
        "{lr}",
        (
            *_BETAS,
            "epsilon={eps}",
            "momentum_decay={momentum_decay}",
            "parameters={params}",
            _DECAY,
        ),
    ),
    "RAdam": ("{lr}", (*_BETAS, "epsilon={eps}", "parameters={params}", _DECAY)),
    "Rprop": (
        "{lr=0.01}",
        ("learning_rate_range={step_sizes=(1e-6, 50.0)}", "parameters={params}", "etas={etas}"),
    ),
}


def _written(match: Match, name: str, rate_: str, others: tuple[str, ...]) -> Outcome | None:
    """Return the call of Paddle's class, with the rate first."""
    texts: dict[str, str] = {}
    if (betas := match.arguments.get("betas")) is not None and not match.is_default("betas"):
        texts["beta1"], texts["beta2"] = _pair(betas.node)
    else:
        others = tuple(part for part in others if part not in _BETAS)
    number = match.constant("lr", 0.0)
    if isinstance(number, int) and not isinstance(number, bool):
        texts["lr"] = f"{number}.0"  # Paddle accepts no integers
    groups = _grouped(match, name, rate_)
    others = tuple(part.replace("{params}", groups) for part in others)
    given = match.arguments.get("lr")
    if given is not None and any(isinstance(part, ast.Call) for part in ast.walk(given.node)):
        rate_ = f"learning_rate={rate_}"  # in the order of the arguments
    if match.is_tensor("lr"):
        return None
    text = f"paddle.optimizer.{name}({', '.join((rate_, *others))})"
    free = {"betas", "foreach", "fused", "capturable", "differentiable"}
    odd = {"dampening", "lr_decay", "maximize", "decoupled_weight_decay"}
    consumed = frozenset({*free, *(one for one in odd if not match.given(one))})
    differs = _RPROP if name == "Rprop" else ()
    return Rewrite(text, texts=texts, consumed=consumed, differs=differs)


def _grouped(match: Match, name: str, rate_: str) -> str:
    """Return the parameters, or groups with their own rates in Paddle's form."""
    params = match.arguments["params"].node
    of_a_model = isinstance(params, ast.Call) and getattr(params.func, "attr", "") == "parameters"
    alike = of_a_model or (isinstance(params, ast.List | ast.Tuple) and not _has_rate(params))
    rated = not alike and "lr" in match.program.traits.group_keys
    if not rated and not _holds_tensors(match, params):
        return "{params}"
    if "lr" not in match.arguments and "=" not in rate_:
        rate_ = "0.002" if name == "NAdam" else "0.001"
    return f"torch_groups({{params}}, {rate_})"


def _holds_tensors(match: Match, params: ast.expr) -> bool:
    """Return whether a group holds a tensor that is no parameter, by the function that makes it."""
    groups = params.elts if isinstance(params, ast.List | ast.Tuple) else []
    held = (
        value
        for group in groups
        if isinstance(group, ast.Dict)
        for key, value in zip(group.keys, group.values, strict=True)
        if isinstance(key, ast.Constant) and key.value == "params"
    )
    parts = (one.elts if isinstance(one, ast.List | ast.Tuple) else [one] for one in held)
    names = (
        last_name(one) or "" for some in parts for one in some if not isinstance(one, ast.Call)
    )
    return any(maker[:1].islower() for name in names for maker in match.program.makers(name))


def _has_rate(params: ast.expr) -> bool:
    return any(
        (isinstance(part, ast.Constant) and part.value == "lr")
        or (isinstance(part, ast.keyword) and part.arg == "lr")
        for part in ast.walk(params)
    )


def _pair(node: ast.expr) -> tuple[str, str]:
    """Return the two numbers of `betas=(0.9, 0.95)`, or of a variable."""
    if isinstance(node, ast.Tuple | ast.List):
        return ast.unparse(node.elts[0]), ast.unparse(node.elts[1])
    return f"{ast.unparse(node)}[0]", f"{ast.unparse(node)}[1]"


for _name, (_rate, _others) in _CLASSES.items():

    def _decide(
        match: Match, name: str = _name, rate_: str = _rate, others: tuple[str, ...] = _others
    ) -> Outcome | None:
        return _written(match, name, rate_, others) if native(match.program) else None

    _tested = "(paddle.optimizer.Adam, paddle.optimizer.AdamW)" if _name == "Adam" else None
    forms.form(
        f"{_O}.{_name}",
        value=_value(f"paddle.optimizer.{_name}"),
        tested=_value(_tested) if _tested else None,
    )(_decide)


@forms.form(
    f"{_O}.SGD",
    value=_value("paddle.optimizer.Optimizer"),
    tested=_value("(paddle.optimizer.SGD, paddle.optimizer.Momentum)"),
)
def sgd(match: Match) -> Outcome | None:
    """Return Paddle's SGD, or its Momentum if the call sets a momentum."""
    if not native(match.program):
        return None
    if match.constant("momentum", 0) not in (0, NOT_CONSTANT) or _varies(match, "momentum"):
        return _written(
            match,
            "Momentum",
            "{lr=0.001}",
            ("momentum={momentum}", "parameters={params}", _DECAY, "use_nesterov={nesterov}"),
        )
    return _written(match, "SGD", "{lr}", ("parameters={params}", _DECAY))


def _varies(match: Match, parameter: str) -> bool:
    return match.constant(parameter, 0) is NOT_CONSTANT


def names_only(program: Program) -> bool:
    """Return whether a program names optimizers and schedules as types, and makes none itself."""
    return native(program) or Training.MAKES not in program.traits.training


@forms.form(f"{_O}.Optimizer.state_dict", f"{_O}.Optimizer.load_state_dict")
def state(match: Match) -> Outcome | None:
    """Keep the method; a loaded state may be another optimizer's, with names Paddle lacks."""
    if not native(match.program):
        return None
    differs = (Difference.SAVED_STATE,)
    if Training.LOADS_STATE not in match.program.traits.training:
        return Keep(differs=differs)
    loads = match.use.name.endswith("load_state_dict")
    text = "torch_load_optimizer_state({self}, {state_dict})"
    return Rewrite(text if loads else "torch_optimizer_state({self})", differs=differs)


@forms.form(f"{_O}.Optimizer.zero_grad")
def zero_grad(match: Match) -> Outcome | None:
    """Keep the method, unless the program refers to gradients, which Paddle would set to zero."""
    of_base = isinstance(match.use.receiver, ast.Call)  # super().zero_grad()
    if of_base or not native(match.program) or not match.program.holds_gradients:
        return None
    return Rewrite("torch_optimizer_zero_grad({self}, {set_to_none})")


@forms.form(f"{_O}.Optimizer.state", f"{_O}.Optimizer.defaults")
def member(match: Match) -> Outcome | None:
    """Refuse a member that Paddle's optimizer lacks, of an optimizer that was made elsewhere."""
    name = match.use.name.rpartition(".")[2]
    return Refusal(f"an optimizer of Paddle has no `{name}`") if native(match.program) else None


@forms.form(f"{_O}.Optimizer.param_groups")
def param_groups(match: Match) -> Outcome | None:
    """Read or set a rate as the optimizer's single rate."""
    use = match.use
    if not native(match.program) or use.receiver is None or not simple(use.receiver):
        return None
    found = rate(use.statement, use.node)
    if found is None:
        return None
    optimizer = ast.unparse(use.receiver)
    if found.use == Training.READS_RATE:
        if found.returns:
            return Rewrite("{self}", instead=(f"return {optimizer}.get_lr()", None, ""))
        assert isinstance(found.node, ast.expr)
        return Rewrite("{self}.get_lr()", around=found.node)
    if found.use == Training.SETS_RATE:
        return Rewrite("{self}", instead=(f"{optimizer}.set_lr(", found.value, ")"))
    low, high = ("", "") if _is_single(found.value) else ("(", ")")
    sign = "/" if found.divides else "*"
    before = f"{optimizer}.set_lr({optimizer}.get_lr() {sign} {low}"
    return Rewrite("{self}", instead=(before, found.value, f"{high})"))


def _is_single(node: ast.expr | None) -> bool:
    """Return whether an expression needs no brackets as a factor."""
    return isinstance(node, ast.Constant | ast.Name | ast.Attribute | ast.Call | ast.Subscript)
