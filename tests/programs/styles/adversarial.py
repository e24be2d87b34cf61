"""A small adversarial pair with its training loop."""

import torch
from torch import nn, optim


class Generator(nn.Module):
    def __init__(self, noise=16, width=32):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(noise, width),
            nn.BatchNorm1d(width),
            nn.LeakyReLU(0.2, inplace=True),
            nn.Linear(width, 64),
            nn.Tanh(),
        )

    def forward(self, z):
        return self.net(z).view(z.size(0), 1, 8, 8)


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(1, 8, 3, 2, 1), nn.LeakyReLU(0.2))
        self.head = nn.Linear(8 * 4 * 4, 1)
        for module in self.modules():
            if isinstance(module, nn.Conv2d):
                nn.init.normal_(module.weight, 0.0, 0.02)

    def forward(self, x):
        return self.head(self.features(x).flatten(1)).squeeze(1)


def penalty(critic, real, fake):
    share = torch.rand(real.size(0), 1, 1, 1)
    mixed = (share * real + (1 - share) * fake).requires_grad_(True)
    [grad] = torch.autograd.grad(critic(mixed).sum(), mixed, create_graph=True)
    return ((grad.flatten(1).norm(2, dim=1) - 1) ** 2).mean()


def train(batches, steps=2):
    generator, critic = Generator(), Critic()
    first = optim.Adam(generator.parameters(), lr=2e-4, betas=(0.5, 0.999))
    second = optim.Adam(critic.parameters(), lr=2e-4, betas=(0.5, 0.999))
    loss = nn.BCEWithLogitsLoss()
    for _ in range(steps):
        for real in batches:
            fake = generator(torch.randn(real.size(0), 16))
            guess = critic(fake.detach())
            lost = loss(critic(real), torch.ones(real.size(0))) + loss(guess, torch.zeros_like(guess))
            lost += 10 * penalty(critic, real, fake.detach())
            second.zero_grad()
            lost.backward()
            second.step()
            first.zero_grad()
            again = critic(fake)
            loss(again, torch.ones_like(again)).backward()
            first.step()
    return generator
