import torch
import torch.nn.functional as F
from torch import nn

example_inputs = (torch.randint(0, 9, (3, 5)),)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(9, 6)
        self.lstm = nn.LSTM(6, 8, num_layers=2, batch_first=True)
        self.mu = nn.Linear(8, 4)
        self.logvar = nn.Linear(8, 4)
        self.out = nn.Linear(4, 9)

    def forward(self, ids):
        y, _ = self.lstm(self.embed(ids))
        last = y[:, -1]
        mu, logvar = self.mu(last), self.logvar(last)
        z = mu
        if self.training:
            z = mu + torch.exp(0.5 * logvar) * torch.randn_like(mu)
        kl = -0.5 * torch.sum(1 + logvar - mu**2 - logvar.exp(), dim=1)
        return F.log_softmax(self.out(torch.tanh(z)), dim=1), kl.mean()
