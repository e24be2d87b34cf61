"""Attention in shifted windows: relative places in a table, cyclic shifts, merging of patches."""

import torch
import torch.nn as nn
import torch.utils.checkpoint as checkpoint


def cut(x, side):
    b, h, w, c = x.shape
    x = x.view(b, h // side, side, w // side, side, c)
    return x.permute(0, 1, 3, 2, 4, 5).contiguous().view(-1, side * side, c)


def paste(windows, side, h, w):
    b = int(windows.shape[0] / (h * w / side / side))
    x = windows.view(b, h // side, w // side, side, side, -1)
    return x.permute(0, 1, 3, 2, 4, 5).contiguous().view(b, h, w, -1)


class WindowAttention(nn.Module):
    def __init__(self, width, side, heads):
        super().__init__()
        self.side, self.heads, self.scale = side, heads, (width // heads) ** -0.5
        self.table = nn.Parameter(torch.zeros((2 * side - 1) ** 2, heads))
        nn.init.trunc_normal_(self.table, std=0.02)
        axis = torch.arange(side)
        places = torch.flatten(torch.stack(torch.meshgrid([axis, axis], indexing="ij")), 1)
        apart = (places[:, :, None] - places[:, None, :]).permute(1, 2, 0).contiguous()
        apart[:, :, 0] += side - 1
        apart[:, :, 1] += side - 1
        apart[:, :, 0] *= 2 * side - 1
        self.register_buffer("index", apart.sum(-1))
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x, mask=None):
        b, n, c = x.shape
        qkv = self.qkv(x).reshape(b, n, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        q, k, v = qkv[0], qkv[1], qkv[2]
        scores = (q * self.scale) @ k.transpose(-2, -1)
        bias = self.table[self.index.view(-1)].view(n, n, -1).permute(2, 0, 1).contiguous()
        scores = scores + bias.unsqueeze(0)
        if mask is not None:
            scores = scores.view(b // mask.shape[0], mask.shape[0], self.heads, n, n)
            scores = (scores + mask.unsqueeze(1).unsqueeze(0)).view(-1, self.heads, n, n)
        return self.out((scores.softmax(dim=-1) @ v).transpose(1, 2).reshape(b, n, c))


class Windows(nn.Module):
    def __init__(self, size=8, side=4, width=8, classes=5, recompute=False):
        super().__init__()
        self.size, self.side, self.shift, self.recompute = size, side, side // 2, recompute
        self.embed = nn.Conv2d(3, width, kernel_size=2, stride=2)
        self.norm, self.last = nn.LayerNorm(width), nn.LayerNorm(4 * width)
        self.attend = nn.ModuleList([WindowAttention(width, side, 2) for _ in range(2)])
        self.head = nn.Linear(self.last.normalized_shape[0], classes)
        numbers = torch.zeros((1, size, size, 1))
        parts = (slice(0, -side), slice(-side, -self.shift), slice(-self.shift, None))
        count = 0
        for rows in parts:
            for columns in parts:
                numbers[:, rows, columns, :] = count
                count += 1
        numbers = cut(numbers, side).view(-1, side * side)
        mask = numbers.unsqueeze(1) - numbers.unsqueeze(2)
        mask = mask.masked_fill(mask != 0, float(-100.0)).masked_fill(mask == 0, float(0.0))
        self.register_buffer("mask", mask)

    @torch.jit.ignore
    def no_weight_decay(self):
        return {"table"}

    def forward(self, x):
        x = self.embed(x).flatten(2).transpose(1, 2)
        b, n, c = x.shape
        x = x.view(b, self.size, self.size, c)
        for index, attend in enumerate(self.attend):
            shift = self.shift * index
            y = torch.roll(self.norm(x), shifts=(-shift, -shift), dims=(1, 2))
            y = cut(y, self.side)
            mask = self.mask if shift else None
            y = checkpoint.checkpoint(attend, y, mask) if self.recompute else attend(y, mask)
            y = paste(y, self.side, self.size, self.size)
            x = x + torch.roll(y, shifts=(shift, shift), dims=(1, 2))
        x = torch.cat([x[:, i::2, j::2, :] for i in (0, 1) for j in (0, 1)], -1).view(b, -1, 4 * c)
        return self.head(self.last(x).mean([-2]))
