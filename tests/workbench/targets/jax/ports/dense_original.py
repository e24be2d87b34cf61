import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(6, 8)
        self.norm = nn.BatchNorm1d(8)
        self.drop = nn.Dropout(0.2)
        self.head = nn.Linear(8, 5)

    def forward(self, x):
        x = self.norm(self.body(x))
        x = self.drop(F.silu(x))
        return self.head(x)


example_inputs = (torch.randn(4, 6),)


def batch(step):
    return torch.randn(8, 6), torch.randint(0, 5, (8,))


def loss(logits, targets):
    return F.cross_entropy(logits, targets)


def optimizer(model):
    return torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, nesterov=True)
