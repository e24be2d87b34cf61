import torch
import torch.nn.functional as F
from torch import nn

example_inputs = (torch.randn(2, 3, 16, 16), torch.randint(0, 100, (2,)))


class Block(nn.Module):
    def __init__(self, cin, cout, time):
        super().__init__()
        self.conv1 = nn.Conv2d(cin, cout, 3, padding=1, padding_mode="reflect")
        self.norm1 = nn.GroupNorm(4, cout)
        self.conv2 = nn.Conv2d(cout, cout, 3, padding=1)
        self.norm2 = nn.GroupNorm(4, cout)
        self.time = nn.Linear(time, 2 * cout)
        self.short = nn.Conv2d(cin, cout, 1) if cin != cout else nn.Identity()

    def forward(self, x, t):
        h = F.silu(self.norm1(self.conv1(x)))
        scale, shift = self.time(t)[:, :, None, None].chunk(2, dim=1)
        h = self.norm2(self.conv2(h)) * (1 + scale) + shift
        return F.silu(h) + self.short(x)


class Net(nn.Module):
    def __init__(self, width=8, time=16):
        super().__init__()
        self.time_dim = time
        self.time_mlp = nn.Sequential(nn.Linear(time, time), nn.SiLU(), nn.Linear(time, time))
        self.down1 = Block(3, width, time)
        self.down2 = Block(width, 2 * width, time)
        self.pool = nn.MaxPool2d(2)
        self.mid = Block(2 * width, 2 * width, time)
        self.up = nn.ConvTranspose2d(2 * width, width, 4, stride=2, padding=1)
        self.last = Block(2 * width, width, time)
        self.out = nn.Conv2d(width, 3, 1)

    def embed(self, t):
        half = self.time_dim // 2
        rates = torch.exp(-torch.log(torch.tensor(10000.0)) * torch.arange(half) / half)
        args = t[:, None] * rates[None]
        return torch.cat([args.sin(), args.cos()], dim=-1).to(self.out.weight.dtype)

    def forward(self, x, t):
        t = self.time_mlp(self.embed(t))
        a = self.down1(x, t)
        b = self.mid(self.down2(self.pool(a), t), t)
        y = torch.cat([self.up(b), a], dim=1)
        y = F.interpolate(self.last(y, t), scale_factor=2, mode="bilinear", align_corners=False)
        return self.out(y)
