import math

import paddle
import paddle.nn as nn
import paddle.nn.functional as F


class ResBlock(nn.Layer):
    def __init__(self, in_channels, out_channels, emb_channels):
        super().__init__()
        self.in_conv = nn.Conv2D(in_channels, out_channels, 3)
        self.in_norm = nn.GroupNorm(4, out_channels)
        self.emb_proj = nn.Linear(emb_channels, out_channels * 2)
        self.out_conv = nn.Conv2D(out_channels, out_channels, 3, padding=1)
        self.out_norm = nn.GroupNorm(4, out_channels)
        self.act = nn.Silu()
        self.skip = None
        if in_channels != out_channels:
            self.skip = nn.Conv2D(in_channels, out_channels, 1)

    def forward(self, x, emb):
        h = F.pad(x, [1, 1, 1, 1], mode="reflect")
        h = self.act(self.in_norm(self.in_conv(h)))
        emb = self.emb_proj(emb).unsqueeze([2, 3])
        scale, shift = paddle.split(emb, 2, axis=1)
        h = self.out_norm(self.out_conv(h))
        h = h * (scale + 1.0) + shift
        residual = x if self.skip is None else self.skip(x)
        return self.act(h) + residual


class Net(nn.Layer):
    def __init__(self, ch=8, emb_dim=16):
        super().__init__()
        self.emb_dim = emb_dim
        self.fc1 = nn.Linear(emb_dim, emb_dim)
        self.fc2 = nn.Linear(emb_dim, emb_dim)
        self.enc1 = ResBlock(3, ch, emb_dim)
        self.enc2 = ResBlock(ch, ch * 2, emb_dim)
        self.bottleneck = ResBlock(ch * 2, ch * 2, emb_dim)
        self.upsample = nn.Conv2DTranspose(ch * 2, ch, 4, stride=2, padding=1)
        self.dec = ResBlock(ch * 2, ch, emb_dim)
        self.final = nn.Conv2D(ch, 3, 1)

    def timestep_embedding(self, t):
        half = self.emb_dim // 2
        freqs = paddle.exp(-math.log(10000.0) * paddle.arange(half, dtype="float32") / half)
        args = t.astype("float32").unsqueeze(1) * freqs.unsqueeze(0)
        emb = paddle.concat([paddle.sin(args), paddle.cos(args)], axis=-1)
        return emb.astype(self.final.weight.dtype)

    def forward(self, x, timesteps):
        emb = self.timestep_embedding(timesteps)
        emb = self.fc2(F.silu(self.fc1(emb)))
        skip = self.enc1(x, emb)
        h = F.max_pool2d(skip, kernel_size=2)
        h = self.enc2(h, emb)
        h = self.bottleneck(h, emb)
        h = paddle.concat([self.upsample(h), skip], axis=1)
        h = self.dec(h, emb)
        h = F.interpolate(h, scale_factor=2, mode="bilinear", align_corners=False)
        return self.final(h)
