"""An exponential moving average of a model's weights, which is evaluated."""
import copy
import torch
import torch.nn as nn


class EMA:
    def __init__(self, model, decay=0.9):
        self.decay = decay
        self.shadow = {}
        self.backup = {}
        for name, param in model.named_parameters():
            if param.requires_grad:
                self.shadow[name] = param.data.clone()

    def update(self, model):
        for name, param in model.named_parameters():
            if param.requires_grad:
                self.shadow[name] = (1.0 - self.decay) * param.data + self.decay * self.shadow[name]

    def apply(self, model):
        for name, param in model.named_parameters():
            if param.requires_grad:
                self.backup[name] = param.data
                param.data = self.shadow[name]

    def restore(self, model):
        for name, param in model.named_parameters():
            if param.requires_grad:
                param.data = self.backup[name]


@torch.no_grad()
def update_teacher(teacher, student, m):
    for t, s in zip(teacher.parameters(), student.parameters()):
        t.data.mul_(m).add_(s.data, alpha=1 - m)
    for t, s in zip(teacher.buffers(), student.buffers()):
        t.copy_(s)


def build():
    return nn.Sequential(nn.Linear(5, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 2))


def train(model):
    x = torch.arange(40.0).view(8, 5).mul(0.7).sin()
    y = torch.arange(8) % 2
    ema = EMA(model)
    teacher = copy.deepcopy(model)
    for p in teacher.parameters():
        p.requires_grad_(False)
    optimizer = torch.optim.RMSprop(model.parameters(), lr=0.01)
    criterion = nn.CrossEntropyLoss()
    history = [len(ema.shadow)]
    for step in range(5):
        model.train()
        optimizer.zero_grad()
        loss = criterion(model(x + 0.1 * step), y)
        loss.backward()
        optimizer.step()
        ema.update(model)
        update_teacher(teacher, model, 0.8)
        history.append(loss.item())
    model.train()
    ema.apply(model)
    history.append(criterion(model(x), y).item())
    ema.restore(model)
    history.append(criterion(model(x), y).item())
    teacher.train()
    history.append(criterion(teacher(x), y).item())
    return history
