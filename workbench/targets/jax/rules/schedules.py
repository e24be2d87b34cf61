"""Learning-rate schedules: classes of a few lines that set the rate in the optimizer's state.

A schedule of optax counts updates; torch's counts the calls of `step`, often one an epoch.
"""

from __future__ import annotations

from workbench.rules.match import Match
from workbench.rules.outcome import Keep, Outcome
from workbench.rules.rule import RuleSet

rules = RuleSet()
_P = "torch.optim.lr_scheduler."

rules.row(_P + "StepLR", "TorchStepLR({optimizer}, {step_size}, gamma={gamma})")
rules.row(_P + "MultiStepLR", "TorchMultiStepLR({optimizer}, {milestones}, gamma={gamma})")
rules.row(_P + "ExponentialLR", "TorchExponentialLR({optimizer}, {gamma})")
rules.row(_P + "LambdaLR", "TorchLambdaLR({optimizer}, {lr_lambda})")
rules.row(
    _P + "LinearLR",
    "TorchLinearLR({optimizer}, start_factor={start_factor}, end_factor={end_factor},"
    " total_iters={total_iters})",
)
rules.row(
    _P + "CosineAnnealingLR", "TorchCosineAnnealingLR({optimizer}, {T_max}, eta_min={eta_min})"
)
rules.row(
    _P + "CosineAnnealingWarmRestarts",
    "TorchCosineAnnealingWarmRestarts({optimizer}, {T_0}, {T_mult}, eta_min={eta_min})",
)
rules.row(_P + "PolynomialLR", "TorchPolynomialLR({optimizer}, {total_iters}, power={power})")
rules.row(
    _P + "ConstantLR",
    "TorchConstantLR({optimizer}, factor={factor}, total_iters={total_iters})",
)
rules.row(_P + "MultiplicativeLR", "TorchMultiplicativeLR({optimizer}, {lr_lambda})")
rules.row(_P + "SequentialLR", "TorchSequentialLR({optimizer}, {schedulers}, {milestones})")
rules.row(
    _P + "OneCycleLR",
    "TorchOneCycleLR({optimizer}, {max_lr}, total_steps={total_steps}, epochs={epochs},"
    " steps_per_epoch={steps_per_epoch}, pct_start={pct_start},"
    " anneal_strategy={anneal_strategy}, cycle_momentum={cycle_momentum},"
    " base_momentum={base_momentum}, max_momentum={max_momentum}, div_factor={div_factor},"
    " final_div_factor={final_div_factor}, three_phase={three_phase})",
)
rules.row(
    _P + "ReduceLROnPlateau",
    "TorchReduceLROnPlateau({optimizer}, mode={mode}, factor={factor}, patience={patience},"
    " threshold={threshold}, cooldown={cooldown}, min_lr={min_lr})",
)


@rules.rule(
    _P + "LRScheduler.step",
    _P + "LRScheduler.get_last_lr",
    _P + "LRScheduler.last_epoch",
    _P + "LRScheduler.state_dict",
    _P + "LRScheduler.load_state_dict",
    _P + "ReduceLROnPlateau.step",
)
def same(match: Match) -> Outcome:
    """Keep the call, which means the same."""
    return Keep()


rules.row(_P + "LRScheduler.base_lrs", "[{self}.base]")
