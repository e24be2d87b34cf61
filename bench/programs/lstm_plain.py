"""A recurrent network that predicts the next value of a wave."""

import paddle
import paddle.nn as nn


class Wave(nn.Layer):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(1, 51, 2)
        self.out = nn.Linear(51, 1)

    def forward(self, x):
        hidden, _ = self.lstm(x)
        return self.out(hidden)


def build():
    times = paddle.arange(100, dtype="float32") / 5
    shifts = paddle.rand([32, 1]) * 20
    waves = paddle.sin(times + shifts)
    model = Wave()
    scheduler = paddle.optimizer.lr.ExponentialDecay(1e-2, gamma=0.99)
    optimizer = paddle.optimizer.Adam(scheduler, parameters=model.parameters())
    return model, optimizer, scheduler, waves[:, :-1].unsqueeze(-1), waves[:, 1:].unsqueeze(-1)


def train(state, steps):
    model, optimizer, scheduler, x, y = state
    criterion = nn.MSELoss()
    for _ in range(steps):
        optimizer.clear_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
        scheduler.step()
    return loss.item()
