"""Schedules of several kinds, each over a training of its own from the same weights."""
import copy
import torch
import torch.nn as nn
from torch.optim.lr_scheduler import (
    CosineAnnealingLR,
    CosineAnnealingWarmRestarts,
    CyclicLR,
    LambdaLR,
    LinearLR,
    OneCycleLR,
    ReduceLROnPlateau,
    StepLR,
)


def build():
    return nn.Linear(4, 1)


def warmup(step):
    return min(1.0, (step + 1) / 4)


def run(model, make):
    net = copy.deepcopy(model)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    scheduler = make(optimizer)
    found = []
    x = torch.arange(32.0).view(8, 4).mul(0.3).sin()
    y = x.sum(1, keepdim=True)
    for epoch in range(8):
        loss = nn.functional.mse_loss(net(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if isinstance(scheduler, ReduceLROnPlateau):
            scheduler.step(1.0)
        else:
            scheduler.step()
        found.append(loss.item())
    return found


def train(model):
    makers = [
        lambda o: StepLR(o, step_size=3, gamma=0.5),
        lambda o: CosineAnnealingLR(o, T_max=8, eta_min=1e-3),
        lambda o: CosineAnnealingWarmRestarts(o, T_0=3, T_mult=2),
        lambda o: LambdaLR(o, lr_lambda=warmup),
        lambda o: LinearLR(o, start_factor=0.2, total_iters=5),
        lambda o: ReduceLROnPlateau(o, mode="min", factor=0.1, patience=1),
        lambda o: CyclicLR(o, base_lr=0.01, max_lr=0.1, step_size_up=3, cycle_momentum=False),
        lambda o: OneCycleLR(o, max_lr=0.1, total_steps=10, cycle_momentum=False),
    ]
    history = []
    for make in makers:
        history += run(model, make)
    return history
