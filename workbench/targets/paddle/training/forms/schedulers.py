"""Learning rate schedules: Paddle's own, set into their optimizer."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace

from workbench.rules.difference import Difference, unless
from workbench.rules.forms import FormSet
from workbench.rules.match import Match
from workbench.rules.outcome import Keep, Outcome, Refusal, Rewrite
from workbench.rules.template import only_given
from workbench.source.traits.program import Program
from workbench.source.traits.sequences import is_sequential, sequence
from workbench.source.traits.training import rising, simple
from workbench.source.tree import inside
from workbench.source.types.lattice import Items, Tensor
from workbench.source.uses import UseKind
from workbench.targets.paddle.training.forms.optimizers import names_only, native
from workbench.words import words

forms = FormSet()

_S = "torch.optim.lr_scheduler"
_L = "paddle.optimizer.lr"
_RATE = "{optimizer}.get_lr()"
_CLASSES = {
    "CosineAnnealingLR": f"CosineAnnealingDecay({_RATE}, T_max={{T_max}}, eta_min={{eta_min}})",
    "CosineAnnealingWarmRestarts": f"CosineAnnealingWarmRestarts({_RATE}, T_0={{T_0}}, "
    "T_mult={T_mult}, eta_min={eta_min})",
    "CyclicLR": "CyclicLR({base_lr}, {max_lr}, step_size_up={step_size_up=2000}, "
    "step_size_down={step_size_down}, mode={mode}, exp_gamma={gamma}, scale_fn={scale_fn}, "
    "scale_mode={scale_mode})",
    "ExponentialLR": f"ExponentialDecay({_RATE}, gamma={{gamma}})",
    "LambdaLR": f"LambdaDecay({_RATE}, lr_lambda={{lr_lambda}})",
    "LinearLR": f"LinearLR({_RATE}, total_steps={{total_iters=5}}, start_factor={{start_factor}}, "
    "end_factor={end_factor})",
    "MultiStepLR": f"MultiStepDecay({_RATE}, milestones={{milestones}}, gamma={{gamma}})",
    "MultiplicativeLR": f"MultiplicativeDecay({_RATE}, lr_lambda={{lr_lambda}})",
    "PolynomialLR": f"PolynomialDecay({_RATE}, decay_steps={{total_iters=5}}, end_lr=0.0, "
    "power={power})",
    "ReduceLROnPlateau": f"ReduceOnPlateau({_RATE}, mode={{mode}}, factor={{factor}}, "
    "patience={patience}, threshold={threshold}, threshold_mode={threshold_mode}, "
    "min_lr={min_lr}, epsilon={eps})",
    "StepLR": f"StepDecay({_RATE}, step_size={{step_size}}, gamma={{gamma}})",
}


def _scheduled(match: Match, text: str) -> Outcome | None:
    """Return a schedule, which the next statement sets into its optimizer."""
    if not native(match.program) or match.use.kind is not UseKind.CALL:
        return None
    node = match.arguments["optimizer"].node
    if not simple(node):
        return None
    optimizer = ast.unparse(node)
    free = {"optimizer", "verbose", "last_epoch", "cycle_momentum", "cooldown"}
    consumed = frozenset(
        {*free, "base_momentum", "max_momentum", "total_steps", "epochs", "steps_per_epoch"}
    )
    target = _assigned(match)
    text = f"{_L}.{text}"
    step = match.constant("step_size")
    whole = {"step_size": repr(int(step))} if isinstance(step, float) and step.is_integer() else {}
    statement = match.use.statement
    if isinstance(statement, ast.Return) and statement.value is match.use.node:
        behind = f"\n{optimizer}.set_lr_scheduler(schedule)\nreturn schedule"
        also = ((statement, "schedule = ", match.use.node, behind),)
        return Rewrite(text, texts=whole, consumed=consumed, also=also)
    if _is_part(match, target):
        return Rewrite(text, texts=whole, consumed=consumed)
    if target is None:
        made = only_given(text, {*match.arguments})  # a call within a call
        return Rewrite(f"torch_scheduled({{optimizer}}, {made})", consumed=consumed)
    after = f"{optimizer}.set_lr_scheduler({target})"
    return Rewrite(text, texts=whole, consumed=consumed, after=after)


def _is_part(match: Match, target: str | None) -> bool:
    """Return whether a schedule is one of a sequence, which is what drives the optimizer."""
    if target is not None:
        return target in match.program.own_traits.parts
    calls = (one for one in inside(match.use.statement) if isinstance(one, ast.Call))
    found = (sequence(one) for one in calls if is_sequential(one.func))
    return any(match.use.node in one.schedules for one in found if one is not None)


def _assigned(match: Match) -> str | None:
    """Return the target that the schedule is assigned to, or None if the statement does more."""
    statement = match.use.statement
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target = statement.targets[0]
    elif isinstance(statement, ast.AnnAssign):
        target = statement.target
    else:
        return None
    return ast.unparse(target) if statement.value is match.use.node and simple(target) else None


def _value(name: str) -> Callable[[Program], str | None]:
    return lambda program: f"{_L}.{name}" if native(program) else None


_RISING = unless(
    "milestones that repeat or do not rise raise a ValueError in {target}, others than a list or"
    " tuple a TypeError"
)
_NEVER_FOUND = unless(
    "a milestone is a tensor: torch never finds it and keeps the rate, {target} changes the rate"
)
for _name, _text in _CLASSES.items():

    def _decide(match: Match, text: str = _text) -> Outcome | None:
        return _scheduled(match, text)

    if _name != "MultiStepLR":
        forms.form(f"{_S}.{_name}", value=_value(_text.partition("(")[0]))(_decide)


@forms.form(f"{_S}.MultiStepLR", value=_value("MultiStepDecay"))
def multi_step(match: Match) -> Outcome | None:
    """Write a schedule of steps, whose milestones may neither repeat nor fall in Paddle."""
    outcome = _scheduled(match, _CLASSES["MultiStepLR"])
    if not isinstance(outcome, Rewrite) or rising(match.arguments["milestones"].node):
        return outcome
    given = match.value("milestones")
    milestones = (given.items or (given.item,)) if isinstance(given, Items) else ()
    tensors = any(isinstance(one, Tensor) for one in milestones)
    return replace(outcome, differs=_RISING + (_NEVER_FOUND if tensors else ()))


@forms.form(f"{_S}.OneCycleLR", value=_value("OneCycleLR"))
def one_cycle(match: Match) -> Outcome | None:
    """Return a cycle of the rate only, with its length and its final rate as numbers."""
    steps = "{total_steps}" if match.given("total_steps") else "{epochs} * {steps_per_epoch}"
    highest, start, end = (
        match.constant("max_lr"),
        match.constant("div_factor", 25.0),
        match.constant("final_div_factor", 1e4),
    )
    last = "{max_lr} / ({div_factor=25.0} * {final_div_factor=1e4})"
    if all(isinstance(one, int | float) for one in (highest, start, end)):
        last = repr(highest / start / end)
    return _scheduled(
        match,
        f"OneCycleLR({{max_lr}}, total_steps={steps}, divide_factor={{div_factor}}, "
        f"end_learning_rate={last}, phase_pct={{pct_start}}, "
        "anneal_strategy={anneal_strategy}, three_phase={three_phase})",
    )


@forms.form(f"{_S}.SequentialLR", value=lambda program: None)
def sequential(match: Match) -> Outcome | None:
    """Write schedules one after another, none of which drives the optimizer itself."""
    node, target = match.arguments["optimizer"].node, _assigned(match)
    if not native(match.program) or match.use.kind is not UseKind.CALL or not simple(node):
        return None
    made = "TorchSequence({schedulers}, {milestones})"
    consumed = frozenset({"optimizer"})
    if target is None:
        return Rewrite(f"torch_scheduled({{optimizer}}, {made})")
    after = f"{ast.unparse(node)}.set_lr_scheduler({target})"
    return Rewrite(made, consumed=consumed, after=after)


for _name in ("LRScheduler", "_LRScheduler"):
    forms.row(
        f"{_S}.{_name}",
        to="...",
        when=lambda match: False,
        value=lambda program: f"{_L}.LRScheduler" if names_only(program) else None,
    )


@forms.form(f"{_S}.LRScheduler.get_last_lr")
def get_last_lr(match: Match) -> Outcome | None:
    """Write the single rate of Paddle's schedule."""
    if not native(match.program):
        return None
    for part in ast.walk(match.use.statement):
        if not isinstance(part, ast.Subscript) or part.value is not match.use.node:
            continue
        if ast.unparse(part.slice) in {"0", "-1"}:
            return Rewrite("{self}.last_lr", around=part)
    return Rewrite("[{self}.last_lr]")


@forms.form(f"{_S}.LRScheduler.state_dict")
def state_dict(match: Match) -> Outcome | None:
    """Keep the name; the state is Paddle's."""
    return Keep(differs=(Difference.SAVED_STATE,)) if native(match.program) else None


_FROM_ITS_OWN_RATE = (
    Difference.SAVED_STATE,
    *unless(
        "the state does not include the initial learning rate: a schedule that was made with"
        " another one continues from its own"
    ),
)


@forms.form(f"{_S}.LRScheduler.load_state_dict")
def load_state_dict(match: Match) -> Outcome | None:
    """Write Paddle's name for it."""
    if not native(match.program):
        return None
    return Rewrite("{self}.set_state_dict({state_dict})", differs=_FROM_ITS_OWN_RATE)


_MEMBERS = words(
    "LRScheduler.base_lrs LRScheduler.optimizer CyclicLR.max_lrs LambdaLR.lr_lambdas "
    "LinearLR.total_iters MultiStepLR.milestones MultiplicativeLR.lr_lambdas "
    "PolynomialLR.total_iters ReduceLROnPlateau.eps ReduceLROnPlateau.min_lrs"
)


@forms.form(*(f"{_S}.{name}" for name in _MEMBERS))
def member(match: Match) -> Outcome | None:
    """Refuse a member that Paddle's schedule lacks, of a schedule that was made elsewhere."""
    name = match.use.name.rpartition(".")[2]
    if not native(match.program):
        return None
    if name == "milestones":
        return Keep(differs=unless("`milestones` is a list in {target}, not a `Counter`"))
    return Refusal(f"a schedule of Paddle has no `{name}`")
