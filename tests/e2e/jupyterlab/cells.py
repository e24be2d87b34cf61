"""Cells of notebooks as people write them."""

NET = """import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 8, 3, padding=1)
        self.head = nn.Linear(8 * 14 * 14, 10)

    def forward(self, x):
        x = torch.relu(self.conv(x))
        x = nn.functional.max_pool2d(x, 2)
        return self.head(x.flatten(1))


net = Net()"""

CALL = """images = torch.randn(4, 1, 28, 28)
logits = net(images)
probabilities = torch.softmax(logits, dim=1)"""

WORK = """zeros = torch.zeros(2, 3)
ones = torch.ones(2, 3)"""
