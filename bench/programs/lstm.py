"""A recurrent network that predicts the next value of a wave."""

import torch
import torch.nn as nn
from torch import optim


class Wave(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(1, 51, 2, batch_first=True)
        self.out = nn.Linear(51, 1)

    def forward(self, x):
        hidden, _ = self.lstm(x)
        return self.out(hidden)


def build():
    times = torch.arange(100, dtype=torch.float32) / 5
    shifts = torch.rand(32, 1) * 20
    waves = torch.sin(times + shifts)
    model = Wave()
    optimizer = optim.Adam(model.parameters(), lr=1e-2)
    scheduler = optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.99)
    return model, optimizer, scheduler, waves[:, :-1].unsqueeze(-1), waves[:, 1:].unsqueeze(-1)


def train(state, steps):
    model, optimizer, scheduler, x, y = state
    criterion = nn.MSELoss()
    for _ in range(steps):
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
        scheduler.step()
    return loss.item()
