"""Schedules that change the rate of an `nnx.Optimizer` at each call of `step`.

The optimizer is made with `optax.inject_hyperparams`, so that its state holds the rate.
"""

import bisect
import math

import numpy as np


def torch_schedule(optimizer):
    """Note a schedule of an optimizer, and return its rate and the first value of that."""
    rate = optimizer.opt_state.hyperparams["learning_rate"]
    if not hasattr(optimizer, "first_rate"):
        optimizer.first_rate = float(str(np.float32(rate.item())))  # as it was written, in 64 bits
    optimizer.schedules = getattr(optimizer, "schedules", 0) + 1
    return rate, optimizer.first_rate


class TorchSchedule:
    """The rate is `factor(step)` times the first one."""

    def __init__(self, optimizer):
        self.optimizer = optimizer
        self.rate, self.base = torch_schedule(optimizer)
        self.last_epoch = -1
        self.step()

    def step(self):
        if self.last_epoch >= 0 and self.optimizer.schedules > 1:
            raise NotImplementedError("several schedules of one optimizer: use TorchSequentialLR")
        self.last_epoch += 1
        self.rate[...] = self.base * self.factor(self.last_epoch)

    def get_last_lr(self):
        return [self.base * self.factor(self.last_epoch)]

    def state_dict(self):
        return {"last_epoch": self.last_epoch, "base": self.base}

    def load_state_dict(self, state):
        self.last_epoch, self.base = state["last_epoch"], state["base"]


class TorchStepLR(TorchSchedule):
    def __init__(self, optimizer, step_size, gamma=0.1):
        self.factor = lambda step: gamma ** (step // step_size)
        super().__init__(optimizer)


class TorchMultiStepLR(TorchSchedule):
    def __init__(self, optimizer, milestones, gamma=0.1):
        self.factor = lambda step: gamma ** bisect.bisect_right(sorted(milestones), step)
        super().__init__(optimizer)


class TorchExponentialLR(TorchSchedule):
    def __init__(self, optimizer, gamma):
        self.factor = lambda step: gamma**step
        super().__init__(optimizer)


class TorchLambdaLR(TorchSchedule):
    def __init__(self, optimizer, lr_lambda):
        self.factor = lr_lambda
        super().__init__(optimizer)


class TorchLinearLR(TorchSchedule):
    def __init__(self, optimizer, start_factor=1 / 3, end_factor=1.0, total_iters=5):
        part = (end_factor - start_factor) / total_iters
        self.factor = lambda step: start_factor + part * min(step, total_iters)
        super().__init__(optimizer)


class TorchCosineAnnealingLR(TorchSchedule):
    def __init__(self, optimizer, steps, eta_min=0.0):
        def factor(step):
            wave = (1 + math.cos(math.pi * step / steps)) / 2
            least = eta_min / self.base
            return least + (1 - least) * wave

        self.factor = factor
        super().__init__(optimizer)


class TorchCosineAnnealingWarmRestarts(TorchSchedule):
    """Waves of a cosine, each of which may be longer than the one before."""

    def __init__(self, optimizer, first, times=1, eta_min=0.0):
        def factor(step):
            start, length = 0, first
            while step >= start + length:
                start, length = start + length, length * times
            wave = (1 + math.cos(math.pi * (step - start) / length)) / 2
            least = eta_min / self.base
            return least + (1 - least) * wave

        self.factor = factor
        super().__init__(optimizer)

    def step(self, epoch=None):
        self.last_epoch = self.last_epoch if epoch is None else epoch - 1
        super().step()
        if epoch is not None:
            self.last_epoch = math.floor(epoch)


class TorchPolynomialLR(TorchSchedule):
    def __init__(self, optimizer, total_iters=5, power=1.0):
        self.factor = lambda step: (1 - min(step, total_iters) / total_iters) ** power
        super().__init__(optimizer)


class TorchConstantLR(TorchSchedule):
    def __init__(self, optimizer, factor=1 / 3, total_iters=5):
        self.factor = lambda step: factor if step < total_iters else 1
        super().__init__(optimizer)


class TorchMultiplicativeLR(TorchSchedule):
    def __init__(self, optimizer, lr_lambda):
        self.factor = lambda step: math.prod(lr_lambda(one) for one in range(1, step + 1))
        super().__init__(optimizer)


class TorchOneCycleLR(TorchSchedule):
    """The rate rises to `max_lr` and falls, while the momentum falls and rises."""

    def __init__(
        self,
        optimizer,
        max_lr,
        total_steps=None,
        epochs=None,
        steps_per_epoch=None,
        pct_start=0.3,
        anneal_strategy="cos",
        cycle_momentum=True,
        base_momentum=0.85,
        max_momentum=0.95,
        div_factor=25.0,
        final_div_factor=1e4,
        three_phase=False,
    ):
        total = total_steps or epochs * steps_per_epoch
        first, rise = max_lr / div_factor, float(pct_start * total) - 1
        least = first / final_div_factor
        self.phases = [(rise, first, max_lr, max_momentum, base_momentum)]
        if three_phase:
            self.phases.append((2 * rise, max_lr, first, base_momentum, max_momentum))
            self.phases.append((total - 1, first, least, max_momentum, max_momentum))
        else:
            self.phases.append((total - 1, max_lr, least, base_momentum, max_momentum))
        self.total, self.linear = total, anneal_strategy == "linear"
        self.momentum = None
        if cycle_momentum:
            held = optimizer.opt_state.hyperparams
            self.momentum = held["b1" if "b1" in held else "momentum"]
        super().__init__(optimizer)

    def factor(self, step):
        return self.now(step)[0] / self.base

    def now(self, step):
        """The rate and the momentum at a step."""
        if step > self.total:
            raise ValueError(f"Tried to step {step} times. The total is {self.total}")
        place = min(bisect.bisect_left([one[0] for one in self.phases], step), len(self.phases) - 1)
        before = self.phases[place - 1][0] if place else 0.0
        end, first, last, heavy, light = self.phases[place]
        part = (step - before) / (end - before)
        share = part if self.linear else (1 - math.cos(math.pi * part)) / 2
        return first + (last - first) * share, heavy + (light - heavy) * share

    def step(self):
        super().step()
        if self.momentum is not None:
            self.momentum[...] = self.now(self.last_epoch)[1]


class TorchSequentialLR(TorchSchedule):
    """Schedules one after another, each of which begins anew at a milestone."""

    def __init__(self, optimizer, schedulers, milestones):
        self.schedulers, self.milestones = schedulers, milestones
        super().__init__(optimizer)
        optimizer.schedules = 1

    def factor(self, step):
        place = bisect.bisect_right(self.milestones, step)
        start = self.milestones[place - 1] if place else 0
        return self.schedulers[place].factor(step - start)


class TorchReduceLROnPlateau:
    """The rate is multiplied by `factor` after `patience` calls without a better value."""

    def __init__(
        self, optimizer, mode="min", factor=0.1, patience=10, threshold=1e-4, cooldown=0, min_lr=0.0
    ):
        self.optimizer = optimizer
        self.rate, _ = torch_schedule(optimizer)
        self.sign = 1 if mode == "min" else -1
        self.factor, self.patience, self.threshold = factor, patience, threshold
        self.cooldown, self.min_lr = cooldown, min_lr
        self.best, self.num_bad_epochs, self.waiting = math.inf, 0, 0

    def step(self, metrics):
        if self.optimizer.schedules > 1:
            raise NotImplementedError("several schedules of one optimizer")
        value = self.sign * float(metrics)
        if value < self.best - self.threshold * abs(self.best if self.best < math.inf else 0.0):
            self.best, self.num_bad_epochs = value, 0
        else:
            self.num_bad_epochs += 1
        if self.waiting > 0:
            self.waiting -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            rate = max(self.rate.item() * self.factor, self.min_lr)
            if self.rate.item() - rate > 1e-8:
                self.rate[...] = rate
            self.waiting, self.num_bad_epochs = self.cooldown, 0

    def get_last_lr(self):
        return [self.rate.item()]
