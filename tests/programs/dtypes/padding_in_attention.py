import torch
from torch import nn


class Attn(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.q = nn.Linear(d, d)
        self.k = nn.Linear(d, d)
        for i, p in enumerate(self.parameters()):
            p.data = (torch.arange(float(p.numel())) + i).sin().view_as(p)
    def forward(self, x, pad):
        s = self.q(x) @ self.k(x).transpose(-1, -2)
        s = s + (1.0 - pad[:, None, :]) * -1e4
        a = s.softmax(-1) * pad[:, None, :]
        return (a * pad[:, :, None]).sum((1, 2))
m = Attn(3)
x = torch.arange(12.).cos().view(2, 2, 3)
print(m(x, torch.tensor([[1, 1], [1, 0]])).tolist(), m(x, torch.tensor([[1., 1], [1, 0]])).tolist())
