import torch
import torch.nn.functional as F
from torch import nn


def stage(cin, cout):
    return nn.Sequential(
        nn.ConvTranspose2d(cin, cout, 3, stride=2, padding=1, output_padding=1, bias=False),
        nn.InstanceNorm2d(cout, affine=True),
        nn.LeakyReLU(0.2),
    )


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.start = nn.Linear(5, 8 * 9)
        self.stages = nn.Sequential(stage(8, 6), stage(6, 6))
        self.out = nn.Sequential(nn.ReflectionPad2d(1), nn.Conv2d(6, 12, 3), nn.PixelShuffle(2))

    def forward(self, z):
        x = self.start(z).view(-1, 8, 3, 3)
        x = self.stages(x)
        x = F.interpolate(x, scale_factor=0.5, mode="bicubic", align_corners=False)
        return self.out(x).tanh()


def batch(step):
    return torch.randn(2, 5), torch.randn(2, 3, 12, 12)


def loss(outputs, wanted):
    across = (outputs[..., 1:] - outputs[..., :-1]).abs().mean()
    return F.l1_loss(outputs, wanted) + 0.1 * across


def optimizer(params):
    return torch.optim.Adam(params, lr=1e-3, betas=(0.5, 0.999), weight_decay=1e-3)
