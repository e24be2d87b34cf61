"""Moving averages of states, whose factors are computed numbers or given by a caller."""

import math
from copy import deepcopy

import torch
from torch import nn


class EMA:
    def __init__(self, model, decay):
        self.ema = deepcopy(model).eval()
        self.decay = decay
        self.steps = 0
        self.ramp = lambda step: decay * (1 - math.exp(-step / 5))

    @torch.no_grad()
    def ramped(self, model):
        self.steps += 1
        d = self.ramp(self.steps)
        msd = model.state_dict()
        for k, v in self.ema.state_dict().items():
            v *= d
            v += (1.0 - d) * msd[k].detach()

    @torch.no_grad()
    def update(self, model):
        d = self.decay
        msd = model.state_dict()
        for k, v in self.ema.state_dict().items():
            if v.dtype.is_floating_point:
                v *= d
                v += (1.0 - d) * msd[k].detach()

    @torch.no_grad()
    def second(self, model):
        self.steps += 1
        d = min(self.decay, (1 + self.steps) / (10 + self.steps))
        for p, q in zip(self.ema.parameters(), model.parameters()):
            p *= d
            p += q * (1 - d)

    @torch.no_grad()
    def third(self, model, rate):
        for p, q in zip(self.ema.state_dict().values(), model.state_dict().values()):
            p -= (1 - rate) * (p - q)
            p *= rate
            p /= rate
            p += rate
            p -= rate


def build():
    return nn.Linear(2, 1)


def train(model):
    with torch.no_grad():
        for p in model.parameters():
            p.fill_(1.0)
    e = EMA(model, 0.9)
    with torch.no_grad():
        for p in model.parameters():
            p.fill_(2.0)
    history = []
    for f in (e.ramped, e.update, e.second):
        f(model)
        history += [x for v in e.ema.state_dict().values() for x in v.flatten().tolist()]
    e.third(model, 0.5)
    e.third(model, torch.tensor(0.5))
    history += [x for v in e.ema.state_dict().values() for x in v.flatten().tolist()]
    return history
