import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self, vocab=15, d=5, h=6):
        super().__init__()
        self.embed = nn.Embedding(vocab, d)
        self.lstm = nn.LSTM(d, h, num_layers=2, bidirectional=True, batch_first=True)
        self.query = nn.Parameter(torch.randn(2 * h))
        self.mix = nn.Linear(4 * h, 7)

    def forward(self, ids):
        states, (last, _) = self.lstm(self.embed(ids))
        weights = (states @ self.query).softmax(1)
        pooled = (weights.unsqueeze(-1) * states).sum(1)
        ends = torch.cat([last[-2], last[-1]], -1)
        return self.mix(torch.cat([pooled, ends], -1))


def batch(step):
    return torch.randint(0, 15, (4, 6)), torch.randint(0, 7, (4,))


def loss(outputs, wanted):
    return F.multi_margin_loss(outputs, wanted, margin=0.5)


def optimizer(params):
    return torch.optim.Adagrad(params, lr=1e-2, initial_accumulator_value=0.1, eps=1e-6)
