"""A U-shaped network: skips padded to fit, both kinds of upsampling, norms over groups."""

import torch
import torch.nn as nn
import torch.nn.functional as F


def twice(before, after, middle=None):
    middle = middle or after
    return nn.Sequential(
        nn.Conv2d(before, middle, kernel_size=3, padding=1, bias=False),
        nn.BatchNorm2d(middle),
        nn.ReLU(inplace=True),
        nn.Conv2d(middle, after, kernel_size=3, padding=1, bias=False),
        nn.GroupNorm(2, after),
        nn.SiLU(inplace=True),
    )


class Rise(nn.Module):
    def __init__(self, below, skipped, after, smooth):
        super().__init__()
        if smooth:
            self.grow = nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True)
        else:
            self.grow = nn.ConvTranspose2d(below, below, kernel_size=2, stride=2)
        self.conv = twice(below + skipped, after)

    def forward(self, x, skip):
        x = self.grow(x)
        dy, dx = skip.size()[2] - x.size()[2], skip.size(3) - x.size(3)
        x = F.pad(x, [dx // 2, dx - dx // 2, dy // 2, dy - dy // 2])
        return self.conv(torch.cat([skip, x], dim=1))


class UShape(nn.Module):
    def __init__(self, channels, classes, widths=(4, 8, 16)):
        super().__init__()
        self.start = twice(channels, widths[0])
        self.falls, self.rises = nn.ModuleList(), nn.ModuleList()
        for index, (a, b) in enumerate(zip(widths[:-1], widths[1:])):
            self.falls.append(nn.Sequential(nn.MaxPool2d(2), twice(a, b)))
            self.rises.insert(0, Rise(b, a, a, smooth=index == 0))
        self.end = nn.Conv2d(widths[0], classes, kernel_size=1)

    def forward(self, x):
        skips = [self.start(x)]
        for fall in self.falls:
            skips.append(fall(skips[-1]))
        x = skips.pop()
        for rise in self.rises:
            x = rise(x, skips.pop())
        logits = self.end(x)
        return (
            logits,
            logits.argmax(1),
            F.interpolate(logits.sigmoid(), size=(9, 11), mode="nearest"),
        )
