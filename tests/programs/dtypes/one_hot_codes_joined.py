import torch
import torch.nn as nn
import torch.nn.functional as F


class Net(nn.Module):
    def __init__(self, dims, n):
        super().__init__()
        self.dims = dims
        self.lin = nn.Linear(sum(dims) + n, 1)

    def forward(self, cats, nums):
        codes = [F.one_hot(cats[:, i], d) for i, d in enumerate(self.dims)]
        one = torch.cat([*codes, nums], dim=1)
        two = torch.cat(codes + [nums], dim=-1)
        parts = []
        parts.append(codes[0])
        parts.append(nums)
        three = torch.hstack(parts)
        print(one.dtype, two.dtype, three.dtype, three.tolist())
        return self.lin(one).squeeze(-1) + self.lin(two).squeeze(-1)


net = Net([3, 2], 2)
with torch.no_grad():
    for p in net.parameters():
        p.copy_(torch.arange(float(p.numel())).view_as(p) / 7)
features = torch.tensor([[0.5, -1.0], [2.0, 0.25]])
print(net(torch.tensor([[0, 1], [2, 0]]), features).tolist())


def beside(cats, more):
    r = torch.cat((F.one_hot(cats, 3), more), dim=1)
    print(r.dtype, r.tolist())


cats = torch.tensor([0, 2])
beside(cats, torch.tensor([[5], [6]]))
beside(cats, torch.tensor([[.5], [6]], dtype=torch.float64))


def scaled(cats, more):
    more = more.clone() * 1
    codes = [F.one_hot(cats[:, i], 3) for i in range(2)]
    print(torch.cat([*codes, more], dim=1).float().tolist())
    print(torch.cat([F.one_hot(cats[:, 0], 3), more], dim=1).tolist())


given = [torch.tensor([[0, 1], [2, 0]]), features]
scaled(*given)
