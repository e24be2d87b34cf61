"""Learning rate schedules: helpers that set the parameter groups of torch-like optimizers."""

from __future__ import annotations

from workbench.rules.match import Match
from workbench.rules.outcome import Keep, Outcome
from workbench.rules.rule import RuleSet
from workbench.words import words

rules = RuleSet()
_S = "torch.optim.lr_scheduler"


_NAMES = words(
    "LambdaLR MultiplicativeLR StepLR MultiStepLR ConstantLR LinearLR ExponentialLR "
    "PolynomialLR CosineAnnealingLR CosineAnnealingWarmRestarts CyclicLR OneCycleLR"
)

for _name in _NAMES:
    rules.counterpart(f"{_S}.{_name}", f"Torch{_name}")
rules.counterpart(f"{_S}.ReduceLROnPlateau", "TorchReduceLROnPlateau")
rules.counterpart(f"{_S}.SequentialLR", "TorchSequentialLR")
rules.counterpart(f"{_S}.ChainedScheduler", "TorchChainedScheduler")
rules.counterpart("torch.optim.swa_utils.SWALR", "TorchSWALR")
rules.counterpart(f"{_S}.LRScheduler", "TorchLRScheduler")
rules.counterpart(f"{_S}._LRScheduler", "TorchLRScheduler")
rules.keep(f"{_S}.LRScheduler.__init__")
rules.keep(f"{_S}.LRScheduler.step")
rules.keep(f"{_S}.LRScheduler.get_last_lr")
rules.keep(f"{_S}.LRScheduler.get_lr")
rules.keep(f"{_S}.LRScheduler.state_dict")
rules.keep(f"{_S}.LRScheduler.load_state_dict")
for _member in ("base_lrs", "last_epoch"):
    rules.keep(f"{_S}.LRScheduler.{_member}")
rules.keep(f"{_S}.LRScheduler.optimizer")
# Members of single classes.
_MEMBERS = {
    "StepLR": "step_size gamma",
    "MultiStepLR": "milestones gamma",
    "ConstantLR": "factor total_iters",
    "LinearLR": "start_factor end_factor total_iters",
    "ExponentialLR": "gamma",
    "PolynomialLR": "power total_iters",
    "CosineAnnealingLR": "T_max eta_min",
    "CosineAnnealingWarmRestarts": "T_0 T_cur T_i T_mult eta_min",
    "CyclicLR": "base_lrs base_momentums cycle_momentum gamma max_lrs max_momentums mode "
    "scale_mode step_ratio total_size use_beta1",
    "OneCycleLR": "cycle_momentum total_steps use_beta1",
    "ReduceLROnPlateau": "cooldown default_min_lr eps factor in_cooldown last_epoch min_lrs "
    "patience",
}
for _name, _members in _MEMBERS.items():
    for _member in _members.split():
        rules.keep(f"{_S}.{_name}.{_member}")
for _name in ("LambdaLR", "MultiplicativeLR"):
    rules.keep(f"{_S}.{_name}.lr_lambdas")
for _name in (*_NAMES, "ReduceLROnPlateau"):
    rules.keep(f"{_S}.{_name}.__init__")
rules.keep(f"{_S}.CyclicLR.scale_fn")
for _name in ("SequentialLR", "ChainedScheduler"):
    rules.keep(f"{_S}.{_name}.step")
    rules.keep(f"{_S}.{_name}.__init__")
rules.keep(f"{_S}.SequentialLR.last_epoch")
rules.keep(f"{_S}.ChainedScheduler.optimizer")
rules.keep(f"{_S}.CosineAnnealingWarmRestarts.step")


@rules.rule(f"{_S}.ReduceLROnPlateau.step")
def _plateau_step(match: Match) -> Outcome:
    """Accept a tensor as the metric, which torch's own annotation omits."""
    return Keep()
