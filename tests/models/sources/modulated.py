"""Pictures from styles: kernels modulated per sample by grouped convolution, blurs, penalties."""

import math
from functools import partial

import torch
from torch import nn
from torch.nn import functional as F
from torch.nn.utils import spectral_norm


class Scaled(nn.Module):
    def __init__(self, before, after, start=0, rate=1):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(after, before).div_(rate))
        self.bias = nn.Parameter(torch.zeros(after).fill_(start))
        self.scale = (1 / math.sqrt(before)) * rate
        self.rate = rate

    def forward(self, x):
        return F.linear(x, self.weight * self.scale, bias=self.bias * self.rate)


class Modulated(nn.Module):
    def __init__(self, before, after, side, style, grow=False):
        super().__init__()
        self.before, self.after, self.side, self.grow = before, after, side, grow
        kernel = torch.tensor([1, 3, 3, 1], dtype=torch.float32)
        kernel = kernel[None, :] * kernel[:, None]
        kernel /= kernel.sum()
        self.register_buffer("blur", kernel * 4, persistent=False)
        self.weight = nn.Parameter(torch.randn(1, after, before, side, side))
        self.style = Scaled(style, before, start=1)

    def forward(self, x, style):
        b, c, h, w = x.shape
        weight = self.weight * self.style(style).view(b, 1, c, 1, 1) / math.sqrt(c * self.side**2)
        weight = weight * torch.rsqrt(weight.pow(2).sum([2, 3, 4], keepdim=True) + 1e-8)
        x = x.view(1, b * c, h, w)
        if not self.grow:
            weight = weight.view(b * self.after, c, self.side, self.side)
            x = F.conv2d(x, weight, padding=self.side // 2, groups=b)
            return x.view(b, self.after, h, w)
        weight = weight.transpose(1, 2).reshape(b * c, self.after, self.side, self.side)
        x = F.conv_transpose2d(x, weight, padding=0, stride=2, groups=b)
        x = F.pad(x.view(b, self.after, *x.shape[-2:]), (1, 1, 1, 1))
        blur = torch.flip(self.blur, [0, 1]).view(1, 1, 4, 4).repeat(self.after, 1, 1, 1)
        return F.conv2d(x, blur, groups=self.after)


class Painter(nn.Module):
    def __init__(self, style=8, width=6):
        super().__init__()
        act = partial(nn.LeakyReLU, negative_slope=0.2)
        self.map = nn.Sequential(
            Scaled(style, style, rate=0.01), act(), Scaled(style, style), act()
        )
        self.start = nn.Parameter(torch.randn(1, width, 4, 4))
        self.first = Modulated(width, width, 3, style)
        self.second = Modulated(width, 3, 3, style, grow=True)
        self.noises = nn.Module()
        self.noises.register_buffer("noise_0", torch.randn(1, 1, 4, 4))
        self.judge = spectral_norm(nn.Linear(3 * 8 * 8, 1))

    def forward(self, z):
        z = z * torch.rsqrt(torch.mean(z**2, dim=1, keepdim=True) + 1e-8)
        style = self.map(z).unsqueeze(1).repeat(1, 2, 1)
        x = self.start.repeat(style.shape[0], 1, 1, 1) + 0.1 * getattr(self.noises, "noise_0")
        x = F.leaky_relu(self.first(x, style[:, 0]), 0.2) * math.sqrt(2)
        image = self.second(x, style[:, 1])
        return image, self.penalty(image)

    def penalty(self, image):
        image = image.detach().requires_grad_(True)
        score = self.judge(image.view(image.size(0), -1))
        (slope,) = torch.autograd.grad(
            outputs=score, inputs=image, grad_outputs=torch.ones(score.size()), create_graph=True
        )
        return ((slope.view(image.size(0), -1).norm(2, dim=1) - 1) ** 2).mean().detach()
