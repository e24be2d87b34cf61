"""Two models that are trained against each other."""

import torch
from torch import nn

generator = nn.Sequential(
    nn.ConvTranspose2d(8, 8, 4, bias=False),
    nn.BatchNorm2d(8),
    nn.ReLU(),
    nn.ConvTranspose2d(8, 1, 4, stride=2, padding=1),
    nn.Tanh(),
)
discriminator = nn.Sequential(
    nn.Conv2d(1, 8, 4, stride=2, padding=1),
    nn.LeakyReLU(0.2),
    nn.Conv2d(8, 8, 4, bias=False),
    nn.BatchNorm2d(8),
    nn.LeakyReLU(0.2),
    nn.Flatten(),
    nn.Linear(8, 1),
)
criterion = nn.BCEWithLogitsLoss()
d_optimizer = torch.optim.Adam(discriminator.parameters(), lr=2e-3, betas=(0.5, 0.99))
g_optimizer = torch.optim.Adam(generator.parameters(), lr=1e-3, betas=(0.5, 0.99))

for _ in range(6):
    real = torch.rand(4, 1, 8, 8) * 2 - 1
    fake = generator(torch.randn(4, 8, 1, 1))
    d_optimizer.zero_grad()
    d_loss = criterion(discriminator(real), torch.ones(4, 1))
    d_loss = d_loss + criterion(discriminator(fake.detach()), torch.zeros(4, 1))
    d_loss.backward()
    d_optimizer.step()

    g_optimizer.zero_grad()
    g_loss = criterion(discriminator(fake), torch.ones(4, 1))
    g_loss.backward()
    g_optimizer.step()
