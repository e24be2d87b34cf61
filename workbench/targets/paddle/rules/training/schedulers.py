"""Learning rate schedules: helpers that set the parameter groups of torch-like optimizers."""

from __future__ import annotations

from workbench.rules.match import Match
from workbench.rules.outcome import Keep, Outcome
from workbench.rules.rule import RuleSet
from workbench.rules.same_call import same_call

rules = RuleSet()

_OPTIMIZER = (
    "q = nn.Parameter(torch.ones(2))\nv = nn.Parameter(torch.ones(3))\n"
    "o = torch.optim.SGD([{'params': [q]}, {'params': [v], 'lr': 0.3}], lr=0.1, momentum=0.5)\n"
)
_S = "torch.optim.lr_scheduler"


def _steps(call: str, *, argument: str = "", state: bool = True) -> str:
    """The rates over 20 steps; `state` compares the schedule's own state as well."""
    return (
        f"{_OPTIMIZER}s = {call}\nrates = []\nfor k in range(20):\n    o.step()\n"
        f"    rates.append((s.get_last_lr(), [g['lr'] for g in o.param_groups], "
        f"o.param_groups[1]['momentum']))\n    s.step({argument})\n"
        + ("d = s.state_dict()" if state else "")
    )


_CALLS = {
    "LambdaLR": [
        "LambdaLR(o, lambda e: 0.9 ** e)",
        "LambdaLR(optimizer=o, lr_lambda=[lambda e: 1 / (e + 1), lambda e: 2.0])",
    ],
    "MultiplicativeLR": ["MultiplicativeLR(o, lr_lambda=lambda e: 0.9 if e < 9 else 1.1)"],
    "StepLR": ["StepLR(o, 3)", "StepLR(o, step_size=4, gamma=0.5)"],
    "MultiStepLR": ["MultiStepLR(o, [3, 7, 7])", "MultiStepLR(o, milestones=(9, 2), gamma=0.5)"],
    "ConstantLR": ["ConstantLR(o)", "ConstantLR(o, 0.5, total_iters=8)"],
    "LinearLR": ["LinearLR(o)", "LinearLR(o, 0.5, 0.9, 7)"],
    "ExponentialLR": ["ExponentialLR(o, 0.9)", "ExponentialLR(o, gamma=0.5)"],
    "PolynomialLR": ["PolynomialLR(o)", "PolynomialLR(o, total_iters=12, power=2.0)"],
    "CosineAnnealingLR": [
        "CosineAnnealingLR(o, 6)",
        "CosineAnnealingLR(o, T_max=20, eta_min=0.01)",
    ],
    "CosineAnnealingWarmRestarts": [
        "CosineAnnealingWarmRestarts(o, 4)",
        "CosineAnnealingWarmRestarts(o, T_0=2, T_mult=2, eta_min=0.01)",
    ],
    "CyclicLR": [
        "CyclicLR(o, 0.01, 0.1, step_size_up=4)",
        "CyclicLR(o, base_lr=0.01, max_lr=[0.1, 0.2], step_size_up=3, step_size_down=5, "
        "mode='triangular2', base_momentum=0.7, max_momentum=0.8)",
        "CyclicLR(o, 0.01, 0.1, 4, None, 'exp_range', 0.9, cycle_momentum=False)",
        "CyclicLR(o, 0.01, 0.1, 4, scale_fn=lambda x: 0.5, scale_mode='iterations')",
    ],
    "OneCycleLR": [
        "OneCycleLR(o, 0.5, 21)",
        "OneCycleLR(o, max_lr=[0.5, 0.3], epochs=3, steps_per_epoch=7, pct_start=0.4, "
        "anneal_strategy='linear', div_factor=10.0, final_div_factor=100.0)",
        "OneCycleLR(o, 0.5, total_steps=30, three_phase=True, cycle_momentum=False)",
    ],
}
# Whose own state holds what differs without meaning: bound methods.
_OWN_STATE = frozenset({"CyclicLR"})

for _name, _calls in _CALLS.items():
    rules.row(
        f"{_S}.{_name}",
        same_call(f"{_S}.{_name}", f"Torch{_name}"),
        value=f"Torch{_name}",
        cases=[_steps(f"{_S}.{call}", state=_name not in _OWN_STATE) for call in _calls],
    )
_EPOCH = "o.step()\ns.step(7)\nr = s.get_last_lr()\ns.step()\nr2 = s.get_last_lr(), s.last_epoch"
rules.row(
    f"{_S}.ReduceLROnPlateau",
    same_call(f"{_S}.ReduceLROnPlateau", "TorchReduceLROnPlateau"),
    value="TorchReduceLROnPlateau",
    cases=[
        _steps(f"{_S}.{call}", argument=argument, state=False)
        for call, argument in (
            ("ReduceLROnPlateau(o, patience=2)", "abs(k - 4.0)"),
            ("ReduceLROnPlateau(o, 'max', 0.5, 1, 0.1, 'abs', 2, [0.01, 0.02])", "1.0"),
            ("ReduceLROnPlateau(o, mode='min', cooldown=1, patience=0)", "torch.tensor(k * 1.0)"),
        )
    ],
)
rules.row(
    f"{_S}.SequentialLR",
    same_call(f"{_S}.SequentialLR", "TorchSequentialLR"),
    value="TorchSequentialLR",
    cases=[
        _steps(
            f"{_S}.SequentialLR(o, schedulers=[{_S}.LinearLR(o, 0.1, total_iters=4), "
            f"{_S}.CosineAnnealingLR(o, T_max=16)], milestones=[4])",
        )
    ],
)
rules.row(
    f"{_S}.ChainedScheduler",
    same_call(f"{_S}.ChainedScheduler", "TorchChainedScheduler"),
    value="TorchChainedScheduler",
    cases=[
        _steps(f"{_S}.ChainedScheduler([{_S}.ConstantLR(o, 0.1), {_S}.ExponentialLR(o, 0.9)])"),
    ],
)
rules.row(
    "torch.optim.swa_utils.SWALR",
    same_call("torch.optim.swa_utils.SWALR", "TorchSWALR"),
    value="TorchSWALR",
    cases=[
        _steps(f"torch.optim.swa_utils.SWALR({call}", state=False)
        for call in ("o, 0.01)", "o, swa_lr=0.05, anneal_epochs=5, anneal_strategy='linear')")
    ],
)
_MINE = (
    f"class Halving({_S}.LRScheduler):\n    def __init__(self, optimizer, last_epoch=-1):\n"
    "        self.factor = 0.5\n        super().__init__(optimizer, last_epoch)\n"
    "    def get_lr(self):\n"
    "        return [b * self.factor ** self.last_epoch for b in self.base_lrs]\n"
)
rules.row(
    f"{_S}.LRScheduler",
    same_call(f"{_S}.LRScheduler", "TorchLRScheduler"),
    value="TorchLRScheduler",
    cases=[f"{_MINE}{_steps('Halving(o)')}"],
)
rules.row(
    f"{_S}._LRScheduler",
    same_call(f"{_S}._LRScheduler", "TorchLRScheduler"),
    value="TorchLRScheduler",
    cases=[f"{_MINE.replace('.LRScheduler', '._LRScheduler')}{_steps('Halving(o)')}"],
)
rules.keep(f"{_S}.LRScheduler.__init__", cases=[f"{_MINE}{_steps('Halving(o)')}"])
rules.keep(
    f"{_S}.LRScheduler.step",
    cases=[
        f"{_OPTIMIZER}s = {_S}.StepLR(o, 2)\n{_EPOCH}",
        f"{_OPTIMIZER}s = {_S}.CosineAnnealingLR(o, 10)\n{_EPOCH}",
    ],
)
rules.keep(
    f"{_S}.LRScheduler.get_last_lr",
    cases=[f"{_OPTIMIZER}s = {_S}.StepLR(o, 1)\no.step()\ns.step()\nr = s.get_last_lr()"],
)
rules.keep(
    f"{_S}.LRScheduler.get_lr",
    cases=[
        f"{_OPTIMIZER}s = {_S}.LambdaLR(o, lambda e: 0.5 ** e)\no.step()\ns.step()\nr = s.get_lr()"
    ],
)
rules.keep(
    f"{_S}.LRScheduler.state_dict",
    cases=[f"{_OPTIMIZER}s = {_S}.StepLR(o, 2)\no.step()\ns.step()\nr = s.state_dict()"],
)
rules.keep(
    f"{_S}.LRScheduler.load_state_dict",
    cases=[
        f"{_OPTIMIZER}s = {_S}.StepLR(o, 2)\no.step()\ns.step()\nt = {_S}.StepLR(o, 5)\n"
        "t.load_state_dict(s.state_dict())\nt.step()\nr = t.step_size, t.get_last_lr()",
    ],
)
for _member in ("base_lrs", "last_epoch"):
    rules.keep(
        f"{_S}.LRScheduler.{_member}",
        cases=[f"{_OPTIMIZER}s = {_S}.StepLR(o, 2)\no.step()\ns.step()\nr = s.{_member}"],
    )
rules.keep(
    f"{_S}.LRScheduler.optimizer",
    cases=[f"{_OPTIMIZER}s = {_S}.StepLR(o, 2)\nr = s.optimizer is o"],
)
# Members of single classes, with a call that makes one.
_ARGUMENTS = {
    "LambdaLR": "o, lambda e: 0.5",
    "MultiplicativeLR": "o, lambda e: 0.5",
    "StepLR": "o, 2",
    "MultiStepLR": "o, [3]",
    "ConstantLR": "o",
    "LinearLR": "o",
    "ExponentialLR": "o, 0.9",
    "PolynomialLR": "o",
    "CosineAnnealingLR": "o, 6",
    "CosineAnnealingWarmRestarts": "o, 4",
    "CyclicLR": "o, 0.01, 0.1, 4",
    "OneCycleLR": "o, 0.5, 21",
    "ReduceLROnPlateau": "o",
}
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
        rules.keep(
            f"{_S}.{_name}.{_member}",
            cases=[
                f"{_OPTIMIZER}s = {_S}.{_name}({_ARGUMENTS[_name]})\nr = s.{_member}",
            ],
        )
for _name in ("LambdaLR", "MultiplicativeLR"):
    rules.keep(
        f"{_S}.{_name}.lr_lambdas",
        cases=[f"{_OPTIMIZER}s = {_S}.{_name}(o, lambda e: e + 1)\nr = s.lr_lambdas[1](3)"],
    )
for _name, _given in _ARGUMENTS.items():
    _metric = "1.0" if _name == "ReduceLROnPlateau" else ""
    rules.keep(
        f"{_S}.{_name}.__init__",
        cases=[
            f"class Mine({_S}.{_name}):\n    def __init__(self, o):\n"
            f"        super().__init__({_given})\n"
            f"{_steps('Mine(o)', argument=_metric, state=False)}"
        ],
    )
rules.keep(
    f"{_S}.CyclicLR.scale_fn",
    cases=[f"{_OPTIMIZER}s = {_S}.CyclicLR(o, 0.1, 1, 4, mode='triangular2')\nr = s.scale_fn(3)"],
)
_PARTS = f"[{_S}.LinearLR(o, 0.1, total_iters=4), {_S}.ExponentialLR(o, 0.9)]"
for _name, _given in (("SequentialLR", f"o, {_PARTS}, [4]"), ("ChainedScheduler", _PARTS)):
    rules.keep(f"{_S}.{_name}.step", cases=[_steps(f"{_S}.{_name}({_given})")])
    rules.keep(
        f"{_S}.{_name}.__init__",
        cases=[
            f"class Mine({_S}.{_name}):\n    def __init__(self, o):\n"
            f"        super().__init__({_given})\n{_steps('Mine(o)')}"
        ],
    )
rules.keep(
    f"{_S}.SequentialLR.last_epoch",
    cases=[f"{_OPTIMIZER}s = {_S}.SequentialLR(o, {_PARTS}, [4])\ns.step()\nr = s.last_epoch"],
)
rules.keep(
    f"{_S}.ChainedScheduler.optimizer",
    cases=[f"{_OPTIMIZER}s = {_S}.ChainedScheduler({_PARTS})\nr = s.optimizer is o"],
)
rules.keep(
    f"{_S}.CosineAnnealingWarmRestarts.step",
    cases=[
        f"{_OPTIMIZER}s = {_S}.CosineAnnealingWarmRestarts(o, 3, {more})\nr = []\n"
        "for k in range(20):\n    o.step()\n    s.step(k / 2)\n    r.append(s.get_last_lr())"
        for more in ("1", "T_mult=2")
    ],
)


@rules.rule(
    f"{_S}.ReduceLROnPlateau.step",
    signature="(metrics, epoch=None)",
    cases=[
        f"{_OPTIMIZER}s = {_S}.ReduceLROnPlateau(o, patience=0)\ns.step(1.0)\n"
        "s.step(metrics=torch.tensor(2.0))\nr = s.get_last_lr()",
    ],
)
def _plateau_step(match: Match) -> Outcome:
    """A metric may be a tensor, which torch's own annotation does not say."""
    return Keep()
