"""A vision transformer on einops: patches, a class token, attention blind to itself, distillation."""

import torch
from einops import pack, rearrange, reduce, repeat, unpack
from einops.layers.torch import Rearrange, Reduce
from torch import einsum, nn


def exists(value):
    return value is not None


def pair(value):
    return value if isinstance(value, tuple) else (value, value)


class SelfBlind(nn.Module):
    """Attention whose temperature is learnt, and whose diagonal is masked."""

    def __init__(self, dim, heads=2, dropout=0.0):
        super().__init__()
        self.heads = heads
        self.norm = nn.LayerNorm(dim)
        self.temperature = nn.Parameter(torch.log(torch.tensor(dim**-0.5)))
        self.qkv = nn.Linear(dim, dim * 3, bias=False)
        self.out = nn.Sequential(nn.Linear(dim, dim), nn.Dropout(dropout))

    def forward(self, x, context=None):
        x = self.norm(x)
        q, k, v = map(
            lambda t: rearrange(t, "b n (h d) -> b h n d", h=self.heads),
            self.qkv(x).chunk(3, dim=-1),
        )
        sim = einsum("b h i d, b h j d -> b h i j", q, k) * self.temperature.exp()
        itself = torch.eye(sim.shape[-1], device=sim.device, dtype=torch.bool)
        sim = sim.masked_fill(itself, -torch.finfo(sim.dtype).max)
        mixed = einsum("b h i j, b h j d -> b h i d", sim.softmax(dim=-1), v)
        return self.out(rearrange(mixed, "b h n d -> b n (h d)"))


class PatchTransformer(nn.Module):
    def __init__(self, *, size, patch, dim, depth, classes, teacher_classes=None, channels=3):
        super().__init__()
        (height, width), (p1, p2) = pair(size), pair(patch)
        assert height % p1 == 0 and width % p2 == 0, "the picture must be whole patches"
        self.embed = nn.Sequential(
            Rearrange("b c (h p1) (w p2) -> b (h w) (p1 p2 c)", p1=p1, p2=p2),
            nn.LayerNorm(p1 * p2 * channels),
            nn.Linear(p1 * p2 * channels, dim),
        )
        self.token = nn.Parameter(torch.randn(dim))
        self.positions = nn.Parameter(torch.randn(1, (height // p1) * (width // p2) + 1, dim))
        self.layers = nn.ModuleList([])
        for _ in range(depth):
            mlp = nn.Sequential(
                nn.LayerNorm(dim), nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim)
            )
            self.layers.append(nn.ModuleList([SelfBlind(dim), mlp]))
        self.head = nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, classes))
        self.pooled = nn.Sequential(Reduce("b n d -> b d", "mean"), nn.Identity())
        self.distil = nn.Linear(dim, teacher_classes) if exists(teacher_classes) else None

    def forward(self, image):
        x = self.embed(image)
        b, n, _ = x.shape
        x, shapes = pack([repeat(self.token, "d -> b d", b=b), x], "b * d")
        x += self.positions[:, : (n + 1)]
        for attend, mlp in self.layers:
            x = attend(x) + x
            x = mlp(x) + x
        token, tokens = unpack(x, shapes, "b * d")
        logits = self.head(token) + reduce(tokens, "b n d -> b 1", "max")
        if exists(self.distil):
            return logits, self.distil(self.pooled(tokens))
        return logits
