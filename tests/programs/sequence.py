"""A recurrent network that predicts a wave; its rate falls where the loss no longer does."""
import torch
import torch.nn as nn
from torch import optim


class Wave(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(1, 12, 2, batch_first=True)
        self.out = nn.Linear(12, 1)

    def forward(self, x):
        hidden, _ = self.lstm(x)
        return self.out(hidden)


def build():
    return Wave()


def get_lr(optimizer):
    for param_group in optimizer.param_groups:
        return param_group["lr"]


def train(model, waves):
    x = torch.from_numpy(waves[:, :-1, None])
    y = torch.from_numpy(waves[:, 1:, None])
    criterion = nn.MSELoss()
    optimizer = optim.SGD(model.parameters(), lr=0.5, momentum=0.9, nesterov=True)
    scheduler = optim.lr_scheduler.ReduceLROnPlateau(optimizer, mode="min", factor=0.5, patience=0)
    losses, rates = [], []
    for _ in range(20):
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
        scheduler.step(loss.item())
        losses.append(loss.item())
        rates.append(get_lr(optimizer))
    return losses, rates
