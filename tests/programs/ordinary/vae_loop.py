"""A variational autoencoder, whose noise is computed, with gradient accumulation."""
import torch
from torch import nn
from torch.nn import functional as F


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(12, 16)
        self.fc21 = nn.Linear(16, 3)
        self.fc22 = nn.Linear(16, 3)
        self.fc3 = nn.Linear(3, 16)
        self.fc4 = nn.Linear(16, 12)

    def encode(self, x):
        h1 = F.relu(self.fc1(x))
        return self.fc21(h1), self.fc22(h1)

    def reparameterize(self, mu, logvar, eps):
        std = torch.exp(0.5 * logvar)
        return mu + eps * std

    def decode(self, z):
        h3 = F.relu(self.fc3(z))
        return torch.sigmoid(self.fc4(h3))

    def forward(self, x, eps):
        mu, logvar = self.encode(x.view(-1, 12))
        z = self.reparameterize(mu, logvar, eps)
        return self.decode(z), mu, logvar


def loss_function(recon_x, x, mu, logvar):
    BCE = F.binary_cross_entropy(recon_x, x.view(-1, 12), reduction="sum")
    KLD = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    return BCE + KLD


def build():
    return VAE()


def train(model, accumulation_steps=2):
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=4)
    history = []
    optimizer.zero_grad()
    for i in range(8):
        data = torch.arange(48.0).view(4, 3, 4).add(i).sin().abs()
        eps = torch.arange(12.0).view(4, 3).add(i).cos()
        recon, mu, logvar = model(data, eps)
        loss = loss_function(recon, data, mu, logvar) / accumulation_steps
        loss.backward()
        history.append(loss.item())
        if (i + 1) % accumulation_steps == 0:
            total = torch.nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            history.append(total.item())
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()
            history.append(scheduler.get_last_lr()[0])
    return history
