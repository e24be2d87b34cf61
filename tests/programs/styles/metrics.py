"""Measures of a classifier, accumulated over batches."""

import torch


class Confusion:
    def __init__(self, classes: int):
        self.classes = classes
        self.counts = torch.zeros(classes, classes, dtype=torch.long)

    def update(self, logits: torch.Tensor, labels: torch.Tensor) -> None:
        guess = torch.argmax(logits, dim=1)
        places = labels * self.classes + guess
        found = torch.bincount(places, minlength=self.classes**2)
        self.counts += found.reshape(self.classes, self.classes)

    def recall(self) -> torch.Tensor:
        return self.counts.diag().float() / self.counts.sum(dim=1).clamp(min=1)

    def precision(self) -> torch.Tensor:
        return self.counts.diag().float() / self.counts.sum(dim=0).clamp(min=1)


def top_k(logits: torch.Tensor, labels: torch.Tensor, ks=(1, 5)):
    _, best = logits.topk(max(ks), dim=1)
    right = best.t().eq(labels.view(1, -1).expand_as(best.t()))
    return [right[:k].reshape(-1).float().sum(0).mul(100.0 / labels.size(0)) for k in ks]


def auc(scores: torch.Tensor, labels: torch.Tensor) -> float:
    order = torch.argsort(scores, descending=True)
    hits = labels[order].gt(0).float()
    rates = torch.cumsum(hits, 0) / hits.sum()
    wrong = (1 - hits).cumsum(0) / torch.sum(1 - hits)
    return torch.trapz(rates, wrong).item()


def expected_error(probs: torch.Tensor, labels: torch.Tensor, bins: int = 10) -> torch.Tensor:
    sure, guess = probs.max(dim=1)
    right = guess.eq(labels).float()
    edges = torch.linspace(0, 1, bins + 1)
    total = torch.zeros(())
    for low, high in zip(edges[:-1], edges[1:]):
        inside = sure.gt(low) & sure.le(high)
        if inside.any():
            total += (right[inside].mean() - sure[inside].mean()).abs() * inside.float().mean()
    return total
