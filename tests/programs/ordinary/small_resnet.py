"""A small residual network: parameters are counted, groups decay apart, the rate falls in steps."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class Block(nn.Module):
    def __init__(self, inplanes, planes, stride=1):
        super().__init__()
        self.conv1 = nn.Conv2d(inplanes, planes, 3, stride=stride, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(planes)
        self.conv2 = nn.Conv2d(planes, planes, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(planes)
        self.shortcut = nn.Sequential()
        if stride != 1 or inplanes != planes:
            self.shortcut = nn.Sequential(
                nn.Conv2d(inplanes, planes, 1, stride=stride, bias=False), nn.BatchNorm2d(planes)
            )

    def forward(self, x):
        out = F.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        out += self.shortcut(x)
        return F.relu(out)


class ResNet(nn.Module):
    def __init__(self, classes=4):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, padding=1, bias=False)
        self.bn = nn.BatchNorm2d(8)
        self.layers = nn.Sequential(Block(8, 8), Block(8, 16, 2))
        self.pool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(16, classes)

    def forward(self, x):
        out = self.layers(F.relu(self.bn(self.conv(x))))
        return self.fc(torch.flatten(self.pool(out), 1))


def count_parameters(model):
    return sum(p.numel() for p in model.parameters())


def build():
    return ResNet()


def train(model):
    images = torch.arange(16 * 3 * 8 * 8).reshape(16, 3, 8, 8).float().mul(0.37).sin()
    labels = torch.arange(16) % 4
    decay, no_decay = [], []
    for name, param in model.named_parameters():
        if param.ndim == 1 or name.endswith(".bias"):
            no_decay.append(param)
        else:
            decay.append(param)
    groups = [
        {"params": decay, "weight_decay": 5e-2},
        {"params": no_decay, "weight_decay": 0.0},
    ]
    optimizer = torch.optim.AdamW(groups, lr=1e-2)
    scheduler = torch.optim.lr_scheduler.MultiStepLR(optimizer, milestones=[2, 4], gamma=0.1)
    history = [count_parameters(model), len(decay), len(no_decay)]
    for epoch in range(5):
        model.train()
        for start in range(0, 16, 8):
            batch = slice(start, start + 8)
            optimizer.zero_grad()
            loss = F.cross_entropy(model(images[batch]), labels[batch], label_smoothing=0.1)
            loss.backward()
            optimizer.step()
            history.append(loss.item())
        scheduler.step()
        history.append(optimizer.param_groups[0]["lr"])
    grads = [p.grad.abs().sum().item() for p in model.parameters() if p.grad is not None]
    history.append(len(grads))
    history.append(sum(p.pow(2).sum().item() for p in model.parameters()))
    return history
