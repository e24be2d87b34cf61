"""A network of convolutions: batches of a loader, Adam, a schedule."""

import paddle
import paddle.nn as nn
import paddle.nn.functional as F
from paddle.io import DataLoader, TensorDataset


class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2D(3, 16, 3, padding=1)
        self.norm1 = nn.BatchNorm2D(16)
        self.conv2 = nn.Conv2D(16, 32, 3, padding=1)
        self.norm2 = nn.BatchNorm2D(32)
        self.head = nn.Linear(32 * 4 * 4, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.norm1(self.conv1(x))), 2)
        x = F.max_pool2d(F.relu(self.norm2(self.conv2(x))), 2)
        return self.head(x.reshape([x.shape[0], -1]))


def build():
    images = paddle.randn([512, 3, 16, 16])
    labels = paddle.randint(0, 10, [512])
    loader = DataLoader(TensorDataset([images, labels]), batch_size=32, shuffle=True)
    model = Net()
    scheduler = paddle.optimizer.lr.StepDecay(1e-3, step_size=2, gamma=0.9)
    optimizer = paddle.optimizer.Adam(scheduler, parameters=model.parameters())
    return model, optimizer, scheduler, loader


def train(state, steps):
    model, optimizer, scheduler, loader = state
    model.train()
    done = 0
    while done < steps:
        for x, y in loader:
            optimizer.clear_grad()
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            done += 1
            if done == steps:
                break
        scheduler.step()
    return loss.item()
