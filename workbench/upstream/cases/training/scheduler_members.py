"""The members of schedulers."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike
from workbench.upstream.cases.preludes import OPTIMIZER, RATES

CASES: dict[str, tuple[str, ...]] = {
    "torch.optim.lr_scheduler.LRScheduler.__init__": (
        (
            "class Halving(torch.optim.lr_scheduler.LRScheduler):\n"
            "    def __init__(self, optimizer, last_epoch=-1):\n        self.factor = 0.5\n"
            "        super().__init__(optimizer, last_epoch)\n    def get_lr(self):\n"
            "        return [b * self.factor ** self.last_epoch for b in self.base_lrs]\n"
            "q = nn.Parameter(torch.ones(2))\nv = nn.Parameter(torch.ones(3))\n"
            "o = torch.optim.SGD([{'params': [q]}, {'params': [v], 'lr': 0.3}], "
            "lr=0.1, momentum=0.5)\ns = Halving(o)" + RATES
        ),
    ),
    "torch.optim.lr_scheduler.LRScheduler.step": (
        (
            OPTIMIZER + "s = torch.optim.lr_scheduler.StepLR(o, 2)\no.step()\ns.step(7)\n"
            "r = s.get_last_lr()\ns.step()\nr2 = s.get_last_lr(), s.last_epoch"
        ),
        (
            OPTIMIZER
            + "s = torch.optim.lr_scheduler.CosineAnnealingLR(o, 10)\no.step()\ns.step(7)\n"
            "r = s.get_last_lr()\ns.step()\nr2 = s.get_last_lr(), s.last_epoch"
        ),
    ),
    "torch.optim.lr_scheduler.LRScheduler.get_last_lr": (
        (
            OPTIMIZER
            + "s = torch.optim.lr_scheduler.StepLR(o, 1)\no.step()\ns.step()\nr = s.get_last_lr()"
        ),
    ),
    "torch.optim.lr_scheduler.LRScheduler.get_lr": (
        (
            OPTIMIZER
            + "s = torch.optim.lr_scheduler.LambdaLR(o, lambda e: 0.5 ** e)\no.step()\ns.step()\n"
            "r = s.get_lr()"
        ),
    ),
    "torch.optim.lr_scheduler.LRScheduler.state_dict": (
        (
            OPTIMIZER
            + "s = torch.optim.lr_scheduler.StepLR(o, 2)\no.step()\ns.step()\nr = s.state_dict()"
        ),
    ),
    "torch.optim.lr_scheduler.LRScheduler.load_state_dict": (
        (
            OPTIMIZER + "s = torch.optim.lr_scheduler.StepLR(o, 2)\no.step()\ns.step()\n"
            "t = torch.optim.lr_scheduler.StepLR(o, 5)\nt.load_state_dict(s.state_dict())\n"
            "t.step()\nr = t.step_size, t.get_last_lr()"
        ),
    ),
    **alike(
        "torch.optim.lr_scheduler.LRScheduler",
        "base_lrs last_epoch",
        (OPTIMIZER + "s = torch.optim.lr_scheduler.StepLR(o, 2)\no.step()\ns.step()\nr = s.{name}"),
    ),
    "torch.optim.lr_scheduler.LRScheduler.optimizer": (
        (OPTIMIZER + "s = torch.optim.lr_scheduler.StepLR(o, 2)\nr = s.optimizer is o"),
    ),
    **alike(
        "torch.optim.lr_scheduler.StepLR",
        "step_size gamma",
        (OPTIMIZER + "s = torch.optim.lr_scheduler.StepLR(o, 2)\nr = s.{name}"),
    ),
    **alike(
        "torch.optim.lr_scheduler.MultiStepLR",
        "milestones gamma",
        (OPTIMIZER + "s = torch.optim.lr_scheduler.MultiStepLR(o, [3])\nr = s.{name}"),
    ),
    **alike(
        "torch.optim.lr_scheduler.ConstantLR",
        "factor total_iters",
        (OPTIMIZER + "s = torch.optim.lr_scheduler.ConstantLR(o)\nr = s.{name}"),
    ),
    **alike(
        "torch.optim.lr_scheduler.LinearLR",
        "start_factor end_factor total_iters",
        (OPTIMIZER + "s = torch.optim.lr_scheduler.LinearLR(o)\nr = s.{name}"),
    ),
    "torch.optim.lr_scheduler.ExponentialLR.gamma": (
        (OPTIMIZER + "s = torch.optim.lr_scheduler.ExponentialLR(o, 0.9)\nr = s.gamma"),
    ),
    **alike(
        "torch.optim.lr_scheduler.PolynomialLR",
        "power total_iters",
        (OPTIMIZER + "s = torch.optim.lr_scheduler.PolynomialLR(o)\nr = s.{name}"),
    ),
    **alike(
        "torch.optim.lr_scheduler.CosineAnnealingLR",
        "T_max eta_min",
        (OPTIMIZER + "s = torch.optim.lr_scheduler.CosineAnnealingLR(o, 6)\nr = s.{name}"),
    ),
    **alike(
        "torch.optim.lr_scheduler.CosineAnnealingWarmRestarts",
        "T_0 T_cur T_i T_mult eta_min",
        (
            OPTIMIZER
            + "s = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(o, 4)\nr = s.{name}"
        ),
    ),
    **alike(
        "torch.optim.lr_scheduler.CyclicLR",
        "base_lrs base_momentums cycle_momentum gamma max_lrs max_momentums mode "
        "scale_mode step_ratio total_size use_beta1",
        (OPTIMIZER + "s = torch.optim.lr_scheduler.CyclicLR(o, 0.01, 0.1, 4)\nr = s.{name}"),
    ),
    **alike(
        "torch.optim.lr_scheduler.OneCycleLR",
        "cycle_momentum total_steps use_beta1",
        (OPTIMIZER + "s = torch.optim.lr_scheduler.OneCycleLR(o, 0.5, 21)\nr = s.{name}"),
    ),
    **alike(
        "torch.optim.lr_scheduler.ReduceLROnPlateau",
        "cooldown default_min_lr eps factor in_cooldown last_epoch min_lrs patience",
        (OPTIMIZER + "s = torch.optim.lr_scheduler.ReduceLROnPlateau(o)\nr = s.{name}"),
    ),
    **alike(
        "torch.optim.lr_scheduler",
        "LambdaLR.lr_lambdas MultiplicativeLR.lr_lambdas",
        (
            OPTIMIZER
            + "s = torch.optim.lr_scheduler.{owner}(o, lambda e: e + 1)\nr = s.lr_lambdas[1](3)"
        ),
    ),
    **alike(
        "torch.optim.lr_scheduler",
        "LambdaLR.__init__ MultiplicativeLR.__init__",
        (
            "class Mine(torch.optim.lr_scheduler.{owner}):\n    def __init__(self, o):\n"
            "        super().__init__(o, lambda e: 0.5)\nq = nn.Parameter(torch.ones(2))\n"
            "v = nn.Parameter(torch.ones(3))\n"
            "o = torch.optim.SGD([{'params': [q]}, {'params': [v], 'lr': 0.3}], "
            "lr=0.1, momentum=0.5)\ns = Mine(o)\nrates = []\nfor k in range(20):\n"
            "    o.step()\n"
            "    rates.append((s.get_last_lr(), [g['lr'] for g in o.param_groups], "
            "o.param_groups[1]['momentum']))\n    s.step()\n"
        ),
    ),
    "torch.optim.lr_scheduler.StepLR.__init__": (
        (
            "class Mine(torch.optim.lr_scheduler.StepLR):\n    def __init__(self, o):\n"
            "        super().__init__(o, 2)\nq = nn.Parameter(torch.ones(2))\n"
            "v = nn.Parameter(torch.ones(3))\n"
            "o = torch.optim.SGD([{'params': [q]}, {'params': [v], 'lr': 0.3}], "
            "lr=0.1, momentum=0.5)\ns = Mine(o)\nrates = []\nfor k in range(20):\n"
            "    o.step()\n"
            "    rates.append((s.get_last_lr(), [g['lr'] for g in o.param_groups], "
            "o.param_groups[1]['momentum']))\n    s.step()\n"
        ),
    ),
    "torch.optim.lr_scheduler.MultiStepLR.__init__": (
        (
            "class Mine(torch.optim.lr_scheduler.MultiStepLR):\n    def __init__(self, o):\n"
            "        super().__init__(o, [3])\nq = nn.Parameter(torch.ones(2))\n"
            "v = nn.Parameter(torch.ones(3))\n"
            "o = torch.optim.SGD([{'params': [q]}, {'params': [v], 'lr': 0.3}], "
            "lr=0.1, momentum=0.5)\ns = Mine(o)\nrates = []\nfor k in range(20):\n"
            "    o.step()\n"
            "    rates.append((s.get_last_lr(), [g['lr'] for g in o.param_groups], "
            "o.param_groups[1]['momentum']))\n    s.step()\n"
        ),
    ),
    **alike(
        "torch.optim.lr_scheduler",
        "ConstantLR.__init__ LinearLR.__init__ PolynomialLR.__init__",
        (
            "class Mine(torch.optim.lr_scheduler.{owner}):\n    def __init__(self, o):\n"
            "        super().__init__(o)\nq = nn.Parameter(torch.ones(2))\n"
            "v = nn.Parameter(torch.ones(3))\n"
            "o = torch.optim.SGD([{'params': [q]}, {'params': [v], 'lr': 0.3}], "
            "lr=0.1, momentum=0.5)\ns = Mine(o)\nrates = []\nfor k in range(20):\n"
            "    o.step()\n"
            "    rates.append((s.get_last_lr(), [g['lr'] for g in o.param_groups], "
            "o.param_groups[1]['momentum']))\n    s.step()\n"
        ),
    ),
    "torch.optim.lr_scheduler.ExponentialLR.__init__": (
        (
            "class Mine(torch.optim.lr_scheduler.ExponentialLR):\n    def __init__(self, o):\n"
            "        super().__init__(o, 0.9)\nq = nn.Parameter(torch.ones(2))\n"
            "v = nn.Parameter(torch.ones(3))\n"
            "o = torch.optim.SGD([{'params': [q]}, {'params': [v], 'lr': 0.3}], "
            "lr=0.1, momentum=0.5)\ns = Mine(o)\nrates = []\nfor k in range(20):\n"
            "    o.step()\n"
            "    rates.append((s.get_last_lr(), [g['lr'] for g in o.param_groups], "
            "o.param_groups[1]['momentum']))\n    s.step()\n"
        ),
    ),
    "torch.optim.lr_scheduler.CosineAnnealingLR.__init__": (
        (
            "class Mine(torch.optim.lr_scheduler.CosineAnnealingLR):\n"
            "    def __init__(self, o):\n        super().__init__(o, 6)\n"
            "q = nn.Parameter(torch.ones(2))\nv = nn.Parameter(torch.ones(3))\n"
            "o = torch.optim.SGD([{'params': [q]}, {'params': [v], 'lr': 0.3}], "
            "lr=0.1, momentum=0.5)\ns = Mine(o)\nrates = []\nfor k in range(20):\n"
            "    o.step()\n"
            "    rates.append((s.get_last_lr(), [g['lr'] for g in o.param_groups], "
            "o.param_groups[1]['momentum']))\n    s.step()\n"
        ),
    ),
    "torch.optim.lr_scheduler.CosineAnnealingWarmRestarts.__init__": (
        (
            "class Mine(torch.optim.lr_scheduler.CosineAnnealingWarmRestarts):\n"
            "    def __init__(self, o):\n        super().__init__(o, 4)\n"
            "q = nn.Parameter(torch.ones(2))\nv = nn.Parameter(torch.ones(3))\n"
            "o = torch.optim.SGD([{'params': [q]}, {'params': [v], 'lr': 0.3}], "
            "lr=0.1, momentum=0.5)\ns = Mine(o)\nrates = []\nfor k in range(20):\n"
            "    o.step()\n"
            "    rates.append((s.get_last_lr(), [g['lr'] for g in o.param_groups], "
            "o.param_groups[1]['momentum']))\n    s.step()\n"
        ),
    ),
    "torch.optim.lr_scheduler.CyclicLR.__init__": (
        (
            "class Mine(torch.optim.lr_scheduler.CyclicLR):\n    def __init__(self, o):\n"
            "        super().__init__(o, 0.01, 0.1, 4)\nq = nn.Parameter(torch.ones(2))\n"
            "v = nn.Parameter(torch.ones(3))\n"
            "o = torch.optim.SGD([{'params': [q]}, {'params': [v], 'lr': 0.3}], "
            "lr=0.1, momentum=0.5)\ns = Mine(o)\nrates = []\nfor k in range(20):\n"
            "    o.step()\n"
            "    rates.append((s.get_last_lr(), [g['lr'] for g in o.param_groups], "
            "o.param_groups[1]['momentum']))\n    s.step()\n"
        ),
    ),
    "torch.optim.lr_scheduler.OneCycleLR.__init__": (
        (
            "class Mine(torch.optim.lr_scheduler.OneCycleLR):\n    def __init__(self, o):\n"
            "        super().__init__(o, 0.5, 21)\nq = nn.Parameter(torch.ones(2))\n"
            "v = nn.Parameter(torch.ones(3))\n"
            "o = torch.optim.SGD([{'params': [q]}, {'params': [v], 'lr': 0.3}], "
            "lr=0.1, momentum=0.5)\ns = Mine(o)\nrates = []\nfor k in range(20):\n"
            "    o.step()\n"
            "    rates.append((s.get_last_lr(), [g['lr'] for g in o.param_groups], "
            "o.param_groups[1]['momentum']))\n    s.step()\n"
        ),
    ),
    "torch.optim.lr_scheduler.ReduceLROnPlateau.__init__": (
        (
            "class Mine(torch.optim.lr_scheduler.ReduceLROnPlateau):\n"
            "    def __init__(self, o):\n        super().__init__(o)\n"
            "q = nn.Parameter(torch.ones(2))\nv = nn.Parameter(torch.ones(3))\n"
            "o = torch.optim.SGD([{'params': [q]}, {'params': [v], 'lr': 0.3}], "
            "lr=0.1, momentum=0.5)\ns = Mine(o)\nrates = []\nfor k in range(20):\n"
            "    o.step()\n"
            "    rates.append((s.get_last_lr(), [g['lr'] for g in o.param_groups], "
            "o.param_groups[1]['momentum']))\n    s.step(1.0)\n"
        ),
    ),
    "torch.optim.lr_scheduler.CyclicLR.scale_fn": (
        (
            OPTIMIZER + "s = torch.optim.lr_scheduler.CyclicLR(o, 0.1, 1, 4, mode='triangular2')\n"
            "r = s.scale_fn(3)"
        ),
    ),
    "torch.optim.lr_scheduler.SequentialLR.step": (
        (
            OPTIMIZER + "s = torch.optim.lr_scheduler.SequentialLR(o, "
            "[torch.optim.lr_scheduler.LinearLR(o, 0.1, total_iters=4), "
            "torch.optim.lr_scheduler.ExponentialLR(o, 0.9)], [4])" + RATES
        ),
    ),
    "torch.optim.lr_scheduler.SequentialLR.__init__": (
        (
            "class Mine(torch.optim.lr_scheduler.SequentialLR):\n    def __init__(self, o):\n"
            "        super().__init__(o, [torch.optim.lr_scheduler.LinearLR(o, 0.1, "
            "total_iters=4), torch.optim.lr_scheduler.ExponentialLR(o, 0.9)], [4])\n"
            "q = nn.Parameter(torch.ones(2))\nv = nn.Parameter(torch.ones(3))\n"
            "o = torch.optim.SGD([{'params': [q]}, {'params': [v], 'lr': 0.3}], "
            "lr=0.1, momentum=0.5)\ns = Mine(o)" + RATES
        ),
    ),
    "torch.optim.lr_scheduler.ChainedScheduler.step": (
        (
            OPTIMIZER + "s = "
            "torch.optim.lr_scheduler.ChainedScheduler([torch.optim.lr_scheduler.Linear"
            "LR(o, 0.1, total_iters=4), torch.optim.lr_scheduler.ExponentialLR(o, 0.9)])" + RATES
        ),
    ),
    "torch.optim.lr_scheduler.ChainedScheduler.__init__": (
        (
            "class Mine(torch.optim.lr_scheduler.ChainedScheduler):\n"
            "    def __init__(self, o):\n"
            "        super().__init__([torch.optim.lr_scheduler.LinearLR(o, 0.1, "
            "total_iters=4), torch.optim.lr_scheduler.ExponentialLR(o, 0.9)])\n"
            "q = nn.Parameter(torch.ones(2))\nv = nn.Parameter(torch.ones(3))\n"
            "o = torch.optim.SGD([{'params': [q]}, {'params': [v], 'lr': 0.3}], "
            "lr=0.1, momentum=0.5)\ns = Mine(o)" + RATES
        ),
    ),
    "torch.optim.lr_scheduler.SequentialLR.last_epoch": (
        (
            OPTIMIZER + "s = torch.optim.lr_scheduler.SequentialLR(o, "
            "[torch.optim.lr_scheduler.LinearLR(o, 0.1, total_iters=4), "
            "torch.optim.lr_scheduler.ExponentialLR(o, 0.9)], [4])\ns.step()\nr = s.last_epoch"
        ),
    ),
    "torch.optim.lr_scheduler.ChainedScheduler.optimizer": (
        (
            OPTIMIZER + "s = "
            "torch.optim.lr_scheduler.ChainedScheduler([torch.optim.lr_scheduler.Linear"
            "LR(o, 0.1, total_iters=4), torch.optim.lr_scheduler.ExponentialLR(o, 0.9)])\n"
            "r = s.optimizer is o"
        ),
    ),
    "torch.optim.lr_scheduler.CosineAnnealingWarmRestarts.step": (
        (
            OPTIMIZER
            + "s = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(o, 3, 1)\nr = []\n"
            "for k in range(20):\n    o.step()\n    s.step(k / 2)\n"
            "    r.append(s.get_last_lr())"
        ),
        (
            OPTIMIZER
            + "s = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(o, 3, T_mult=2)\nr = []\n"
            "for k in range(20):\n    o.step()\n    s.step(k / 2)\n"
            "    r.append(s.get_last_lr())"
        ),
    ),
    "torch.optim.lr_scheduler.ReduceLROnPlateau.step": (
        (
            OPTIMIZER
            + "s = torch.optim.lr_scheduler.ReduceLROnPlateau(o, patience=0)\ns.step(1.0)\n"
            "s.step(metrics=torch.tensor(2.0))\nr = s.get_last_lr()"
        ),
    ),
}
