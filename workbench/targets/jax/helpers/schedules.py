"""Schedules that change the rate of an `nnx.Optimizer` at each call of `step`.

The optimizer is made with `optax.inject_hyperparams`, so that its state holds the rate.
"""

import bisect
import math

import numpy as np


class TorchSchedule:
    """The rate is `factor(step)` times the first one."""

    def __init__(self, optimizer):
        self.rate = optimizer.opt_state.hyperparams["learning_rate"]
        self.base = float(str(np.float32(self.rate.item())))  # as it was written, in 64 bits
        self.last_epoch = -1
        self.step()

    def step(self):
        self.last_epoch += 1
        self.rate[...] = self.base * self.factor(self.last_epoch)

    def get_last_lr(self):
        return [self.base * self.factor(self.last_epoch)]


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


class TorchReduceLROnPlateau:
    """The rate is multiplied by `factor` after `patience` calls without a better value."""

    def __init__(
        self, optimizer, mode="min", factor=0.1, patience=10, threshold=1e-4, cooldown=0, min_lr=0.0
    ):
        self.rate = optimizer.opt_state.hyperparams["learning_rate"]
        self.sign = 1 if mode == "min" else -1
        self.factor, self.patience, self.threshold = factor, patience, threshold
        self.cooldown, self.min_lr = cooldown, min_lr
        self.best, self.num_bad_epochs, self.waiting = math.inf, 0, 0

    def step(self, metrics):
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
