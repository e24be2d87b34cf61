"""Fine-tuning: a frozen body, a new head, then everything with a rate for each group."""
import torch
import torch.nn as nn


class Body(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 6, 3, padding=1),
            nn.BatchNorm2d(6),
            nn.ReLU(inplace=True),
            nn.MaxPool2d(2),
            nn.Conv2d(6, 8, 3, padding=1),
            nn.BatchNorm2d(8),
            nn.ReLU(inplace=True),
        )
        self.fc = nn.Linear(8 * 16, 10)

    def forward(self, x):
        return self.fc(torch.flatten(self.features(x), 1))


def build():
    model = Body()
    for param in model.parameters():
        param.requires_grad = False
    num_ftrs = model.fc.in_features
    model.fc = nn.Linear(num_ftrs, 3)
    return model


def report(model):
    trainable = sum(p.numel() for p in model.parameters() if p.requires_grad)
    total = sum(p.numel() for p in model.parameters())
    frozen = [name for name, p in model.named_parameters() if not p.requires_grad]
    return [trainable, total, len(frozen)]


def train(model):
    x = torch.arange(8 * 3 * 64).reshape(8, 3, 8, 8).float().mul(0.11).sin()
    y = torch.arange(8) % 3
    criterion = nn.CrossEntropyLoss()
    history = report(model)
    optimizer = torch.optim.SGD(
        filter(lambda p: p.requires_grad, model.parameters()), lr=0.05, momentum=0.9
    )
    for _ in range(3):
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
        history.append(loss.item())
    for param in model.features.parameters():
        param.requires_grad = True
    history += report(model)
    optimizer = torch.optim.Adam(
        [
            {"params": model.features.parameters(), "lr": 1e-3},
            {"params": model.fc.parameters(), "lr": 1e-2},
        ],
        lr=1e-2,
    )
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.9)
    for _ in range(4):
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
        scheduler.step()
        history.append(loss.item())
    for name, param in model.named_parameters():
        param.requires_grad = "fc" in name
    history += report(model)
    return history
