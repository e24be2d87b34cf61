"""A trainer class with clipping, a schedule and checkpoints."""

import torch
import torch.nn as nn
from torch.optim import AdamW
from torch.optim.lr_scheduler import CosineAnnealingLR


class Trainer:
    def __init__(self, model: nn.Module, steps=100, lr=1e-3, clip=1.0):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = model.to(self.device)
        self.optimizer = AdamW(self.model.parameters(), lr=lr, weight_decay=0.01)
        self.scheduler = CosineAnnealingLR(self.optimizer, T_max=steps)
        self.criterion = nn.CrossEntropyLoss()
        self.clip = clip
        self.best = 0.0

    def step(self, inputs, labels):
        self.model.train()
        inputs, labels = inputs.to(self.device), labels.to(self.device)
        self.optimizer.zero_grad()
        loss = self.criterion(self.model(inputs), labels)
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), self.clip)
        self.optimizer.step()
        self.scheduler.step()
        return loss.item()

    @torch.no_grad()
    def evaluate(self, loader):
        self.model.eval()
        right, seen = 0, 0
        for inputs, labels in loader:
            logits = self.model(inputs.to(self.device))
            guess = logits.argmax(dim=1)
            right += guess.eq(labels.to(self.device)).sum().item()
            seen += labels.size(0)
        return right / max(seen, 1)

    def save(self, path):
        torch.save({"model": self.model.state_dict(), "best": self.best}, path)

    def load(self, path):
        state = torch.load(path, map_location=self.device)
        self.model.load_state_dict(state["model"])
        self.best = state["best"]
