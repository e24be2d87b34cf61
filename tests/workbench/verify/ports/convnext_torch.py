import torch
from torch import nn

example_inputs = (torch.randn(2, 3, 12, 12),)


class Block(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.dw = nn.Conv2d(d, d, 7, padding=3, groups=d)
        self.norm = nn.LayerNorm(d, eps=1e-6)
        self.fc1 = nn.Linear(d, 4 * d)
        self.fc2 = nn.Linear(4 * d, d)
        self.gamma = nn.Parameter(0.1 * torch.ones(d))

    def forward(self, x):
        h = self.dw(x).permute(0, 2, 3, 1)
        h = self.fc2(nn.functional.gelu(self.fc1(self.norm(h))))
        return x + (self.gamma * h).permute(0, 3, 1, 2)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 6, 2, stride=2)
        self.stages = nn.ModuleList([nn.Sequential(Block(6), Block(6)), nn.Sequential(Block(10))])
        self.down = nn.Conv2d(6, 10, 2, stride=2)
        self.norm = nn.LayerNorm(10, eps=1e-6)
        self.head = nn.Linear(10, 3)

    def forward(self, x):
        x = self.stages[0](self.stem(x))
        x = self.stages[1](self.down(x))
        return self.head(self.norm(x.mean((-2, -1))))


def loss(outputs):
    return outputs.logsumexp(-1).mean()


def optimizer(model):
    plain = [p for p in model.parameters() if p.ndim < 2]
    decayed = [p for p in model.parameters() if p.ndim >= 2]
    return torch.optim.SGD(
        [{"params": decayed, "weight_decay": 1e-2}, {"params": plain}], lr=0.05, momentum=0.9
    )
