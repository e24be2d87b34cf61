"""A trainer that saves and restores its parts in loops over their names."""

import copy

import numpy as np
import torch
from torch import nn


class Average:
    def __init__(self, model, decay=0.9):
        self.decay = decay
        self.shadow = {name: p.detach().clone() for name, p in model.named_parameters()}

    @torch.no_grad()
    def update(self, model):
        for name, p in model.named_parameters():
            self.shadow[name].mul_(self.decay).add_(p, alpha=1 - self.decay)

    def state_dict(self):
        return copy.deepcopy(self.shadow)

    def load_state_dict(self, state):
        for name, value in state.items():
            self.shadow[name].copy_(value)


class Trainer:
    parts = ("model", "average", "optimizer", "scheduler")

    def __init__(self, model):
        self.model = model
        self.average = Average(self.model)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=0.1)
        self.scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(self.optimizer, patience=0)

    def step(self, x):
        loss = self.model(x).pow(2).mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.scheduler.step(1.0)
        self.average.update(self.model)
        return loss.item()

    def state(self):
        return {name: copy.deepcopy(getattr(self, name).state_dict()) for name in self.parts}

    def restore(self, state):
        for name in ("model", "average", "optimizer", "scheduler"):
            getattr(self, name).load_state_dict(state[name])


def build():
    return nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))


def train(model):
    x = torch.tensor(np.random.RandomState(5).randn(6, 3), dtype=torch.float32)
    first, second = Trainer(model), Trainer(build())
    history = [first.step(x) for _ in range(3)]
    second.restore(first.state())
    for trainer in (first, second):
        history += [trainer.step(x) for _ in range(2)]
        history.append(trainer.optimizer.param_groups[0]["lr"])
    history.append(second.average.shadow["0.weight"].sum().item())

    net = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.5, momentum=0.9)
    objects = {
        "net": net,
        "optim": optimizer,
        "sched": torch.optim.lr_scheduler.StepLR(optimizer, 1),
    }
    saved = {key: copy.deepcopy(one.state_dict()) for key, one in objects.items()}
    objects["sched"].step()
    for key, one in objects.items():
        one.load_state_dict(saved[key])
    history += [optimizer.param_groups[0]["lr"], objects["sched"].last_epoch]
    return history
