import torch
from torch import nn

example_inputs = (torch.randn(2, 3, 12, 12),)


class Net(nn.Module):
    def __init__(self, d=16, heads=4, patch=4):
        super().__init__()
        self.patches = nn.Conv2d(3, d, patch, stride=patch)
        self.cls = nn.Parameter(torch.randn(1, 1, d) * 0.02)
        self.places = nn.Parameter(torch.randn(1, 10, d) * 0.02)
        layer = nn.TransformerEncoderLayer(
            d, heads, 32, dropout=0.1, activation="gelu", batch_first=True, norm_first=True
        )
        self.blocks = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.norm = nn.LayerNorm(d, eps=1e-6)
        self.head = nn.Linear(d, 5)

    def forward(self, x):
        x = self.patches(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.cls.expand(len(x), -1, -1), x], 1) + self.places
        x = self.norm(self.blocks(x))
        return self.head(x[:, 0])


def loss(outputs):
    return torch.nn.functional.cross_entropy(outputs, outputs.detach().argmin(-1))


def optimizer(params):
    return torch.optim.Adam(params, lr=1e-3, betas=(0.9, 0.98), eps=1e-9)
