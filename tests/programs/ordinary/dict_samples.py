"""A data set of dicts, a split of it, and metrics of each epoch."""
import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset, Subset


class Points(Dataset):
    def __init__(self, count, transform=None):
        rng = np.random.RandomState(0)
        self.points = rng.randn(count, 4).astype("float32")
        self.labels = (self.points.sum(axis=1) > 0).astype("int64")
        self.transform = transform

    def __len__(self):
        return len(self.points)

    def __getitem__(self, idx):
        sample = {"features": self.points[idx], "label": self.labels[idx], "name": f"point {idx}"}
        if self.transform:
            sample = self.transform(sample)
        return sample


class ToTensor:
    def __call__(self, sample):
        return {
            "features": torch.from_numpy(sample["features"]),
            "label": torch.tensor(sample["label"]),
            "name": sample["name"],
        }


class AverageMeter:
    def __init__(self):
        self.reset()

    def reset(self):
        self.sum = 0
        self.count = 0

    def update(self, value, n=1):
        self.sum += value * n
        self.count += n

    @property
    def avg(self):
        return self.sum / self.count


def build():
    return nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Dropout(0.0), nn.Linear(8, 2))


def accuracy(output, target, topk=(1,)):
    maxk = max(topk)
    _, pred = output.topk(maxk, 1, True, True)
    pred = pred.t()
    correct = pred.eq(target.view(1, -1).expand_as(pred))
    return [correct[:k].reshape(-1).float().sum(0).item() * 100.0 / target.size(0) for k in topk]


def train(model):
    dataset = Points(30, transform=ToTensor())
    train_set, test_set = Subset(dataset, range(20)), Subset(dataset, range(20, 30))
    train_loader = DataLoader(train_set, batch_size=6)
    test_loader = DataLoader(test_set, batch_size=5)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    loss_fn = nn.CrossEntropyLoss()
    history = []
    for epoch in range(3):
        losses, top1 = AverageMeter(), AverageMeter()
        model.train()
        for i, batch in enumerate(train_loader):
            features, label = batch["features"], batch["label"]
            output = model(features)
            loss = loss_fn(output, label)
            losses.update(loss.item(), features.size(0))
            top1.update(accuracy(output, label)[0], features.size(0))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        model.eval()
        matrix = torch.zeros(2, 2, dtype=torch.int64)
        names = []
        with torch.no_grad():
            for batch in test_loader:
                predicted = model(batch["features"]).argmax(1)
                for t, p in zip(batch["label"], predicted):
                    matrix[t, p] += 1
                names += batch["name"]
        history += [losses.avg, top1.avg, *matrix.flatten().tolist(), len(names)]
    return history
