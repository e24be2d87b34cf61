"""torch.optim.lr_scheduler."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike
from workbench.upstream.cases.preludes import OPTIMIZER, RATES

CASES: dict[str, tuple[str, ...]] = {
    "torch.optim.lr_scheduler.LambdaLR": (
        (OPTIMIZER + "s = torch.optim.lr_scheduler.LambdaLR(o, lambda e: 0.9 ** e)" + RATES),
        (
            OPTIMIZER + "s = torch.optim.lr_scheduler.LambdaLR(optimizer=o, lr_lambda=[lambda e: 1 "
            "/ (e + 1), lambda e: 2.0])" + RATES
        ),
    ),
    "torch.optim.lr_scheduler.MultiplicativeLR": (
        (
            OPTIMIZER + "s = torch.optim.lr_scheduler.MultiplicativeLR(o, lr_lambda=lambda e: 0.9 "
            "if e < 9 else 1.1)" + RATES
        ),
    ),
    "torch.optim.lr_scheduler.StepLR": (
        (OPTIMIZER + "s = torch.optim.lr_scheduler.StepLR(o, 3)" + RATES),
        (OPTIMIZER + "s = torch.optim.lr_scheduler.StepLR(o, step_size=4, gamma=0.5)" + RATES),
    ),
    "torch.optim.lr_scheduler.MultiStepLR": (
        (OPTIMIZER + "s = torch.optim.lr_scheduler.MultiStepLR(o, [3, 7, 7])" + RATES),
        (
            OPTIMIZER
            + "s = torch.optim.lr_scheduler.MultiStepLR(o, milestones=(9, 2), gamma=0.5)"
            + RATES
        ),
    ),
    "torch.optim.lr_scheduler.ConstantLR": (
        (OPTIMIZER + "s = torch.optim.lr_scheduler.ConstantLR(o)" + RATES),
        (OPTIMIZER + "s = torch.optim.lr_scheduler.ConstantLR(o, 0.5, total_iters=8)" + RATES),
    ),
    "torch.optim.lr_scheduler.LinearLR": (
        (OPTIMIZER + "s = torch.optim.lr_scheduler.LinearLR(o)" + RATES),
        (OPTIMIZER + "s = torch.optim.lr_scheduler.LinearLR(o, 0.5, 0.9, 7)" + RATES),
    ),
    "torch.optim.lr_scheduler.ExponentialLR": (
        (OPTIMIZER + "s = torch.optim.lr_scheduler.ExponentialLR(o, 0.9)" + RATES),
        (OPTIMIZER + "s = torch.optim.lr_scheduler.ExponentialLR(o, gamma=0.5)" + RATES),
    ),
    "torch.optim.lr_scheduler.PolynomialLR": (
        (OPTIMIZER + "s = torch.optim.lr_scheduler.PolynomialLR(o)" + RATES),
        (
            OPTIMIZER
            + "s = torch.optim.lr_scheduler.PolynomialLR(o, total_iters=12, power=2.0)"
            + RATES
        ),
    ),
    "torch.optim.lr_scheduler.CosineAnnealingLR": (
        (OPTIMIZER + "s = torch.optim.lr_scheduler.CosineAnnealingLR(o, 6)" + RATES),
        (
            OPTIMIZER
            + "s = torch.optim.lr_scheduler.CosineAnnealingLR(o, T_max=20, eta_min=0.01)"
            + RATES
        ),
    ),
    "torch.optim.lr_scheduler.CosineAnnealingWarmRestarts": (
        (OPTIMIZER + "s = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(o, 4)" + RATES),
        (
            OPTIMIZER + "s = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(o, T_0=2, "
            "T_mult=2, eta_min=0.01)" + RATES
        ),
    ),
    "torch.optim.lr_scheduler.CyclicLR": (
        (
            OPTIMIZER
            + "s = torch.optim.lr_scheduler.CyclicLR(o, 0.01, 0.1, step_size_up=4)\nrates = []\n"
            "for k in range(20):\n    o.step()\n"
            "    rates.append((s.get_last_lr(), [g['lr'] for g in o.param_groups], "
            "o.param_groups[1]['momentum']))\n    s.step()\n"
        ),
        (
            OPTIMIZER + "s = torch.optim.lr_scheduler.CyclicLR(o, base_lr=0.01, max_lr=[0.1, 0.2], "
            "step_size_up=3, step_size_down=5, mode='triangular2', base_momentum=0.7, "
            "max_momentum=0.8)\nrates = []\nfor k in range(20):\n    o.step()\n"
            "    rates.append((s.get_last_lr(), [g['lr'] for g in o.param_groups], "
            "o.param_groups[1]['momentum']))\n    s.step()\n"
        ),
        (
            OPTIMIZER + "s = torch.optim.lr_scheduler.CyclicLR(o, 0.01, 0.1, 4, None, 'exp_range', "
            "0.9, cycle_momentum=False)\nrates = []\nfor k in range(20):\n    o.step()\n"
            "    rates.append((s.get_last_lr(), [g['lr'] for g in o.param_groups], "
            "o.param_groups[1]['momentum']))\n    s.step()\n"
        ),
        (
            OPTIMIZER + "s = torch.optim.lr_scheduler.CyclicLR(o, 0.01, 0.1, 4, scale_fn=lambda x: "
            "0.5, scale_mode='iterations')\nrates = []\nfor k in range(20):\n    o.step()\n"
            "    rates.append((s.get_last_lr(), [g['lr'] for g in o.param_groups], "
            "o.param_groups[1]['momentum']))\n    s.step()\n"
        ),
    ),
    "torch.optim.lr_scheduler.OneCycleLR": (
        (OPTIMIZER + "s = torch.optim.lr_scheduler.OneCycleLR(o, 0.5, 21)" + RATES),
        (
            OPTIMIZER + "s = torch.optim.lr_scheduler.OneCycleLR(o, max_lr=[0.5, 0.3], epochs=3, "
            "steps_per_epoch=7, pct_start=0.4, anneal_strategy='linear', "
            "div_factor=10.0, final_div_factor=100.0)" + RATES
        ),
        (
            OPTIMIZER + "s = torch.optim.lr_scheduler.OneCycleLR(o, 0.5, total_steps=30, "
            "three_phase=True, cycle_momentum=False)" + RATES
        ),
    ),
    "torch.optim.lr_scheduler.ReduceLROnPlateau": (
        (
            OPTIMIZER
            + "s = torch.optim.lr_scheduler.ReduceLROnPlateau(o, patience=2)\nrates = []\n"
            "for k in range(20):\n    o.step()\n"
            "    rates.append((s.get_last_lr(), [g['lr'] for g in o.param_groups], "
            "o.param_groups[1]['momentum']))\n    s.step(abs(k - 4.0))\n"
        ),
        (
            OPTIMIZER + "s = torch.optim.lr_scheduler.ReduceLROnPlateau(o, 'max', 0.5, 1, 0.1, "
            "'abs', 2, [0.01, 0.02])\nrates = []\nfor k in range(20):\n    o.step()\n"
            "    rates.append((s.get_last_lr(), [g['lr'] for g in o.param_groups], "
            "o.param_groups[1]['momentum']))\n    s.step(1.0)\n"
        ),
        (
            OPTIMIZER + "s = torch.optim.lr_scheduler.ReduceLROnPlateau(o, mode='min', cooldown=1, "
            "patience=0)\nrates = []\nfor k in range(20):\n    o.step()\n"
            "    rates.append((s.get_last_lr(), [g['lr'] for g in o.param_groups], "
            "o.param_groups[1]['momentum']))\n    s.step(torch.tensor(k * 1.0))\n"
        ),
    ),
    "torch.optim.lr_scheduler.SequentialLR": (
        (
            OPTIMIZER + "s = torch.optim.lr_scheduler.SequentialLR(o, "
            "schedulers=[torch.optim.lr_scheduler.LinearLR(o, 0.1, total_iters=4), "
            "torch.optim.lr_scheduler.CosineAnnealingLR(o, T_max=16)], milestones=[4])" + RATES
        ),
    ),
    "torch.optim.lr_scheduler.ChainedScheduler": (
        (
            OPTIMIZER + "s = "
            "torch.optim.lr_scheduler.ChainedScheduler([torch.optim.lr_scheduler.Consta"
            "ntLR(o, 0.1), torch.optim.lr_scheduler.ExponentialLR(o, 0.9)])" + RATES
        ),
    ),
    "torch.optim.swa_utils.SWALR": (
        (
            OPTIMIZER
            + "s = torch.optim.swa_utils.SWALR(o, 0.01)\nrates = []\nfor k in range(20):\n"
            "    o.step()\n"
            "    rates.append((s.get_last_lr(), [g['lr'] for g in o.param_groups], "
            "o.param_groups[1]['momentum']))\n    s.step()\n"
        ),
        (
            OPTIMIZER + "s = torch.optim.swa_utils.SWALR(o, swa_lr=0.05, anneal_epochs=5, "
            "anneal_strategy='linear')\nrates = []\nfor k in range(20):\n    o.step()\n"
            "    rates.append((s.get_last_lr(), [g['lr'] for g in o.param_groups], "
            "o.param_groups[1]['momentum']))\n    s.step()\n"
        ),
    ),
    **alike(
        "torch.optim.lr_scheduler",
        "LRScheduler _LRScheduler",
        (
            "class Halving(torch.optim.lr_scheduler.{name}):\n"
            "    def __init__(self, optimizer, last_epoch=-1):\n        self.factor = 0.5\n"
            "        super().__init__(optimizer, last_epoch)\n    def get_lr(self):\n"
            "        return [b * self.factor ** self.last_epoch for b in self.base_lrs]\n"
            "q = nn.Parameter(torch.ones(2))\nv = nn.Parameter(torch.ones(3))\n"
            "o = torch.optim.SGD([{'params': [q]}, {'params': [v], 'lr': 0.3}], "
            "lr=0.1, momentum=0.5)\ns = Halving(o)" + RATES
        ),
    ),
}
