import copy

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 6), nn.BatchNorm1d(6), nn.ReLU(), nn.Linear(6, 2))
        self.register_buffer("seen", torch.zeros(5, 2))
        self.calls = 0

    def forward(self, x):
        out = self.body(x)
        self.seen[self.calls % 5] = out.detach().mean(0)
        self.calls += 1
        return out


def update(average, model):
    with torch.no_grad():
        for mean, now in zip(average.body.parameters(), model.body.parameters(), strict=True):
            mean.mul_(0.9).add_(now, alpha=0.1)


model = Net()
average = copy.deepcopy(model)
for parameter in average.parameters():
    parameter.requires_grad_(False)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=0.01)
schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1, gamma=0.5)

for _ in range(5):
    model.train()
    for _ in range(2):
        optimizer.zero_grad()
        for _ in range(2):
            loss = model(torch.randn(8, 4)).square().mean() / 2
            loss.backward()
        optimizer.step()
        update(average, model)
    schedule.step()
    average.eval()
    with torch.no_grad():
        average(torch.ones(2, 4))
